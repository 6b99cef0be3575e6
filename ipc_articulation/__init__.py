"""Robots in an intersection-free simulation: libuipc's external articulation, on CPU and GPU.

The public names are loaded when they are first used, so that importing the package costs nothing.
"""

from __future__ import annotations

from importlib import import_module, metadata
from typing import TYPE_CHECKING, Any

from ipc_articulation.errors import (
    AdapterError,
    ArticulationError,
    DumpError,
    EngineError,
    IpcArticulationError,
    MeshError,
    MissingPackageError,
    ModelError,
    NoRecordingError,
    OutputError,
    OverlapError,
    RecordingError,
    SceneError,
    SceneFileError,
    SolverError,
    StartError,
    StateError,
    SweepError,
    TaskError,
    TimeLimitError,
    UnsupportedError,
    ViewingError,
)

if TYPE_CHECKING:
    from ipc_articulation.contact.materials import BY_LOAD
    from ipc_articulation.coupling.constraint import ExternalArticulationConstraint
    from ipc_articulation.coupling.couple import couple
    from ipc_articulation.coupling.coupling import step
    from ipc_articulation.coupling.many.couple_many import couple_many
    from ipc_articulation.coupling.properties import RobotProperties
    from ipc_articulation.coupling.robot_states import RobotState
    from ipc_articulation.coupling.states import reset, set_state
    from ipc_articulation.engine import Engine
    from ipc_articulation.frontend.joint_geometry import joint_geometry
    from ipc_articulation.recording import read_recording
    from ipc_articulation.running import resume, run
    from ipc_articulation.sweeps import sweep
    from ipc_articulation.watching import Recorder, View

__version__ = metadata.version("ipc_articulation")  # that of the installed package

_HOMES = {
    "BY_LOAD": "ipc_articulation.contact.materials",
    "Engine": "ipc_articulation.engine",
    "ExternalArticulationConstraint": "ipc_articulation.coupling.constraint",
    "Recorder": "ipc_articulation.watching",
    "RobotProperties": "ipc_articulation.coupling",
    "RobotState": "ipc_articulation.coupling",
    "View": "ipc_articulation.watching",
    "couple": "ipc_articulation.coupling",
    "couple_many": "ipc_articulation.coupling.many",
    "joint_geometry": "ipc_articulation.frontend.joint_geometry",
    "read_recording": "ipc_articulation.recording",
    "reset": "ipc_articulation.coupling",
    "resume": "ipc_articulation.running",
    "run": "ipc_articulation.running",
    "set_state": "ipc_articulation.coupling",
    "step": "ipc_articulation.coupling",
    "sweep": "ipc_articulation.sweeps",
}

__all__ = [
    "BY_LOAD",
    "AdapterError",
    "ArticulationError",
    "DumpError",
    "Engine",
    "EngineError",
    "ExternalArticulationConstraint",
    "IpcArticulationError",
    "MeshError",
    "MissingPackageError",
    "ModelError",
    "NoRecordingError",
    "OutputError",
    "OverlapError",
    "Recorder",
    "RecordingError",
    "RobotProperties",
    "RobotState",
    "SceneError",
    "SceneFileError",
    "SolverError",
    "StartError",
    "StateError",
    "SweepError",
    "TaskError",
    "TimeLimitError",
    "UnsupportedError",
    "View",
    "ViewingError",
    "__version__",
    "couple",
    "couple_many",
    "joint_geometry",
    "read_recording",
    "reset",
    "resume",
    "run",
    "set_state",
    "step",
    "sweep",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'ipc_articulation' has no attribute '{name}'")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
