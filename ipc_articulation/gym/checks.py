"""Checks of what an environment is given, and of what a task gives."""

from __future__ import annotations

from collections.abc import Iterable
from inspect import Parameter, signature
from typing import Any

import numpy as np

from ipc_articulation.arguments import shown
from ipc_articulation.arrays import Array
from ipc_articulation.errors import TaskError
from ipc_articulation.naming import suggest


def options_of(function: Any) -> list[str]:
    """The arguments of a function, or of a class, that are given by name only."""
    return [name for name, given in signature(function).parameters.items() if given.kind is Parameter.KEYWORD_ONLY]


def refuse_unknown_options(where: str, options: Iterable[str], known: Iterable[str]) -> None:
    """Refuse options by their names.

    Raises:
        TaskError: One is not known; names it, the valid ones, and the one that it is like.
    """
    for name in options:
        if name not in known:
            raise TaskError(f"{where}: unknown option '{name}'{suggest(name, known)}")


def checked_action(action: Any, space: Any) -> Any:
    """An action, within the bounds of its space if that is a box.

    Raises:
        TaskError: It has another shape, or a number that is not finite; or is not of the space.
    """
    if not hasattr(space, "low"):
        if not space.contains(action):
            raise TaskError(f"the action {shown(action)} is not of the space {space}")
        return action
    try:
        array = np.array(action, dtype=float)
    except (TypeError, ValueError):
        raise TaskError(f"the action is a {type(action).__name__}, must be {_numbers(space)}") from None
    if array.shape != space.shape:
        raise TaskError(f"the action has shape {array.shape}, must be {_numbers(space)}")
    bad = np.flatnonzero(~np.isfinite(array))
    if len(bad):
        raise TaskError(f"number {bad[0]} of the action is {array.flat[bad[0]]}, must be finite: {_numbers(space)}")
    return np.clip(array, space.low, space.high)


def checked_observation(observation: Any, space: Any, task: object) -> Any:
    """An observation as an array of its space's type; one of another space than a box as it is.

    Raises:
        TaskError: The task gave something else than its space has.
    """
    name = type(task).__name__
    if space is not None and not hasattr(space, "low"):
        if not space.contains(observation):
            raise TaskError(f"{name}.observe gave {shown(observation)}, which is not of {space}")
        return observation
    try:
        array = np.array(observation, dtype=np.float32 if space is None else space.dtype)
    except (TypeError, ValueError):
        raise TaskError(f"{name}.observe gave a {type(observation).__name__}, must be an array of numbers") from None
    if space is not None and array.shape != space.shape:
        raise TaskError(f"{name}.observe gave shape {array.shape}, must be {space.shape}")
    _require_finite(array, f"{name}.observe")
    return array


def checked_reward(reward: Any, task: object) -> float:
    """A finite number.

    Raises:
        TaskError: It is none.
    """
    name = f"{type(task).__name__}.reward"
    try:
        number = float(reward)
    except (TypeError, ValueError):
        raise TaskError(f"{name} gave {shown(reward)}, must be a number") from None
    _require_finite(np.array([number]), name)
    return number


def _require_finite(array: Array, name: str) -> None:
    bad = np.flatnonzero(~np.isfinite(array))
    if len(bad):
        raise TaskError(f"{name} gave {array.flat[bad[0]]} as number {bad[0]}, must be finite")


def _numbers(space: Any) -> str:
    return f"{space.shape} numbers from {np.min(space.low):g} to {np.max(space.high):g}"


def checked_actions(actions: Any, space: Any) -> Any:
    """The actions of n environments.

    Args:
        actions: One for each environment.
        space: Of all of them together.

    Raises:
        TaskError: They have another shape, or one has a number that is not finite; names the environment.
    """
    if not hasattr(space, "low"):
        return actions
    array = np.array(actions, dtype=space.dtype)
    if array.shape != space.shape:
        raise TaskError(f"the actions have shape {array.shape}, must be {_numbers(space)}, a row for each environment")
    for index in map(int, np.flatnonzero(~np.isfinite(array.reshape(len(array), -1)).all(axis=1))):
        raise TaskError(f"the action of environment {index} is {shown(array[index])}, must be finite")
    return array
