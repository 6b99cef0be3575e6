"""Positions, velocities, accelerations, forces and matrices between our convention and another's.

Velocities are u = T(q) v, so accelerations are u̇ = T v̇ + r with r = Ṫ v. Power is the same in both, so

    τ_u = T⁻ᵀ τ,     M_u = T⁻ᵀ M T⁻¹,     h_u = T⁻ᵀ (h - M T⁻¹ r)

If a linear velocity is given in the child's axes, r is not zero: d/dt (Rᵀ ṗ) = Rᵀ p̈ - ω_c × v_c. Omitting it is a
common error. The joints' order is the model's; build the model in the other engine's order
(`Mechanism.build(joint_order)`). Every function takes one state; T is (nv, nv).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ipc_articulation import spatial
from ipc_articulation.arrays import Array
from ipc_articulation.dynamics import arguments
from ipc_articulation.dynamics.algorithms.bad_states import one_state
from ipc_articulation.dynamics.conventions.attitudes import angular_map, read, size, write
from ipc_articulation.dynamics.conventions.convention import NIMBLE, Attitude, Axes, Convention
from ipc_articulation.dynamics.joints import FloatingJoint, SphericalJoint
from ipc_articulation.errors import StateError

if TYPE_CHECKING:
    from ipc_articulation.dynamics.model.model import Model


class VelocityMap(NamedTuple):
    """u = T v and u̇ = T v̇ + r."""

    T: Array  # (nv, nv)
    r: Array  # (nv,)


def position_to(convention: Convention, model: Model, q: ArrayLike) -> Array:
    """Our position in another engine's convention: (nq,) -> (its number,).

    Raises:
        StateError: A wrong length, a number that is not finite, a quaternion that is not of length one.
    """
    q = one_state(model, "q", q)
    x = np.concatenate([np.zeros(0), *(way.write(convention, q[at]) for way, at, _ in _joints(model))])
    return x[_order(convention, model)]


def position_from(convention: Convention, model: Model, numbers: ArrayLike) -> Array:
    """Another engine's position in our convention: (its number,) -> (nq,).

    Raises:
        StateError: A wrong length, a number that is not finite, a quaternion that is not of length one.
    """
    joints = [(way, way.size(convention, at.stop - at.start)) for way, at, _ in _joints(model)]
    name, count = f"{convention.name}'s position", sum(size for _, size in joints)
    given = arguments.numbers(name, numbers)
    if given.shape != (count,):
        raise StateError(f"{name} has shape {given.shape}; give ({count},)")
    x = np.empty(count)
    x[_order(convention, model)] = given
    parts = np.split(x, np.cumsum([size for _, size in joints])[:-1])
    q = np.concatenate([np.zeros(0), *(way.read(convention, y) for (way, _), y in zip(joints, parts, strict=True))])
    return one_state(model, "q", q, name)


def velocity_map(convention: Convention, model: Model, q: ArrayLike, v: ArrayLike) -> VelocityMap:
    """T and r at a state: (nq,), (nv,).

    Raises:
        StateError: As for positions, or angles that are singular.
    """
    q, v = one_state(model, "q", q), one_state(model, "v", v)
    T, r = np.eye(model.nv), np.zeros(model.nv)
    for way, at_q, at in _joints(model):
        T[at, at], r[at] = way.velocity_map(convention, q[at_q], v[at])
    order = _order(convention, model)
    return VelocityMap(T[order], r[order])


def velocity_to(convention: Convention, model: Model, q: ArrayLike, v: ArrayLike) -> Array:
    """Velocity in the other convention, u = T v, (nv,)."""
    return velocity_map(convention, model, q, v).T @ arguments.numbers("v", v)


def velocity_from(convention: Convention, model: Model, q: ArrayLike, u: ArrayLike) -> Array:
    """Our velocity, v = T⁻¹ u, (nv,), at our position q."""
    T = velocity_map(convention, model, q, np.zeros(model.nv)).T
    return _solve(T, one_state(model, "v", u, "velocity"))


def acceleration_to(convention: Convention, model: Model, q: ArrayLike, v: ArrayLike, a: ArrayLike) -> Array:
    """Acceleration in the other convention, u̇ = T v̇ + r, (nv,)."""
    T, r = velocity_map(convention, model, q, v)
    return T @ one_state(model, "a", a) + r


def acceleration_from(convention: Convention, model: Model, q: ArrayLike, v: ArrayLike, u_dot: ArrayLike) -> Array:
    """Our acceleration, v̇ = T⁻¹ (u̇ - r), (nv,), at our q and v."""
    T, r = velocity_map(convention, model, q, v)
    return _solve(T, one_state(model, "a", u_dot, "acceleration") - r)


def force_to(convention: Convention, model: Model, q: ArrayLike, tau: ArrayLike) -> Array:
    """Generalised force in the other convention, τ_u = T⁻ᵀ τ, (nv,)."""
    T = velocity_map(convention, model, q, np.zeros(model.nv)).T
    return _solve(T.T, one_state(model, "tau", tau))


def force_from(convention: Convention, model: Model, q: ArrayLike, tau_u: ArrayLike) -> Array:
    """Our generalised force, τ = Tᵀ τ_u, (nv,)."""
    return velocity_map(convention, model, q, np.zeros(model.nv)).T.T @ one_state(model, "tau", tau_u, "force")


def mass_matrix_to(convention: Convention, model: Model, q: ArrayLike, M: ArrayLike) -> Array:
    """Mass matrix in the other convention, M_u = T⁻ᵀ M T⁻¹, (nv, nv)."""
    inverse = np.linalg.inv(velocity_map(convention, model, q, np.zeros(model.nv)).T)
    return inverse.T @ one_state(model, "matrix", M, "M") @ inverse


def bias_to(convention: Convention, model: Model, q: ArrayLike, v: ArrayLike, M: ArrayLike, h: ArrayLike) -> Array:
    """Bias forces in the other convention, h_u = T⁻ᵀ (h - M T⁻¹ r), (nv,)."""
    T, r = velocity_map(convention, model, q, v)
    return _solve(T.T, one_state(model, "tau", h, "h") - one_state(model, "matrix", M, "M") @ _solve(T, r))


def _solve(A: Array, b: Array) -> Array:
    return np.asarray(np.linalg.solve(A, b), dtype=float)


class _Way(NamedTuple):
    """The functions that convert one kind of joint."""

    size: Callable[[Convention, int], int]  # of its position, from ours
    write: Callable[[Convention, Array], Array]  # position
    read: Callable[[Convention, Array], Array]
    velocity_map: Callable[[Convention, Array, Array], tuple[Array, Array]]  # T and r at q and v


def _joints(model: Model) -> list[tuple[_Way, slice, slice]]:
    """For each joint and loop, in order, its conversion functions and its position and velocity coordinates."""
    parts = [(_AS_OURS, loop.x, loop.y) for loop in model.loops]
    for at in model.closure.free:
        way = _WAYS.get(type(model.bodies[at.joint].joint), _AS_OURS)
        parts.append((way, slice(at.x.start, at.x.stop), slice(at.y.start, at.y.stop)))
    return sorted(parts, key=lambda part: part[1].start)


def _order(convention: Convention, model: Model) -> Sequence[int] | slice:
    """Of each of the engine's coordinates its place in the model's order; nimble has those of OpenSim in the file's."""
    if convention is not NIMBLE:
        return slice(None)
    places = {name: place for place, name in enumerate(model.defaults)}
    return sorted(range(model.nv), key=lambda i: places.get(model.dof_names[i], len(places)))


def _floating_size(convention: Convention, ours: int) -> int:
    attitude = convention.floating_attitude or convention.attitude
    return size(attitude) + (0 if attitude is Attitude.MATRIX else 3)


def _floating_to(convention: Convention, q: Array) -> Array:
    attitude, p, quaternion = convention.floating_attitude or convention.attitude, q[:3], q[3:]
    if attitude is Attitude.MATRIX:
        return spatial.pose(spatial.rotation_from_quaternion(quaternion), p).ravel()
    rotation = write(attitude, quaternion)
    return np.concatenate([rotation, p] if convention.rotation_first else [p, rotation])


def _floating_from(convention: Convention, part: Array) -> Array:
    attitude = convention.floating_attitude or convention.attitude
    if attitude is Attitude.MATRIX:
        H = part.reshape(4, 4)
        if not np.allclose(H @ spatial.inverse(H), np.eye(4), rtol=0.0, atol=arguments.UNIT) or np.linalg.det(H) < 0.0:
            raise StateError(f"{convention.name}'s position: H = {H.tolist()} is no rigid motion; give [R p; 0 0 0 1]")
        return np.concatenate([H[:3, 3], spatial.quaternion_from_rotation(H[:3, :3])])
    if convention.rotation_first:
        return np.concatenate([part[-3:], read(attitude, part[:-3])])
    return np.concatenate([part[:3], read(attitude, part[3:])])


def _floating_map(convention: Convention, q: Array, v: Array) -> tuple[Array, Array]:
    """T (6, 6) and r (6,) of a floating joint."""
    attitude, quaternion = convention.floating_attitude or convention.attitude, q[3:]
    angular, angular_rate = angular_map(attitude, convention.floating_angular or convention.angular, quaternion, v[3:])
    linear, linear_rate = np.eye(3), np.zeros(3)
    if convention.linear is Axes.CHILD:
        linear = spatial.rotation_from_quaternion(quaternion).T
        linear_rate = -linear @ np.cross(v[3:], v[:3])
    first, second = (slice(3, 6), slice(0, 3)) if convention.angular_first else (slice(0, 3), slice(3, 6))
    T, r = np.zeros((6, 6)), np.zeros(6)
    T[first, :3], T[second, 3:], r[first], r[second] = linear, angular, linear_rate, angular_rate
    return T, r


_AS_OURS = _Way(
    lambda _, ours: ours, lambda _, q: q, lambda _, q: q, lambda _, q, v: (np.eye(len(v)), np.zeros(len(v)))
)
_WAYS: dict[type, _Way] = {
    FloatingJoint: _Way(_floating_size, _floating_to, _floating_from, _floating_map),
    SphericalJoint: _Way(
        lambda to, _: size(to.attitude),
        lambda to, q: write(to.attitude, q),
        lambda to, x: read(to.attitude, x),
        lambda to, q, v: angular_map(to.attitude, to.angular, q, v),
    ),
}
