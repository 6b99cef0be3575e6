"""States that no algorithm can work on, and what is said of them."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ipc_articulation.dynamics.algorithms.tree import ROTATION, UNIT
from ipc_articulation.errors import StateError

if TYPE_CHECKING:
    from ipc_articulation.dynamics.model.model import Model

Array = NDArray[np.float64]


def converted(model: Model, name: str, x: ArrayLike) -> Array:
    """A state array as float64.

    Raises:
        StateError: Its last axes are not what the model needs.
    """
    array, core = np.asarray(x, dtype=float), model.shapes[name]
    if array.ndim < len(core) or array.shape[array.ndim - len(core) :] != core:
        needed = ", ".join(map(str, core))
        raise StateError(
            f"{name} has shape {array.shape}, but model '{model.name}' (nq = {model.nq}, nv = {model.nv}) "
            f"needs ({needed}) or (..., {needed})"
        )
    return array


def complain(model: Model, names: Sequence[str], states: Sequence[Array]) -> None:
    """Raise if a number is not finite or a quaternion zero; warn if one is not of length one.

    Args:
        model: The model.
        names: What the arrays hold.
        states: With one leading axis.

    Raises:
        StateError: As said, with the place.
    """
    for name, x in zip(names, states, strict=True):
        bad = np.argwhere(~np.isfinite(x))
        if len(bad):
            raise StateError(f"{_place(model, name, bad[0], len(x))} is {x[tuple(bad[0])]}; it must be finite")
        if name == "q":
            _check_quaternions(model, x)


def _place(model: Model, name: str, index: NDArray, count: int) -> str:
    names = {"q": model.q_names, "v": model.dof_names}.get(name)
    coordinate = f" ('{names[index[-1]]}')" if names else ""
    state = f" of state {index[0]}" if count > 1 else ""
    return f"{name}{index[1:].tolist()}{coordinate}{state}"


def _check_quaternions(model: Model, q: Array) -> None:
    for at in model.tree["q"][model.tree["kind"] == ROTATION]:
        square = np.sum(q[:, at : at + 4] ** 2, axis=1)
        name = model.q_names[at].split("[")[0]
        if (square == 0.0).any():
            raise StateError(f"the quaternion of joint '{name}' is zero; give (w, x, y, z) of length one")
        off = np.flatnonzero(np.abs(square - 1.0) > UNIT)
        if len(off):
            length = np.sqrt(square[off[0]])
            message = f"the quaternion of joint '{name}' has length {length:g}; taken as normalised"
            warnings.warn(message, stacklevel=6)
