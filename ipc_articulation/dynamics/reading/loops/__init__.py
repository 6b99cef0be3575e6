"""Readers of robots with loops, and the constraints that close a mechanism's loops."""

from ipc_articulation.dynamics.reading.loops.constraints import Loops, loops_of
from ipc_articulation.dynamics.reading.loops.mimics import take_mimics
from ipc_articulation.dynamics.reading.loops.relations import LinearRelation, PointLoop, Polynomial, Relation
from ipc_articulation.dynamics.reading.loops.urdf import closes_loops, read_robot

__all__ = [
    "LinearRelation",
    "Loops",
    "PointLoop",
    "Polynomial",
    "Relation",
    "closes_loops",
    "loops_of",
    "read_robot",
    "take_mimics",
]
