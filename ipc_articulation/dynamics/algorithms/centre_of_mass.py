"""Centre of mass, and momentum about it.

    c = Σ h / Σ m,     J_c,j = (m_j t + s × h_j)/Σ m     with m_j, h_j of all that joint j carries and S = [s; t]

    A_j = Iᶜ_j S_j moved to c     the centroidal momentum matrix: A v = [angular momentum about c; linear momentum]

(Orin, Goswami, Lee 2013, «Centroidal dynamics of a humanoid robot»). Rotors' own momentum is left out.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ipc_articulation.arrays import Array
from ipc_articulation.dynamics.algorithms.kernel import batch_kernel, kernel
from ipc_articulation.dynamics.algorithms.over_states import over_states
from ipc_articulation.dynamics.algorithms.sweep import (
    NODE_STATE,
    accumulate_inertias,
    body_inertias,
    finite,
    fits,
    position_kinematics,
)
from ipc_articulation.dynamics.algorithms.vectors import cross3, inertia_times, row
from ipc_articulation.dynamics.model.model import Model


@kernel
def _total(tree, kin):
    """Mass and centre of mass in the world; kin as `body_inertias` leaves it."""
    m = x = y = z = 0.0
    for i in range(len(tree)):
        k = kin[i]
        m += k.m
        x += k.h[0] + k.m * k.o[0]
        y += k.h[1] + k.m * k.o[1]
        z += k.h[2] + k.m * k.o[2]
    return m, (x / m, y / m, z / m)


@kernel
def _centre(tree, q, c):
    if not fits(tree, q):
        return 1
    kin, S = np.empty(len(tree), NODE_STATE), np.empty((len(tree) * 3, 6))
    good = position_kinematics(tree, q, kin, S)
    body_inertias(tree, kin)
    c[0], c[1], c[2] = _total(tree, kin)[1]
    return 0 if good and finite(q) else 1


@kernel
def _momentum_matrix(tree, q, A):
    if not fits(tree, q):
        return 1
    kin, S = np.empty(len(tree), NODE_STATE), np.empty((A.shape[1], 6))
    good = position_kinematics(tree, q, kin, S)
    body_inertias(tree, kin)
    c = _total(tree, kin)[1]
    accumulate_inertias(tree, kin)
    for i in range(len(tree)):
        k = kin[i]
        d = (c[0] - k.o[0], c[1] - k.o[1], c[2] - k.o[2])
        for j in range(tree[i].v, tree[i].v + tree[i].nv):
            F = inertia_times(k, row(S, j))
            moved = cross3(d, (F[3], F[4], F[5]))
            for r in range(3):
                A[r, j], A[3 + r, j] = F[r] - moved[r], F[3 + r]
    return 0 if good and finite(q) else 1


@kernel
def _jacobian(tree, q, J):
    A = np.empty((6, J.shape[1]))
    bad = _momentum_matrix(tree, q, A)
    J[:] = A[3:] / np.sum(tree["mass"])
    return bad


@kernel
def _momentum(tree, q, v, h):
    nv = tree[len(tree) - 1].v + tree[len(tree) - 1].nv
    if len(v) != nv:
        return 1
    A = np.empty((6, nv))
    bad = _momentum_matrix(tree, q, A)
    h[:] = 0.0
    for j in range(len(v)):
        for r in range(6):
            h[r] += A[r, j] * v[j]
    return 0 if not bad and finite(v) else 1


@batch_kernel
def _centre_batch(tree, q, c):
    bad = 0
    for s in range(len(q)):
        if _centre(tree, q[s], c[s]) and not bad:
            bad = s + 1
    return bad


@batch_kernel
def _momentum_matrix_batch(tree, q, A):
    bad = 0
    for s in range(len(q)):
        if _momentum_matrix(tree, q[s], A[s]) and not bad:
            bad = s + 1
    return bad


@batch_kernel
def _jacobian_batch(tree, q, J):
    bad = 0
    for s in range(len(q)):
        if _jacobian(tree, q[s], J[s]) and not bad:
            bad = s + 1
    return bad


@batch_kernel
def _momentum_batch(tree, q, v, h):
    bad = 0
    for s in range(len(q)):
        if _momentum(tree, q[s], v[s], h[s]) and not bad:
            bad = s + 1
    return bad


@over_states(_centre, _centre_batch, ["q"], "point")
def centre_of_mass(model: Model, q: ArrayLike, out: Array | None = None) -> Array:  # type: ignore[empty-body]
    """Centre of mass of all that moves, in the world: (..., nq) -> (..., 3) [m].

    Raises:
        StateError: A wrong shape, a number that is not finite, a quaternion that is not of length one.
    """


@over_states(_jacobian, _jacobian_batch, ["q"], "point jacobian")
def centre_of_mass_jacobian(model: Model, q: ArrayLike, out: Array | None = None) -> Array:  # type: ignore[empty-body]
    """J_c, J_c v = velocity of the centre of mass: (..., nq) -> (..., 3, nv).

    Raises:
        StateError: A wrong shape, a number that is not finite, a quaternion that is not of length one.
    """


@over_states(_momentum_matrix, _momentum_matrix_batch, ["q"], "jacobian")
def centroidal_momentum_matrix(model: Model, q: ArrayLike, out: Array | None = None) -> Array:  # type: ignore[empty-body]
    """A, A v = momentum about the centre of mass: (..., nq) -> (..., 6, nv).

    Raises:
        StateError: A wrong shape, a number that is not finite, a quaternion that is not of length one.
    """


@over_states(_momentum, _momentum_batch, ["q", "v"], "vector")
def centroidal_momentum(model: Model, q: ArrayLike, v: ArrayLike, out: Array | None = None) -> Array:  # type: ignore[empty-body]
    """[angular momentum about the centre of mass; linear momentum], world axes: -> (..., 6) [kg·m²/s; kg·m/s].

    Raises:
        StateError: A wrong shape, a number that is not finite, a quaternion that is not of length one.
    """
