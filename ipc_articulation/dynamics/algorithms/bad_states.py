"""Arguments that no algorithm can work on, and the errors that name them."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ipc_articulation.arrays import Array
from ipc_articulation.dynamics.arguments import LARGEST, numbers, require, require_unit
from ipc_articulation.dynamics.model.model import Model
from ipc_articulation.errors import StateError


def converted(model: Model, kind: str, x: ArrayLike, name: str = "") -> Array:
    """A state array as float64.

    Args:
        model: The model.
        kind: The kind of array, a key of `Model.shapes`.
        x: The array.
        name: Its name in messages; empty: `kind`.

    Raises:
        StateError: It is no array of numbers, or its last axes do not fit the model.
    """
    name, array = name or kind, numbers(name or kind, x)
    try:
        core = model.shapes[kind]
    except AttributeError:
        require("model", model, Model)
        raise
    if array.ndim < len(core) or array.shape[array.ndim - len(core) :] != core:
        needed = ", ".join(map(str, core))
        raise StateError(
            f"{name} has shape {array.shape}, but model '{model.name}' (nq = {model.nq}, nv = {model.nv}) "
            f"needs ({needed}) or (..., {needed})"
        )
    return array


def checked(model: Model, kind: str, x: ArrayLike, name: str = "", unit: bool = True) -> Array:
    """A state array as float64, of the right shape, finite, with quaternions of length one.

    Args:
        model: The model.
        kind: The kind of array, a key of `Model.shapes`.
        x: The array.
        name: Its name in messages; empty: `kind`.
        unit: Whether quaternions must be of length one.

    Raises:
        StateError: One of these conditions does not hold; the message names the place.
    """
    array = converted(model, kind, x, name)
    if not np.vdot(array, array) <= LARGEST**2:
        complain(model, [kind], [array.reshape(-1, *model.shapes[kind])], name, unit)
    elif unit and kind == "q":
        _check_quaternions(model, array, name or kind)
    return array


def one_state(model: Model, kind: str, x: ArrayLike, name: str = "") -> Array:
    """The same for one state, without leading axes; the arguments are those of `converted`.

    Raises:
        StateError: The array is not valid, or has leading axes.
    """
    array = checked(model, kind, x, name)
    if array.shape != model.shapes[kind]:
        raise StateError(f"{name or kind} has shape {array.shape}; give one state, {model.shapes[kind]}, and no batch")
    return array


def states(model: Model, **arrays: ArrayLike) -> list[Array]:
    """Arrays of states, each checked by `checked` as the kind that its keyword names.

    Raises:
        StateError: An array is not valid, or their batches do not fit together.
    """
    good = [checked(model, kind, x) for kind, x in arrays.items()]
    leading_axes(list(arrays), [x.shape[:-1] for x in good])
    return good


def leading_axes(names: Sequence[str], shapes: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    """The shape of the batch to which arrays with these leading axes broadcast.

    Raises:
        StateError: The leading axes do not fit together.
    """
    if all(shape == shapes[0] for shape in shapes):  # the fast case
        return shapes[0]
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        given = ", ".join(f"{name} {shape}" for name, shape in zip(names, shapes, strict=True))
        raise StateError(f"the leading axes of the states do not fit together: {given}") from None


def complain(model: Model, kinds: Sequence[str], states: Sequence[Array], name: str = "", unit: bool = True) -> None:
    """Raise if a number is not finite or a quaternion not of length one.

    Args:
        model: The model.
        kinds: The kinds of the arrays, keys of `Model.shapes`.
        states: The arrays, each with one leading axis.
        name: Their name in messages; empty: their kinds.
        unit: Whether quaternions must be of length one.

    Raises:
        StateError: There is such a number or quaternion; the message names the place.
    """
    for kind, x in zip(kinds, states, strict=True):
        bad = np.argwhere(~(np.abs(x) <= LARGEST / max(1, prod(x.shape[1:]))))
        if len(bad):
            value, place = x[tuple(bad[0])], _place(model, kind, name or kind, bad[0], len(x))
            reason = "that is too large to compute with" if np.isfinite(value) else "it must be finite"
            raise StateError(f"{place} is {value:g}; {reason}")
        if kind == "q" and unit:
            _check_quaternions(model, x, name or kind)


def _place(model: Model, kind: str, name: str, index: NDArray, count: int) -> str:
    names = {"q": model.q_names, "v": model.dof_names, "a": model.dof_names, "tau": model.dof_names}.get(kind)
    coordinate = f" ('{names[index[-1]]}')" if names else ""
    state = f" of state {index[0]}" if count > 1 else ""
    return f"{name}{index[1:].tolist()}{coordinate}{state}"


def _check_quaternions(model: Model, q: Array, name: str) -> None:
    for at, _ in model.rotations:
        joint = model.q_names[at.start].split("[")[0]
        require_unit(f"{name}: the quaternion of joint '{joint}'", q[..., at])
