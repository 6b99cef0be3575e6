"""Motion on the configuration manifold: a displacement rotates quaternions and is added to all other coordinates.

In robots with loops this holds for the independent coordinates. The dependent ones follow, and loops stay closed.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from ipc_articulation.arguments import COUNT, optional, refuse_unwanted
from ipc_articulation.arrays import Array
from ipc_articulation.dynamics.algorithms.bad_states import checked, leading_axes, states
from ipc_articulation.dynamics.algorithms.manifold_with_loops import joint_by_joint, random_state
from ipc_articulation.dynamics.algorithms.turning import move, part
from ipc_articulation.dynamics.arguments import finite_number, require
from ipc_articulation.dynamics.joints.elements import Rotation
from ipc_articulation.dynamics.model.model import Model
from ipc_articulation.errors import StateError

_ROTATION = Rotation()


def integrate(model: Model, q: ArrayLike, v: ArrayLike, dt: float = 1.0) -> Array:
    """The position after moving with a constant velocity for dt [s]: (..., nq), (..., nv) -> (..., nq).

    A quaternion becomes exp(dt ω) q, of length one. A negative dt moves back.

    Raises:
        StateError: A wrong shape, a number that is not finite, a quaternion that is not of length one.
    """
    q, v = states(model, q=q, v=v)
    return moved(model, q, finite_number("dt", dt) * v)


def difference(model: Model, q0: ArrayLike, q1: ArrayLike) -> Array:
    """The velocity that takes q0 to q1 in unit time: (..., nq), (..., nq) -> (..., nv).

    Raises:
        StateError: A wrong shape, a number that is not finite, a quaternion that is not of length one.
    """
    q0, q1 = checked(model, "q", q0, "q0"), checked(model, "q", q1, "q1")
    leading_axes(("q0", "q1"), [q0.shape[:-1], q1.shape[:-1]])
    return displacement(model, q0, q1)


def rate(model: Model, q: ArrayLike, v: ArrayLike) -> Array:
    """q̇: v itself, and ½ (0, ω) q for a quaternion: (..., nq), (..., nv) -> (..., nq).

    Raises:
        StateError: A wrong shape, a number that is not finite, a quaternion that is not of length one.
    """
    q, v = states(model, q=q, v=v)
    return coordinate_rate(model, q, v)


def normalised(model: Model, q: ArrayLike) -> Array:
    """The position with all quaternions of length one and all loops closed: (..., nq) -> (..., nq).

    Raises:
        StateError: A wrong shape, a number that is not finite, a quaternion that is zero, a loop that cannot be closed.
    """
    result = np.array(checked(model, "q", q, unit=False))
    if model.loops:
        return joint_by_joint(model, normalised, lambda c, x: c.closed(x), "q", q=result)
    for at_q, _ in model.rotations:
        length = np.linalg.norm(result[..., at_q], axis=-1, keepdims=True)
        if not length.all():
            name = model.q_names[at_q.start].split("[")[0]
            raise StateError(f"q: the quaternion of joint '{name}' is zero; give (w, x, y, z)")
        result[..., at_q] /= length
    return result


def moved(model: Model, q: Array, step: Array) -> Array:
    """`integrate` by a displacement dt v, without checks of the arguments."""
    if model.loops:
        return joint_by_joint(model, moved, lambda c, x, y_dot: c.integrate(x, y_dot, 1.0), "q", q=q, v=step)
    if not model.rotations:
        return q + step
    return _compiled(model, move, q, step, model.nq)


def displacement(model: Model, q0: Array, q1: Array) -> Array:
    """`difference` without checks of the arguments."""
    if model.loops:
        return joint_by_joint(model, displacement, lambda c, x0, x1: c.difference(x0, x1), "v", q0=q0, q1=q1)
    if not model.rotations:
        return q1 - q0
    return _compiled(model, part, q0, q1, model.nv)


def _compiled(model: Model, kernel: Callable[..., None], first: Array, second: Array, size: int) -> Array:
    """The result (..., size) of a kernel of `turning.py` for states with any leading axes."""
    leading, states = first.shape[:-1], [first, second]
    if second.shape[:-1] != leading:
        leading = np.broadcast_shapes(leading, second.shape[:-1])
        states = [np.broadcast_to(x, (*leading, x.shape[-1])) for x in states]
    result = np.empty((*leading, size))
    flat = (np.array(x).reshape(-1, x.shape[-1]) for x in states)  # of one type, whatever their strides are
    kernel((model.plain_q, model.plain_v), model.turning, *flat, result.reshape(-1, size))
    return result


def coordinate_rate(model: Model, q: Array, v: Array) -> Array:
    """`rate` without checks of the arguments."""
    if model.loops:
        return joint_by_joint(model, coordinate_rate, lambda c, x, y_dot: c.rate(x, y_dot), "q", q=q, v=v)
    if not model.rotations:
        return np.broadcast_to(v, (*np.broadcast_shapes(q.shape[:-1], v.shape[:-1]), model.nv)).copy()
    result = np.empty((*np.broadcast_shapes(q.shape[:-1], v.shape[:-1]), model.nq))
    result[..., model.plain_q] = v[..., model.plain_v]
    for at_q, at_v in model.rotations:
        result[..., at_q] = _ROTATION.rate(q[..., at_q], v[..., at_v])
    return result


def random_position(model: Model, rng: np.random.Generator, count: int | None = None) -> Array:
    """Random positions, uniform between the limits; quaternions are uniform over all rotations.

    A coordinate without limits is drawn between -π and π [rad or m]. Independent coordinates of loops are drawn between
    -1 and 1, whatever their limits are, until the loop can be closed.

    Args:
        model: The model.
        rng: The random number generator.
        count: Number of positions; None: one, without a leading axis.

    Returns:
        (nq,) or (count, nq).

    Raises:
        StateError: The generator is none, the count is no whole number, or no position was found at which a loop is
            closed.
    """
    require("model", model, Model)
    require("rng", rng, np.random.Generator)
    refuse_unwanted("count", count, optional(COUNT), StateError)
    if model.loops:
        states = [random_state(model, random_position, rng) for _ in range(1 if count is None else count)]
        return states[0] if count is None else np.array(states).reshape(count, model.nq)
    leading = () if count is None else (count,)
    c = model.coordinates
    bounded = np.isfinite(c.lower) & np.isfinite(c.upper)
    low, high = np.where(bounded, c.lower, -np.pi), np.where(bounded, c.upper, np.pi)
    q = np.empty((*leading, model.nq))
    q[..., model.plain_q] = rng.uniform(low, high, (*leading, model.nv))[..., model.plain_v]
    for at_q, _ in model.rotations:
        q[..., at_q] = rng.normal(size=(*leading, 4))
    return normalised(model, q)
