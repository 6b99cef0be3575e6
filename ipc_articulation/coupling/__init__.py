"""Puts an articulation into a `uipc.Scene`, and keeps a multibody engine and the scene in step."""

from ipc_articulation.coupling.couple import couple
from ipc_articulation.coupling.coupling import Coupling, step
from ipc_articulation.coupling.properties import RobotProperties
from ipc_articulation.coupling.robot_states import RobotState
from ipc_articulation.coupling.states import reset, set_state

__all__ = ["Coupling", "RobotProperties", "RobotState", "couple", "reset", "set_state", "step"]
