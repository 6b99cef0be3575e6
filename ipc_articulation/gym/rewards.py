"""Rewards and ends of episodes in a scene file: `reward`, `episode.success` and `episode.leaves`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ipc_articulation.errors import TaskError
from ipc_articulation.gym.observations import axis_numbers, require_point
from ipc_articulation.gym.state import TaskState
from ipc_articulation.naming import matching
from ipc_articulation.scenefile import schema
from ipc_articulation.scenefile.document import Document, Location

Condition = Callable[[TaskState], bool]


class RewardTerm:
    """One term of a reward: its weight times a quantity.

    Args:
        entry: Of the scene file.
        state: Of the scene, for names.
        succeeded: Whether the task is solved.

    Raises:
        TaskError: It names a joint or point that there is not.
    """

    def __init__(self, entry: schema.RewardEntry, state: TaskState, succeeded: Condition) -> None:
        self._entry, self._succeeded, self._before = entry, succeeded, 0.0
        if isinstance(entry, schema.DistanceRewardEntry | schema.ProgressRewardEntry):
            for name in entry.between:
                require_point(name, state)
        if isinstance(entry, schema.ForceRewardEntry):
            self._columns = matching(entry.joints, state.joints, "joint", TaskError)

    def begin(self, state: TaskState) -> None:
        """Note the start of an episode."""
        if isinstance(self._entry, schema.ProgressRewardEntry):
            self._before = distance(self._entry.between, self._entry.axes, state)

    def __call__(self, state: TaskState) -> float:
        """The term after an action."""
        return self._entry.weight * self._quantity(state)

    def _quantity(self, state: TaskState) -> float:
        match self._entry:
            case schema.DistanceRewardEntry(between=between, axes=axes):
                return distance(between, axes, state)
            case schema.ProgressRewardEntry(between=between, axes=axes):
                before, self._before = self._before, distance(between, axes, state)
                return before - self._before
            case schema.SuccessRewardEntry():
                return float(self._succeeded(state))
            case schema.ActionRewardEntry():
                return float(np.square(state.action).sum())
            case schema.ForceRewardEntry():
                return float(np.abs(state.contact_force[self._columns]).sum())
            case schema.StepRewardEntry():
                return 1.0


def reward_terms(
    entries: Sequence[schema.RewardEntry], state: TaskState, succeeded: Condition, document: Document
) -> list[RewardTerm]:
    """The terms of `reward`.

    Raises:
        SceneFileError: A term names a joint or point that there is not; with its place.
    """
    made = []
    for index, entry in enumerate(entries):
        place = "joints" if isinstance(entry, schema.ForceRewardEntry) else "between"
        with document.blame("reward", index, place):
            made.append(RewardTerm(entry, state, succeeded))
    return made


def success(entry: schema.NearnessEntry | None, state: TaskState, document: Document) -> Condition:
    """Whether two points are near each other; never, without an entry.

    Raises:
        SceneFileError: It names a point that there is not; with its place.
    """
    if entry is None:
        return lambda state: False
    _require(entry.between, ("episode", "success", "between"), state, document)
    return lambda state: distance(entry.between, entry.axes, state) <= entry.within


def leaving(entries: Sequence[schema.BoundsEntry], state: TaskState, document: Document) -> Condition:
    """Whether a point has left its box.

    Raises:
        SceneFileError: An entry names a point that there is not; with its place.
    """
    for index, entry in enumerate(entries):
        _require((entry.of,), ("episode", "leaves", index, "of"), state, document)

    def left(state: TaskState) -> bool:
        return any(not _is_inside(state, entry) for entry in entries)

    return left


def distance(between: tuple[str, str], axes: str, state: TaskState) -> float:
    """Distance of two points along some axes [m]."""
    first, second = map(state.position, between)
    return float(np.linalg.norm((first - second)[axis_numbers(axes)]))


def _is_inside(state: TaskState, entry: schema.BoundsEntry) -> bool:
    position = state.position(entry.of)
    return bool(np.all((np.array(entry.low) <= position) & (position <= np.array(entry.high))))


def _require(names: Sequence[str], place: Location, state: TaskState, document: Document) -> None:
    with document.blame(*place):
        for name in names:
            require_point(name, state)
