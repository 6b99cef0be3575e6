"""MuJoCo models in an IPC scene, URDF files with their meshes, and MuJoCo models as mechanisms of our own dynamics."""

from typing import Any

from ipc_articulation.adapters.mujoco.adapter import MujocoAdapter
from ipc_articulation.adapters.mujoco.model import find_package, load_model, load_spec

from ipc_articulation.dynamics.reading.mujoco.mechanism import mechanism_from_mujoco

__all__ = [
    "MujocoAdapter",
    "find_package",
    "load_model",
    "load_spec",
    "mechanism_from_mujoco",
    "robot_from_mujoco",
]


def __getattr__(name: str) -> Any:
    """`robot_from_mujoco`, imported at its first use because it imports scipy's optimisers."""
    if name != "robot_from_mujoco":
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    from ipc_articulation.dynamics.reading.mujoco.loops import robot_from_mujoco

    return robot_from_mujoco
