"""A mechanism and the loops that close it."""

from __future__ import annotations

from dataclasses import dataclass

from ipc_articulation.dynamics.model.mechanism import Mechanism
from ipc_articulation.dynamics.reading.loops.constraints import Loops
from ipc_articulation.dynamics.reading.loops.relations import Meeting


@dataclass(frozen=True)
class RobotWithLoops:
    """What `LoopModel(robot.mechanism.build(), robot.loops)` takes.

    No joint of the mechanism is a mimic: joints that follow others are among the loops.
    """

    mechanism: Mechanism  # the spanning tree
    loops: Loops  # joints and constraints
    meetings: tuple[Meeting, ...] = ()  # where loops keep points of two links together in all directions
