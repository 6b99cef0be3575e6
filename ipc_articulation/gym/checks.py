"""Checks of what an environment is given, and of what a task gives."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from inspect import Parameter, signature
from typing import Any

import numpy as np

from ipc_articulation.arguments import COUNT, Wanted, instance, optional, refuse_unwanted, shown
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


def checked_start(seed: Any, options: Any) -> int | None:
    """The seed that `reset` is given, a whole number of Python.

    Raises:
        TaskError: It is none, or there are options: none are known.
    """
    refuse_unwanted("reset: seed", seed, optional(COUNT), TaskError)
    refuse_unwanted("reset: options", options, optional(instance(Mapping)), TaskError)
    for option in options or ():
        raise TaskError(f"reset: options: '{option}' is unknown; there are none")
    return None if seed is None else int(seed)


def checked_starts(envs: Any, seed: Any, options: Any) -> tuple[list[int | None], dict[str, Any]]:
    """What the `reset` of a vector environment is given.

    Returns:
        The seed of each environment: `seed` + k for environment k, or the k-th of several; and gymnasium's option
        `reset_mask`, which says the ones that are reset, where it was given.

    Raises:
        TaskError: As for `checked_start`; there are more or fewer seeds than environments; the mask is none, or leaves
            out some in the first reset; or the environments are closed.
    """
    require_open(envs)
    count, others, known = envs.num_envs, options, {}
    if isinstance(options, Mapping):
        others = {key: value for key, value in options.items() if key != "reset_mask"}
        known = {key: value for key, value in options.items() if key == "reset_mask"}
    for mask in known.values():
        refuse_unwanted("reset: options: 'reset_mask'", mask, _mask_of(count), TaskError)
        if not envs.is_begun and not mask.all():
            raise TaskError("reset: options: 'reset_mask' leaves out environments; the first reset is of all")
    if not isinstance(seed, Sequence | np.ndarray) or isinstance(seed, str):
        first = checked_start(seed, others)
        return [None if first is None else first + k for k in range(count)], known
    if len(seed) != count:
        raise TaskError(f"{len(seed)} seeds were given for {count} environments")
    return [checked_start(each, others) for each in seed], known


def _mask_of(count: int) -> Wanted:
    def accepts(mask: Any) -> bool:
        return isinstance(mask, np.ndarray) and mask.dtype == bool and mask.shape == (count,) and bool(mask.any())

    return Wanted(f"an array of numpy with {count} Booleans, at least one of them True", accepts)


def require_open(envs: Any) -> None:
    """Refuse a vector environment that is closed.

    Raises:
        TaskError: It is.
    """
    if envs.closed:
        raise TaskError("the environments are closed; make others")


def checked_action(action: Any, space: Any) -> Any:
    """An action, within the bounds of its space if that is a box.

    Raises:
        TaskError: It has another shape, or a number that is not finite; or is not of the space.
    """
    if not hasattr(space, "low"):
        if not space.contains(action):
            raise TaskError(f"the action {shown(action)} is not of the space {space}")
        return action
    array = _real(action, float, f"the action is a {type(action).__name__}, must be {_numbers(space)}")
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
    message = f"{name}.observe gave a {type(observation).__name__}, must be an array of numbers"
    array = _real(observation, np.float32 if space is None else space.dtype, message)
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
        number = float("complex" if np.iscomplexobj(reward) else reward)
    except (TypeError, ValueError):
        raise TaskError(f"{name} gave {shown(reward)}, must be a number") from None
    _require_finite(np.array([number]), name)
    return number


def _real(values: Any, dtype: Any, message: str) -> Array:
    """An array of real numbers.

    Raises:
        TaskError: They are none; with the message.
    """
    try:
        if np.iscomplexobj(array := np.asarray(values)):
            raise TypeError
        return np.array(array, dtype=dtype)
    except (TypeError, ValueError, OverflowError):
        raise TaskError(message) from None


def _require_finite(array: Array, name: str) -> None:
    bad = np.flatnonzero(~np.isfinite(array))
    if len(bad):
        raise TaskError(f"{name} gave {array.flat[bad[0]]} as number {bad[0]}, must be finite")


def _numbers(space: Any) -> str:
    return f"{space.shape} numbers from {np.min(space.low):g} to {np.max(space.high):g}"


def checked_actions(envs: Any, actions: Any) -> Any:
    """The actions of a vector environment.

    Args:
        envs: The vector environment.
        actions: One for each environment.

    Raises:
        TaskError: They have another shape, or one has a number that is not finite; names the environment. Or the
            environments are closed, or were not reset yet.
    """
    require_open(envs)
    if not envs.is_begun:
        raise TaskError("step before reset: episodes begin with envs.reset()")
    space = envs.action_space
    if not hasattr(space, "low"):
        return actions
    wanted = f"{_numbers(space)}, a row for each environment"
    array = _real(actions, space.dtype, f"the actions are a {type(actions).__name__}, must be {wanted}")
    if array.shape != space.shape:
        raise TaskError(f"the actions have shape {array.shape}, must be {wanted}")
    for index in map(int, np.flatnonzero(~np.isfinite(array.reshape(len(array), -1)).all(axis=1))):
        raise TaskError(f"the action of environment {index} is {shown(array[index])}, must be finite")
    return array
