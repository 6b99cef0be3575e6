"""Actions of a scene file: `act`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.errors import TaskError
from ipc_articulation.gym.inverse_kinematics import PointMover
from ipc_articulation.gym.observations import axis_numbers, require_point
from ipc_articulation.gym.state import TaskState
from ipc_articulation.gym.world import World
from ipc_articulation.naming import matching, suggest
from ipc_articulation.scenefile import schema
from ipc_articulation.scenefile.document import Document, SceneProblem

Values = dict[str, float]  # by name of a joint


class Actuation(Protocol):
    """One entry of `act`."""

    size: int  # numbers of an action that it takes
    joints: tuple[str, ...]  # that it moves

    def begin(self, state: TaskState) -> None:
        """Note the start of an episode."""
        ...

    def __call__(self, action: Array, state: TaskState) -> tuple[Values, Values]:
        """Targets and forces of joints for a part of the action, (size,) from -1 to 1."""
        ...


class Targets:
    """Targets of joints; positions within their limits."""

    def __init__(self, entry: schema.TargetsEntry, state: TaskState, world: World) -> None:
        self._scale, self._is_change = entry.scale, entry.counted_from == "last"
        self._columns = matching(entry.joints, state.actuated, "joint with an actuator", TaskError)
        self.joints = tuple(state.actuated[k] for k in self._columns)
        self.size, self._limits = len(self.joints), world.limits(self.joints)
        self._limits[[name in world.simulation.driven.speeds for name in self.joints]] = -np.inf, np.inf

    def begin(self, state: TaskState) -> None:
        """Count from the targets at the start."""
        self._from = state.targets[self._columns]

    def __call__(self, action: Array, state: TaskState) -> tuple[Values, Values]:
        """Targets; see `Actuation`."""
        targets = np.clip(self._from + self._scale * action, self._limits[:, 0], self._limits[:, 1])
        if self._is_change:
            self._from = targets
        return dict(zip(self.joints, targets.tolist(), strict=True)), {}


class Torques:
    """Forces on joints."""

    def __init__(self, entry: schema.TorquesEntry, state: TaskState, world: World) -> None:
        columns = matching(entry.joints, state.joints, "joint", TaskError)
        self._scale, self.joints = entry.scale, tuple(state.joints[k] for k in columns)
        self.size = len(self.joints)

    def begin(self, state: TaskState) -> None:
        """Nothing is remembered."""

    def __call__(self, action: Array, state: TaskState) -> tuple[Values, Values]:
        """Forces; see `Actuation`."""
        return {}, dict(zip(self.joints, (self._scale * action).tolist(), strict=True))


class Move:
    """Targets of joints that move a point along axes of the world."""

    def __init__(self, entry: schema.MoveEntry, state: TaskState, world: World) -> None:
        place = world.points.places[require_point(entry.point, state)]
        links = world.simulation.coupling.link_names
        if place.body not in links:
            raise TaskError(f"'{entry.point}' is not on a link of the robot{suggest(place.body, links, 'links')}")
        actuated = matching(entry.joints, state.actuated, "joint with an actuator", TaskError)
        self.joints = tuple(state.actuated[k] for k in actuated)
        if turning := [name for name in self.joints if name in world.simulation.driven.speeds]:
            raise TaskError(f"joint '{turning[0]}' takes velocities; a point is moved by joints that take positions")
        columns = [state.joints.index(name) for name in self.joints]
        self._mover = PointMover(place.body, place.offset, columns, world.limits(self.joints))
        self._scale, self._axes, self._turn = entry.scale, axis_numbers(entry.axes), entry.turn or 0.0
        self.size = len(self._axes) + (entry.turn is not None)

    def begin(self, state: TaskState) -> None:
        """Count from where the point is."""
        self._mover.begin(state)

    def __call__(self, action: Array, state: TaskState) -> tuple[Values, Values]:
        """Targets; see `Actuation`."""
        change = np.zeros(3)
        change[self._axes] = self._scale * action[: len(self._axes)]
        turn = self._turn * float(action[len(self._axes) :].sum())
        return dict(zip(self.joints, self._mover.targets(state, change, turn).tolist(), strict=True)), {}


_KINDS = {schema.TargetsEntry: Targets, schema.TorquesEntry: Torques, schema.MoveEntry: Move}


def actuations(
    entries: Sequence[schema.ActEntry], state: TaskState, world: World, document: Document
) -> list[Actuation]:
    """One actuation for each entry.

    Raises:
        SceneFileError: An entry names a joint or point that there is not, or two entries give the same joint targets;
            with the place.
    """
    made: list[Actuation] = []
    taken: set[str] = set()
    for index, entry in enumerate(entries):
        with document.blame("act", index):
            actuation: Actuation = _KINDS[type(entry)](entry, state, world)
        if not isinstance(entry, schema.TorquesEntry):
            if both := taken & set(actuation.joints):
                message = f"joint '{min(both)}' gets its target from two entries; name it in one of them only"
                raise document.error([SceneProblem(("act", index, "joints"), message)])
            taken |= set(actuation.joints)
        made.append(actuation)
    return made
