"""Robots with loops from files, and the constraints that close a mechanism's loops."""

from ipc_articulation.dynamics.reading.loops.constraints import Loops, loops_of
from ipc_articulation.dynamics.reading.loops.mimics import take_mimics
from ipc_articulation.dynamics.reading.loops.relations import Coupling, Meeting, PointLoop, Polynomial, Relation
from ipc_articulation.dynamics.reading.loops.robot import RobotWithLoops
from ipc_articulation.dynamics.reading.loops.urdf import closes_loops, read_robot

__all__ = [
    "Coupling",
    "Loops",
    "Meeting",
    "PointLoop",
    "Polynomial",
    "Relation",
    "RobotWithLoops",
    "closes_loops",
    "loops_of",
    "read_robot",
    "take_mimics",
]
