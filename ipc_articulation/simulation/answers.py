"""Checks of what a Python controller returns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.naming import suggest

_KEYS = {"targets", "torques"}


def read_answer(answer: Any, actuated: Sequence[str], targets: Array, joints: Sequence[str]) -> tuple[Array, Array]:
    """Targets (k,) and further forces (m,).

    Args:
        answer: Targets, or a mapping with `targets`, `torques` or both; each as an array of all, or by joint.
        actuated: Names of the k joints that take targets.
        targets: Their targets where the answer has none, (k,).
        joints: Names of the m joints.

    Raises:
        ValueError: The answer is not valid; the message is the end of a sentence about the controller.
    """
    parts = answer if isinstance(answer, Mapping) and answer and set(answer) <= _KEYS else {"targets": answer}
    return (
        _vector(parts.get("targets", {}), actuated, targets, "targets"),
        _vector(parts.get("torques", {}), joints, np.zeros(len(joints)), "torques"),
    )


def _vector(part: Any, names: Sequence[str], default: Array, what: str) -> Array:
    if isinstance(part, Mapping):
        return _by_name(part, names, default, what)
    expected = f"must be {len(names)} numbers ({', '.join(names)}) or a mapping of joint names to numbers"
    try:
        vector = np.array(part, dtype=float)
    except (TypeError, ValueError):
        raise ValueError(f"returned {type(part).__name__} for {what}; {expected}") from None
    if part is None or vector.shape != (len(names),):
        got = "None" if part is None else f"shape {vector.shape}"
        raise ValueError(f"returned {got} for {what}; {expected}")
    return _finite(vector, names, what)


def _by_name(part: Mapping[Any, Any], names: Sequence[str], default: Array, what: str) -> Array:
    vector = np.array(default)
    for name, number in part.items():
        if name not in names:
            raise ValueError(f"returned {what} of an unknown joint '{name}'{suggest(name, names, 'known')}")
        if np.ndim(number) or not isinstance(number, int | float | np.number):
            raise ValueError(f"returned {number!r} for {what} of joint '{name}'; must be a number")
        vector[names.index(name)] = number
    return _finite(vector, names, what)


def _finite(vector: Array, names: Sequence[str], what: str) -> Array:
    for index in map(int, np.flatnonzero(~np.isfinite(vector))):
        raise ValueError(f"returned {vector[index]} for {what} of joint '{names[index]}'; must be finite")
    return vector
