"""One joint of either kind as a function of the affine coordinates of its two bodies.

A joint sees q = (qᵢ, qⱼ) only through four world vectors F, a row each: the two vectors of the joint in the left body,
then in the right one (`joints.Joints`). With the local vector v̄ in homogeneous coordinates (v̄, w), w = 1 for points,

    v = A v̄ + w p,

linear in q. So derivatives are taken in F's twelve numbers (`revolute`, `prismatic`) and carried to q's 24 by the
constant matrix ∂F/∂q, which is never formed.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from ipc_articulation.articulation import prismatic, revolute
from ipc_articulation.articulation.joints import REVOLUTE

Array = NDArray[np.float64]


@njit(cache=True)
def world_vectors(local: Array, q_i: Array, q_j: Array) -> Array:
    """F (4, 3) of the joint's local vectors (4, 4) and the two bodies' coordinates (12,)."""
    F = np.empty((4, 3))
    for v in range(4):
        q = q_i if v < 2 else q_j
        for a in range(3):
            row = 3 + 3 * a
            F[v, a] = local[v, 3] * q[a]
            for k in range(3):
                F[v, a] += local[v, k] * q[row + k]
    return F


@njit(cache=True)
def coordinate(kind: int, F: Array) -> tuple[float, float]:
    """What θ is made of: (C, S) of a revolute joint, (θ, 0) of a prismatic one."""
    if kind == REVOLUTE:
        return revolute.cos_sin(F)
    return prismatic.displacement(F), 0.0


@njit(cache=True)
def theta(kind: int, coord: tuple[float, float]) -> float:
    """θ [rad in (-π, π], or m] of a `coordinate`."""
    if kind == REVOLUTE:
        return np.arctan2(coord[1], coord[0])
    return coord[0]


@njit(cache=True)
def theta_of_joints(kind: Array, bodies: Array, local: Array, q: Array) -> Array:
    """θ (m,) of many joints: kinds (m,), pairs of bodies (m, 2) and local vectors (m, 4, 4), at q (n, 12)."""
    values = np.empty(len(kind))
    for k in range(len(kind)):
        F = world_vectors(local[k], q[bodies[k, 0]], q[bodies[k, 1]])
        values[k] = theta(kind[k], coordinate(kind[k], F))
    return values


@njit(cache=True)
def delta_theta(kind: int, coord: tuple[float, float], coord_ref: tuple[float, float]) -> float:
    """δθ [rad in (-π, π], or m] from the reference's `coordinate` to this one."""
    if kind == REVOLUTE:
        return revolute.angle_from(coord[0], coord[1], coord_ref[0], coord_ref[1])
    return coord[0] - coord_ref[0]


@njit(cache=True)
def derivatives(kind: int, local: Array, F: Array, weight: float, project: bool, g: Array, H: Array) -> None:
    """∂δθ/∂q, and weight·∂²δθ/∂q²: exact, or its projection in the space of F, positive semidefinite.

    Args:
        kind: Of the joint.
        local: Its local vectors, (4, 4).
        F: Its world vectors, (4, 3).
        weight: Factor of the second derivative.
        project: Whether to project.
        g: Receives the first derivative, (24,): twelve numbers for the left body, then twelve for the right one.
        H: Receives the second, (24, 24).
    """
    G, by_F = np.empty(12), np.empty((12, 12))
    if kind == REVOLUTE:
        revolute.derivatives(F, weight, project, G, by_F)
    else:
        prismatic.derivatives(F, weight, project, G, by_F)
    g[:] = 0.0
    _add_to_q(local, G, g)
    _hessian_to_q(local, by_F, H)


@njit(cache=True)
def _hessian_to_q(local: Array, H: Array, full: Array) -> None:
    """Write (∂F/∂q)ᵀ H (∂F/∂q), H (12, 12), into full (24, 24).

    Columns first, then whole rows, which vectorise: halves the time of `ArticulationEnergy.linearize`.
    """
    half = np.zeros((12, 24))
    full[:] = 0.0
    for row in range(12):
        _add_to_q(local, H[row], half[row])
    for v in range(4):
        body = 12 * (v // 2)
        for a in range(3):
            source = half[3 * v + a]
            _add_scaled(full[body + a], local[v, 3], source)
            for k in range(3):
                _add_scaled(full[body + 3 + 3 * a + k], local[v, k], source)


@njit(cache=True)
def _add_scaled(target: Array, factor: float, source: Array) -> None:
    if factor != 0.0:
        for column in range(24):
            target[column] += factor * source[column]


@njit(cache=True)
def _add_to_q(local: Array, G: Array, g: Array) -> None:
    """Add (∂F/∂q)ᵀ G, G (12,), to g (24,)."""
    for v in range(4):
        body = 12 * (v // 2)
        for a in range(3):
            row = body + 3 + 3 * a
            g[body + a] += local[v, 3] * G[3 * v + a]
            for k in range(3):
                g[row + k] += local[v, k] * G[3 * v + a]
