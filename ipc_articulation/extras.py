"""Optional packages: `need` imports one, or says which extra of this package brings it.

The command `pip install 'ipc_articulation[EXTRA]'` works wherever the package itself was installed from, a copy of the
repository too: pip keeps what is installed and looks only for the packages that the extra lacks.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

from ipc_articulation.errors import MissingPackageError

# Each optional package, by the name it is imported under: the extra of pyproject.toml that brings it.
EXTRAS = {
    "PIL": "view",
    "casadi": "loops",
    "collada": "robots",
    "dartpy": "dart",
    "example_robot_data": "robots",
    "gymnasium": "rl",
    "imageio": "film",
    "imageio_ffmpeg": "film",
    "matplotlib": "view",
    "meshio": "soft",
    "networkx": "soft",
    "pandas": "data",
    "pinocchio": "pinocchio",
    "pxr": "usd",
    "pyarrow": "data",
    "pyvista": "view",
    "ray": "cluster",
    "stable_baselines3": "train",
    "viser": "view",
    "vtkmodules": "view",
    "xarray": "data",
}


def need(module: str) -> ModuleType:
    """Import a package, or a module in it, that an extra brings.

    Args:
        module: A name such as "pyvista" or "matplotlib.figure", its first part a key of `EXTRAS`.

    Raises:
        MissingPackageError: It is not installed; the message is the command that installs it.
    """
    package = module.partition(".")[0]
    if find_spec(package) is None:
        command = f"pip install 'ipc_articulation[{EXTRAS[package]}]'"
        raise MissingPackageError(f"{package} is missing; install it with: {command}")
    return import_module(module)
