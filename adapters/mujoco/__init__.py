"""MuJoCo models in an IPC scene: `MujocoAdapter`, and reading of URDF files with their meshes."""

from ipc_articulation.adapters.mujoco.adapter import MujocoAdapter
from ipc_articulation.adapters.mujoco.model import find_package, load_model, load_spec

__all__ = ["MujocoAdapter", "find_package", "load_model", "load_spec"]
