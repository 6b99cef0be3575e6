"""World vectors of a joint as functions of the affine coordinates of its two bodies, and derivatives carried to them.

A coordinate that is measured by v vectors of each body sees q = (qᵢ, qⱼ) only through 2v world vectors F, a row each:
the left body's, then the right one's. With the local vector in homogeneous coordinates (v̄, w)

    v = A v̄ + w p,

linear in q. So derivatives are taken in F's 6v numbers and carried to q's 24 by the constant matrix ∂F/∂q, which is
never formed.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.compiled import compiled


@compiled
def to_world(local: Array, count: int, q: Array, x: Array) -> None:
    """Write the world vectors of the first `count` local ones (v, 4) in a body at q (12,) into x (v, 3)."""
    for v in range(count):
        for a in range(3):
            x[v, a] = local[v, 3] * q[a]
            for k in range(3):
                x[v, a] += local[v, k] * q[3 + 3 * a + k]


@compiled
def pairs(local: Array, q_i: Array, q_j: Array) -> Array:
    """F (4, 3) of the first two local vectors of both bodies, (2, v, 4), at their coordinates (12,)."""
    F = np.empty((4, 3))
    for v in range(2):
        for a in range(3):
            F[v, a], F[2 + v, a] = local[0, v, 3] * q_i[a], local[1, v, 3] * q_j[a]
            for k in range(3):
                F[v, a] += local[0, v, k] * q_i[3 + 3 * a + k]
                F[2 + v, a] += local[1, v, k] * q_j[3 + 3 * a + k]
    return F


@compiled
def pick(local: Array, first: int, second: int) -> Array:
    """Two of the local vectors of both bodies, (2, v, 4) -> (2, 2, 4)."""
    chosen = np.empty((2, 2, 4))
    for side in range(2):
        chosen[side, 0], chosen[side, 1] = local[side, first], local[side, second]
    return chosen


@compiled
def gradient_to_q(local: Array, G: Array, g: Array) -> None:
    """Write (∂F/∂q)ᵀ G, G (6v,), with local vectors (2, v or more, 4) into g (24,)."""
    g[:] = 0.0
    count = len(G) // 6
    for v in range(2 * count):
        side, number = v // count, v % count
        for a in range(3):
            row = 12 * side + 3 + 3 * a
            g[12 * side + a] += local[side, number, 3] * G[3 * v + a]
            for k in range(3):
                g[row + k] += local[side, number, k] * G[3 * v + a]


@compiled
def hessian_to_q(local: Array, H: Array, full: Array) -> None:
    """Write (∂F/∂q)ᵀ H (∂F/∂q), H (6v, 6v), into full (24, 24); see `gradient_to_q`.

    Columns first, then whole rows, which vectorise: halves the time of `ArticulationEnergy.linearize`.
    """
    half = np.empty((len(H), 24))
    full[:] = 0.0
    for row in range(len(H)):
        gradient_to_q(local, H[row], half[row])
    count = len(H) // 6
    for v in range(2 * count):
        side, number = v // count, v % count
        for a in range(3):
            source = half[3 * v + a]
            _add_scaled(full[12 * side + a], local[side, number, 3], source)
            for k in range(3):
                _add_scaled(full[12 * side + 3 + 3 * a + k], local[side, number, k], source)


@compiled
def project(H: Array) -> Array:
    """The nearest positive semidefinite matrix to a symmetric one, (n, n): its negative eigenvalues become zero."""
    values, basis = np.linalg.eigh(H)
    return (basis * np.maximum(values, 0.0)) @ basis.T


@compiled
def _add_scaled(target: Array, factor: float, source: Array) -> None:
    if factor != 0.0:
        for column in range(len(target)):
            target[column] += factor * source[column]
