"""Readers of MuJoCo models, from MJCF files and from URDF files with meshes in packages."""

from __future__ import annotations

from collections.abc import Collection
from importlib import metadata
from pathlib import Path

import mujoco
from ipc_articulation.adapters.mujoco.urdf import urdf_text

from ipc_articulation.errors import AdapterError


def load_model(path: str | Path, package_dirs: Collection[str | Path] = ()) -> mujoco.MjModel:
    """Read and compile a model file, MJCF (.xml) or URDF (.urdf).

    Args:
        path: The file.
        package_dirs: Folders that are searched for `package://NAME/...`: each is the package NAME or contains it.

    Raises:
        AdapterError: The file does not exist, or MuJoCo cannot read it.
        ModelError: A URDF file is wrong beyond repair, see `dynamics.reading.repairing`.
    """
    spec = load_spec(path, package_dirs)
    try:
        return spec.compile()
    except ValueError as error:
        raise AdapterError(f"{path}: {error}") from error


def load_spec(path: str | Path, package_dirs: Collection[str | Path] = ()) -> mujoco.MjSpec:
    """Read a model file, to be changed before it is compiled; arguments and errors as in `load_model`."""
    path = Path(path)
    if not path.is_file():
        raise AdapterError(f"model file '{path}' does not exist")
    if path.suffix == ".osim":
        raise AdapterError(f"{path}: MuJoCo reads no OpenSim files; adapter native does")
    try:
        if path.suffix == ".urdf":
            spec = mujoco.MjSpec.from_string(urdf_text(path, [Path(folder) for folder in package_dirs]))
            spec.modelfiledir = str(path.parent)  # where relative mesh paths begin
            return spec
        return mujoco.MjSpec.from_file(str(path))
    except ValueError as error:
        raise AdapterError(f"{path}: {error}") from error


def find_package(name: str) -> Path:
    """Folder of an installed robot package such as `example-robot-data`, for `package_dirs`.

    Raises:
        AdapterError: The package is not installed.
    """
    try:
        folder = Path(str(metadata.distribution(name).locate_file(f"cmeel.prefix/share/{name}")))
    except metadata.PackageNotFoundError:
        folder = None
    if folder is None or not folder.is_dir():
        raise AdapterError(f"robot package '{name}' is not installed; try: pip install 'ipc_articulation[robots]'")
    return folder.resolve()
