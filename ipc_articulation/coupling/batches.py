"""Many robots predicted and committed together.

`batch_of` makes a batch of adapters that are as those of one robot each: a batch works on the adapters' own states, so
that adapter k may be read, reset and edited between steps as if it were alone. Engines that can, work on all states in
compiled loops; the others are asked one after another. A robot's numbers do not depend on the other robots of its
batch.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Any, Protocol

import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.coupling.adapter import Adapter, Prediction
from ipc_articulation.errors import AdapterError, IpcArticulationError

__all__ = [
    "Batch",
    "Predictions",
    "batch_of",
]


@dataclass(frozen=True)
class Predictions(Prediction):
    """The predicted steps of N robots with the same joints and links: all arrays have the robots first.

    The rows of a robot whose step failed are not a number.
    """

    failures: Mapping[int, IpcArticulationError] = field(default_factory=dict)  # by robot

    def of(self, robot: int) -> Prediction:
        """The prediction of one robot.

        Raises:
            IpcArticulationError: Its step failed.
        """
        if robot in self.failures:
            raise self.failures[robot]
        return Prediction(**{part.name: _row(getattr(self, part.name), robot) for part in fields(Prediction)})


class Batch(Protocol):
    """N adapters that step together."""

    def predict(self) -> Predictions:
        """Predict the next step of every robot, as each adapter's `predict` would; failures are in the result."""
        ...

    def commit(self, delta_theta: Array, free_poses: Array, free_velocities: Array) -> None:
        """Commit the step of every robot, as each adapter's `commit` would; robots whose prediction failed stay.

        Args:
            delta_theta: δθ of the joints' freedoms, (N, m) [rad or m].
            free_poses: Poses of the free bodies after the step, (N, f, 4, 4), rigid.
            free_velocities: Rates of those poses, (N, f, 4, 4).
        """
        ...


class OneByOne:
    """The batch of any adapters: each is asked alone.

    Args:
        adapters: The adapters, or what else predicts and commits like them.
    """

    def __init__(self, adapters: Sequence[Any]) -> None:
        self._adapters = tuple(adapters)
        self._failed: frozenset[int] = frozenset()

    def predict(self) -> Predictions:
        """See `Batch`."""
        found: dict[int, Prediction] = {}
        failures: dict[int, IpcArticulationError] = {}
        for k, adapter in enumerate(self._adapters):
            try:
                found[k] = adapter.predict()
            except IpcArticulationError as error:
                failures[k] = error
        self._failed = frozenset(failures)
        return stacked(found, failures)

    def commit(self, delta_theta: Array, free_poses: Array, free_velocities: Array) -> None:
        """See `Batch`."""
        for k, adapter in enumerate(self._adapters):
            if k not in self._failed:
                adapter.commit(delta_theta[k], free_poses[k], free_velocities[k])


def stacked(found: Mapping[int, Prediction], failures: Mapping[int, IpcArticulationError]) -> Predictions:
    """The predictions of some robots together with the failures of all others.

    Raises:
        IpcArticulationError: The step of every robot failed; this is the failure of the first one.
    """
    if not found:
        raise failures[min(failures)]
    of_any = found[min(found)]
    each = [found.get(k, of_any) for k in range(len(found) + len(failures))]
    parts = {part.name: _together([getattr(own, part.name) for own in each]) for part in fields(Prediction)}
    for name in ("mass", "delta_theta_tilde", "link_poses", "aims"):
        parts[name][list(failures)] = np.nan
    return Predictions(**parts, failures=dict(failures))


def _together(each: Sequence[Any]) -> Any:
    """Arrays, or the arrays of dataclasses, with a new first axis; what else they have is that of the first one."""
    first = next((one for one in each if one is not None), None)
    if isinstance(first, np.ndarray):
        return np.array(each, dtype=float)
    if not is_dataclass(first) or isinstance(first, type):
        return first
    whole = [_without_effect(first) if one is None else one for one in each]
    return replace(first, **{own.name: _together([getattr(one, own.name) for one in whole]) for own in fields(first)})


def _row(of_all: Any, robot: int) -> Any:
    """The arrays of one robot among those of all."""
    if isinstance(of_all, np.ndarray):
        return of_all[robot]
    if not is_dataclass(of_all) or isinstance(of_all, type):
        return of_all
    return replace(of_all, **{own.name: _row(getattr(of_all, own.name), robot) for own in fields(of_all)})


def _without_effect(like: Any) -> Any:
    """Restraints or motors of the same shapes that hold nothing."""
    zeros = {name: np.zeros_like(value) for name, value in vars(like).items() if isinstance(value, np.ndarray)}
    ends = {name: zeros[name] + end for name, end in (("lower", -np.inf), ("upper", np.inf)) if name in zeros}
    without = {"motors": None} if hasattr(like, "motors") else {}
    return replace(like, **zeros | ends | without)


def batch_of(adapters: Sequence[Adapter]) -> Batch:
    """The quickest batch for some adapters: that of their class (its method `batch_of`), where they can be in one.

    Raises:
        AdapterError: There are none, or one of them is there twice.
    """
    return own_batch_of(adapters) or OneByOne(adapters)


def own_batch_of(adapters: Sequence[Adapter]) -> Batch | None:
    """The batch of the adapters' class; None where it has none for them.

    Raises:
        AdapterError: There are none, or one of them is there twice.
    """
    if not adapters or len({id(adapter) for adapter in adapters}) != len(adapters):
        raise AdapterError("a batch has one robot at least, and each adapter once")
    kind = type(adapters[0])
    if "batch_of" not in vars(kind) or any(type(adapter) is not kind for adapter in adapters):
        return None  # a subclass may predict otherwise
    made: Batch | None = vars(kind)["batch_of"](adapters)
    return made
