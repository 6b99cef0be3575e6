"""Affine-body coordinates.

An affine body maps a point x̄ of its local frame to the world by x = A x̄ + p. Its coordinates are the twelve numbers

    q = (p, a₁, a₂, a₃),   aₖ the rows of A,   so   x = J(x̄) q,   J(x̄) = [I₃ | I₃ ⊗ x̄ᵀ]

(Lan et al. 2022, «Affine body dynamics», and libuipc's affine-body specification). All functions accept arrays with any
leading axes. Lengths are in metres, and transforms are 4x4 matrices that act on column vectors.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ipc_articulation.arrays import Array

DOF = 12  # coordinates of a body
PAIR_DOF = 2 * DOF  # of two bodies


def q_from_transform(transform: ArrayLike) -> Array:
    """Coordinates of a transform: (..., 4, 4) -> (..., 12)."""
    T = np.asarray(transform, dtype=float)
    A = T[..., :3, :3].reshape(*T.shape[:-2], 9)
    return np.concatenate([T[..., :3, 3], A], axis=-1)


def transform_from_q(q: ArrayLike) -> Array:
    """Transform of coordinates: (..., 12) -> (..., 4, 4)."""
    T = _embed(q)
    T[..., 3, 3] = 1.0
    return T


def qdot_from_transform_rate(rate: ArrayLike) -> Array:
    """Coordinate velocity q̇ of the time derivative of a transform, libuipc's `velocity`: (..., 4, 4) -> (..., 12)."""
    return q_from_transform(rate)


def transform_rate_from_qdot(qdot: ArrayLike) -> Array:
    """Time derivative of the transform, its last row zero: (..., 12) -> (..., 4, 4)."""
    return _embed(qdot)


def jacobian(points: ArrayLike) -> Array:
    """J(x̄), the derivative of a world point by q: local points (..., 3) [m] -> (..., 3, 12)."""
    x = np.asarray(points, dtype=float)
    J = np.zeros((*x.shape[:-1], 3, DOF))
    for axis in range(3):
        J[..., axis, axis] = 1.0
        J[..., axis, 3 + 3 * axis : 6 + 3 * axis] = x
    return J


def world_points(q: ArrayLike, points: ArrayLike) -> Array:
    """World positions of local points: q (..., 12), points (..., n, 3) [m] -> (..., n, 3) [m]."""
    q = np.asarray(q, dtype=float)
    A = linear_part(q)
    return np.asarray(points, dtype=float) @ np.swapaxes(A, -1, -2) + q[..., None, :3]


def linear_part(q: ArrayLike) -> Array:
    """The matrix A of coordinates: (..., 12) -> (..., 3, 3)."""
    q = np.asarray(q, dtype=float)
    return q[..., 3:].reshape(*q.shape[:-1], 3, 3)


def qdot_from_twist(q: ArrayLike, linear: ArrayLike, angular: ArrayLike) -> Array:
    """q̇ of a rigid motion.

    ṗ = v and Ȧ = [ω]ₓ A.

    Args:
        q: Coordinates, (..., 12).
        linear: Velocity v of the body's origin in the world frame, (..., 3) [m/s].
        angular: Angular velocity ω in the world frame, (..., 3) [rad/s].

    Returns:
        (..., 12).
    """
    v, w = np.asarray(linear, dtype=float), np.asarray(angular, dtype=float)
    rate = np.cross(w[..., None, :], np.swapaxes(linear_part(q), -1, -2))  # columns of A, each turned by ω
    A_dot = np.swapaxes(rate, -1, -2)
    return np.concatenate([v, A_dot.reshape(*A_dot.shape[:-2], 9)], axis=-1)


def twist_from_qdot(q: ArrayLike, qdot: ArrayLike) -> tuple[Array, Array]:
    """The rigid part of an affine velocity: (v, ω) of the body's origin in the world frame, (..., 3) each.

    ω is the axial vector of the skew part of Ȧ A⁻¹, the inverse of `qdot_from_twist` where q is a rigid pose.
    """
    qdot = np.asarray(qdot, dtype=float)
    W = linear_part(qdot) @ np.linalg.inv(linear_part(q))
    W = 0.5 * (W - np.swapaxes(W, -1, -2))
    return qdot[..., :3].copy(), np.stack([W[..., 2, 1], W[..., 0, 2], W[..., 1, 0]], axis=-1)


def mass_matrix(mass: ArrayLike, first_moment: ArrayLike, second_moment: ArrayLike) -> Array:
    """The 12x12 mass matrix M = ∫ρ JᵀJ dV of a body's dyadic mass.

    M = [[m I₃, I₃ ⊗ sᵀ], [I₃ ⊗ s, I₃ ⊗ S]]  (libuipc's affine-body specification)

    Args:
        mass: m = ∫ρ dV, (...) [kg].
        first_moment: s = ∫ρ x̄ dV, (..., 3) [kg·m].
        second_moment: S = ∫ρ x̄x̄ᵀ dV, (..., 3, 3) [kg·m²].

    Returns:
        (..., 12, 12).
    """
    m, s, S = (np.asarray(a, dtype=float) for a in (mass, first_moment, second_moment))
    M = np.zeros((*m.shape, DOF, DOF))
    for k in range(3):
        rows = slice(3 + 3 * k, 6 + 3 * k)
        M[..., k, k] = m
        M[..., k, rows] = s
        M[..., rows, k] = s
        M[..., rows, rows] = S
    return M


def mass_matrix_from_inertia(mass: float, center: ArrayLike, inertia: ArrayLike) -> Array:
    """The 12x12 mass matrix of a rigid body.

    The second moment about the centre is ½tr(I)·1 - I, then the parallel-axis term m·c cᵀ.

    Args:
        mass: m [kg].
        center: Centre of mass c in the body's frame, (3,) [m].
        inertia: Inertia about the centre of mass, in the body's axes, (3, 3) [kg·m²].

    Returns:
        (12, 12).
    """
    c, inertia = np.asarray(center, dtype=float), np.asarray(inertia, dtype=float)
    S = 0.5 * np.trace(inertia) * np.eye(3) - inertia + mass * np.outer(c, c)
    return mass_matrix(mass, mass * c, S)


def nearest_rigid(q: ArrayLike) -> Array:
    """Coordinates of the rigid pose nearest in the Frobenius norm: A becomes the rotation of its polar decomposition.

    (..., 12) -> (..., 12). A reflection is never returned: the smallest singular direction is flipped instead.
    """
    q = np.array(q, dtype=float)
    U, _, Vt = np.linalg.svd(linear_part(q))
    U[..., :, 2] *= np.linalg.det(U @ Vt)[..., None]
    q[..., 3:] = (U @ Vt).reshape(*q.shape[:-1], 9)
    return q


def _embed(q: ArrayLike) -> Array:
    q = np.asarray(q, dtype=float)
    T = np.zeros((*q.shape[:-1], 4, 4))
    T[..., :3, 3] = q[..., :3]
    T[..., :3, :3] = linear_part(q)
    return T
