"""Kinematic loops: constraints between joints, and the dynamics of robots that have them."""

from ipc_articulation.dynamics.loops.constraint import LoopConstraint
from ipc_articulation.dynamics.loops.coordinate_functions import CoordinateFunctions, Function
from ipc_articulation.dynamics.loops.explicit import Affine, Explicit, Static, gear
from ipc_articulation.dynamics.loops.four_bar import FourBar
from ipc_articulation.dynamics.loops.implicit import Implicit
from ipc_articulation.dynamics.loops.tello import TelloDifferential, tello_hip, tello_knee_ankle

__all__ = [
    "Affine",
    "CoordinateFunctions",
    "Explicit",
    "FourBar",
    "Function",
    "Implicit",
    "LoopConstraint",
    "Static",
    "TelloDifferential",
    "gear",
    "tello_hip",
    "tello_knee_ankle",
]
