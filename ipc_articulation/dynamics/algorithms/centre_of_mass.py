"""Centre of mass, and momentum about it.

    c = Σ h / Σ m,     J_c,j = (m_j t + s × h_j)/Σ m     m_j, h_j: sums over all that joint j carries; S = [s; t]

    A_j = Iᶜ_j S_j moved to c     the centroidal momentum matrix: A v = [angular momentum about c; linear momentum]

(Orin, Goswami, Lee 2013, «Centroidal dynamics of a humanoid robot»). The momentum of the rotors is not included.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ipc_articulation.arrays import Array
from ipc_articulation.dynamics.algorithms.over_states import over_states
from ipc_articulation.dynamics.kernels.kernel import inlined, kernel
from ipc_articulation.dynamics.kernels.sweep import accumulate_inertias, at_position, body_inertias
from ipc_articulation.dynamics.kernels.vectors import cross3, inertia_times, row
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


@inlined
def _centre(tree, q, c):
    kin, _, good = at_position(tree, q)
    body_inertias(tree, kin)
    c[0], c[1], c[2] = _total(tree, kin)[1]
    return good


@inlined
def _momentum_matrix(tree, q, A):
    kin, S, good = at_position(tree, q)
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
    return good


@inlined
def _jacobian(tree, q, J):
    A = np.empty((6, J.shape[1]))
    good = _momentum_matrix(tree, q, A)
    J[:] = A[3:] / np.sum(tree["mass"])
    return good


@inlined
def _momentum(tree, q, v, h):
    A = np.empty((6, len(v)))
    good = _momentum_matrix(tree, q, A)
    h[:] = 0.0
    for j in range(len(v)):
        for r in range(6):
            h[r] += A[r, j] * v[j]
    return good


@over_states(_centre, ["q"], "point")
def centre_of_mass(model: Model, q: ArrayLike, out: Array | None = None) -> Array:  # type: ignore[empty-body]
    """Centre of mass of all moving bodies, in the world: (..., nq) -> (..., 3) [m].

    Raises:
        StateError: A wrong shape, a number that is not finite, a quaternion that is not of length one.
    """


@over_states(_jacobian, ["q"], "point jacobian")
def centre_of_mass_jacobian(model: Model, q: ArrayLike, out: Array | None = None) -> Array:  # type: ignore[empty-body]
    """The matrix J_c with J_c v = velocity of the centre of mass: (..., nq) -> (..., 3, nv).

    Raises:
        StateError: A wrong shape, a number that is not finite, a quaternion that is not of length one.
    """


@over_states(_momentum_matrix, ["q"], "jacobian")
def centroidal_momentum_matrix(model: Model, q: ArrayLike, out: Array | None = None) -> Array:  # type: ignore[empty-body]
    """The matrix A with A v = momentum about the centre of mass: (..., nq) -> (..., 6, nv).

    Raises:
        StateError: A wrong shape, a number that is not finite, a quaternion that is not of length one.
    """


@over_states(_momentum, ["q", "v"], "vector")
def centroidal_momentum(model: Model, q: ArrayLike, v: ArrayLike, out: Array | None = None) -> Array:  # type: ignore[empty-body]
    """[angular momentum about the centre of mass; linear momentum], world axes: -> (..., 6) [kg·m²/s; kg·m/s].

    Raises:
        StateError: A wrong shape, a number that is not finite, a quaternion that is not of length one.
    """
