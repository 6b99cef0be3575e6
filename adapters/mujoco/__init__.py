"""MuJoCo models in an IPC scene, URDF files with their meshes, and MuJoCo models as mechanisms of our own dynamics."""

from ipc_articulation.adapters.mujoco.adapter import MujocoAdapter
from ipc_articulation.adapters.mujoco.model import find_package, load_model, load_spec
from ipc_articulation.adapters.mujoco.to_mechanism import mechanism_from_mujoco

__all__ = [
    "MujocoAdapter",
    "find_package",
    "load_model",
    "load_spec",
    "mechanism_from_mujoco",
]
