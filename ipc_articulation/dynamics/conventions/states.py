"""Positions, velocities, accelerations, forces and matrices between our convention and another's.

Velocities are u = T(q) v, so accelerations are u̇ = T v̇ + r with r = Ṫ v, and because power is the same for all,

    τ_u = T⁻ᵀ τ,     M_u = T⁻ᵀ M T⁻¹,     h_u = T⁻ᵀ (h - M T⁻¹ r)

r is not zero where a linear velocity is given in the child's axes: d/dt (Rᵀ ṗ) = Rᵀ p̈ - ω_c × v_c. To forget it is the
classic error. The joints' order is the model's: build it with the other engine's (`Mechanism.build(joint_order)`).
Every function takes one state; T is (nv, nv).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ipc_articulation import spatial
from ipc_articulation.arrays import Array
from ipc_articulation.dynamics.conventions.attitudes import angular_map, read, size, write
from ipc_articulation.dynamics.conventions.convention import Attitude, Axes, Convention
from ipc_articulation.dynamics.joints import FloatingJoint, SphericalJoint
from ipc_articulation.errors import StateError

if TYPE_CHECKING:
    from ipc_articulation.dynamics.model.model import Model


class VelocityMap(NamedTuple):
    """u = T v and u̇ = T v̇ + r."""

    T: Array  # (nv, nv)
    r: Array  # (nv,)


def position_to(convention: Convention, model: Model, q: ArrayLike) -> Array:
    """Our position as another engine writes it: (nq,) -> (its number,).

    Raises:
        StateError: A wrong length.
    """
    q, parts = _vector(q, model.nq, "q"), [np.zeros(0)]
    for joint, at, _ in _joints(model):
        part = q[at]
        if isinstance(joint, FloatingJoint):
            part = _floating_to(convention, part[:3], part[3:])
        elif isinstance(joint, SphericalJoint):
            part = write(convention.attitude, part)
        parts.append(part)
    return np.concatenate(parts)


def position_from(convention: Convention, model: Model, numbers: ArrayLike) -> Array:
    """Another engine's position as ours: (its number,) -> (nq,).

    Raises:
        StateError: A wrong length.
    """
    counts = [_count(convention, joint) for joint, *_ in _joints(model)]
    x = _vector(numbers, sum(counts), f"{convention.name}'s position")
    parts = [np.zeros(0)]
    for (joint, *_), part in zip(_joints(model), np.split(x, np.cumsum(counts)[:-1]), strict=True):
        if isinstance(joint, FloatingJoint):
            part = _floating_from(convention, part)
        elif isinstance(joint, SphericalJoint):
            part = read(convention.attitude, part)
        parts.append(part)
    return np.concatenate(parts)


def velocity_map(convention: Convention, model: Model, q: ArrayLike, v: ArrayLike) -> VelocityMap:
    """T and r at a state: (nq,), (nv,).

    Raises:
        StateError: A wrong length, or angles that are singular.
    """
    q, v = _vector(q, model.nq, "q"), _vector(v, model.nv, "v")
    T, r = np.eye(model.nv), np.zeros(model.nv)
    for joint, at_q, at in _joints(model):
        if isinstance(joint, SphericalJoint):
            T[at, at], r[at] = angular_map(convention.attitude, convention.angular, q[at_q], v[at])
        elif isinstance(joint, FloatingJoint):
            T[at, at], r[at] = _floating_map(convention, q[at_q][3:], v[at])
    return VelocityMap(T, r)


def velocity_to(convention: Convention, model: Model, q: ArrayLike, v: ArrayLike) -> Array:
    """Velocity in the other convention, u = T v, (nv,)."""
    return velocity_map(convention, model, q, v).T @ np.asarray(v, dtype=float)


def velocity_from(convention: Convention, model: Model, q: ArrayLike, u: ArrayLike) -> Array:
    """Our velocity, v = T⁻¹ u, (nv,), at our position q."""
    T = velocity_map(convention, model, q, np.zeros(model.nv)).T
    return _solve(T, _vector(u, model.nv, "velocity"))


def acceleration_to(convention: Convention, model: Model, q: ArrayLike, v: ArrayLike, a: ArrayLike) -> Array:
    """Acceleration in the other convention, u̇ = T v̇ + r, (nv,)."""
    T, r = velocity_map(convention, model, q, v)
    return T @ _vector(a, model.nv, "a") + r


def acceleration_from(convention: Convention, model: Model, q: ArrayLike, v: ArrayLike, u_dot: ArrayLike) -> Array:
    """Our acceleration, v̇ = T⁻¹ (u̇ - r), (nv,), at our q and v."""
    T, r = velocity_map(convention, model, q, v)
    return _solve(T, _vector(u_dot, model.nv, "acceleration") - r)


def force_to(convention: Convention, model: Model, q: ArrayLike, tau: ArrayLike) -> Array:
    """Generalised force in the other convention, τ_u = T⁻ᵀ τ, (nv,)."""
    T = velocity_map(convention, model, q, np.zeros(model.nv)).T
    return _solve(T.T, _vector(tau, model.nv, "tau"))


def force_from(convention: Convention, model: Model, q: ArrayLike, tau_u: ArrayLike) -> Array:
    """Our generalised force, τ = Tᵀ τ_u, (nv,)."""
    return velocity_map(convention, model, q, np.zeros(model.nv)).T.T @ _vector(tau_u, model.nv, "force")


def mass_matrix_to(convention: Convention, model: Model, q: ArrayLike, M: ArrayLike) -> Array:
    """Mass matrix in the other convention, M_u = T⁻ᵀ M T⁻¹, (nv, nv)."""
    inverse = np.linalg.inv(velocity_map(convention, model, q, np.zeros(model.nv)).T)
    return inverse.T @ np.asarray(M, dtype=float) @ inverse


def bias_to(convention: Convention, model: Model, q: ArrayLike, v: ArrayLike, M: ArrayLike, h: ArrayLike) -> Array:
    """Bias forces in the other convention, h_u = T⁻ᵀ (h - M T⁻¹ r), (nv,)."""
    T, r = velocity_map(convention, model, q, v)
    return _solve(T.T, _vector(h, model.nv, "h") - np.asarray(M, dtype=float) @ _solve(T, r))


def _solve(A: Array, b: Array) -> Array:
    return np.asarray(np.linalg.solve(A, b), dtype=float)


def _joints(model: Model) -> Iterator[tuple[object, slice, slice]]:
    """Each joint with its position and velocity coordinates."""
    for i, body in enumerate(model.bodies):
        at_q, at_v = model.body_q[i : i + 2], model.body_v[i : i + 2]
        yield body.joint, slice(*at_q.tolist()), slice(*at_v.tolist())


def _count(convention: Convention, joint: object) -> int:
    if isinstance(joint, FloatingJoint):
        attitude = convention.floating_attitude or convention.attitude
        return size(attitude) + (0 if attitude is Attitude.MATRIX else 3)
    return size(convention.attitude) if isinstance(joint, SphericalJoint) else joint.nq  # type: ignore[attr-defined]


def _floating_to(convention: Convention, p: Array, quaternion: Array) -> Array:
    attitude = convention.floating_attitude or convention.attitude
    if attitude is Attitude.MATRIX:
        return spatial.pose(spatial.rotation_from_quaternion(quaternion), p).ravel()
    rotation = write(attitude, quaternion)
    return np.concatenate([rotation, p] if convention.rotation_first else [p, rotation])


def _floating_from(convention: Convention, part: Array) -> Array:
    attitude = convention.floating_attitude or convention.attitude
    if attitude is Attitude.MATRIX:
        H = part.reshape(4, 4)
        return np.concatenate([H[:3, 3], spatial.quaternion_from_rotation(H[:3, :3])])
    if convention.rotation_first:
        return np.concatenate([part[-3:], read(attitude, part[:-3])])
    return np.concatenate([part[:3], read(attitude, part[3:])])


def _floating_map(convention: Convention, quaternion: Array, v: Array) -> tuple[Array, Array]:
    """T (6, 6) and r (6,) of a floating joint."""
    attitude = convention.floating_attitude or convention.attitude
    angular, angular_rate = angular_map(attitude, convention.floating_angular or convention.angular, quaternion, v[3:])
    linear, linear_rate = np.eye(3), np.zeros(3)
    if convention.linear is Axes.CHILD:
        linear = spatial.rotation_from_quaternion(quaternion).T
        linear_rate = -linear @ np.cross(v[3:], v[:3])
    first, second = (slice(3, 6), slice(0, 3)) if convention.angular_first else (slice(0, 3), slice(3, 6))
    T, r = np.zeros((6, 6)), np.zeros(6)
    T[first, :3], T[second, 3:], r[first], r[second] = linear, angular, linear_rate, angular_rate
    return T, r


def _vector(value: ArrayLike, count: int, what: str) -> Array:
    x = np.asarray(value, dtype=float)
    if x.shape != (count,):
        raise StateError(f"{what} has shape {x.shape}; give ({count},)")
    return x
