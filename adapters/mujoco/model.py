"""Readers of MuJoCo models, from MJCF files and from URDF files with meshes in packages."""

from __future__ import annotations

import re
from collections.abc import Collection
from importlib import metadata
from pathlib import Path

import mujoco
from ipc_articulation.adapters.mujoco.compiling import compiled
from ipc_articulation.adapters.mujoco.inertia_repairs import repair_inertias
from ipc_articulation.adapters.mujoco.mesh_repairs import repair_files
from ipc_articulation.adapters.mujoco.old_attributes import (
    collide_in_pairs_only,
    without_old_attributes,
    without_refused,
)
from ipc_articulation.adapters.mujoco.urdf import urdf_text
from ipc_articulation.adapters.mujoco.visuals import name_urdf

from ipc_articulation.arguments import PATH, PATHS, TEXT, checked
from ipc_articulation.dynamics.reading.format import robot_format
from ipc_articulation.errors import AdapterError
from ipc_articulation.packages import is_file, unpacked

_MOST = 100  # attributes that are left out one by one
_INCLUDE = re.compile(r"<include\s[^>]*file\s*=\s*[\"']([^\"']+)[\"']")


@checked(AdapterError, path=PATH, package_dirs=PATHS)
def load_model(path: str | Path, package_dirs: Collection[str | Path] = ()) -> mujoco.MjModel:
    """Read and compile a model file, MJCF (.xml) or URDF (.urdf).

    Args:
        path: The file, also `package://name/path` of an installed package.
        package_dirs: Folders that are searched for `package://NAME/...`: each is the package NAME or contains it.

    Raises:
        AdapterError: The file does not exist, or MuJoCo cannot read it.
        ModelError: A URDF file is wrong beyond repair, see `dynamics.reading.repairing`.
    """
    path = Path(unpacked(path))
    return compiled(load_spec(path, package_dirs), path)


@checked(AdapterError, path=PATH, package_dirs=PATHS)
def load_spec(path: str | Path, package_dirs: Collection[str | Path] = ()) -> mujoco.MjSpec:
    """Read a model file, to be changed before it is compiled; arguments and errors as in `load_model`."""
    path = Path(unpacked(path))
    if not is_file(path):
        raise AdapterError(f"model file '{path!s:.200}' does not exist")
    kind = robot_format(path)
    if kind == "osim":
        raise AdapterError(f"{path}: MuJoCo reads no OpenSim files; adapter native does")
    try:
        if kind == "urdf":
            spec = mujoco.MjSpec.from_string(urdf_text(path, [Path(folder) for folder in package_dirs]))
            spec.modelfiledir = str(path.parent)  # where relative mesh paths begin
            name_urdf(spec, path, [Path(folder) for folder in package_dirs])
        else:
            spec = _read_mjcf(path)
    except ValueError as error:
        raise AdapterError(f"{path}: {error}") from error
    if len(spec.bodies) == 1 and not spec.geoms:
        raise AdapterError(f"{path}: it has no <body>: a part that other MJCF files include; give one of those")
    repair_files(spec, path, [Path(d) for d in package_dirs])
    repair_inertias(spec, path)
    return spec


def _read_mjcf(path: Path) -> mujoco.MjSpec:
    """The model of an MJCF file; MuJoCo itself reads it only if it ends in `.xml`."""
    try:
        return (
            mujoco.MjSpec.from_file(str(path)) if path.suffix == ".xml" else _from_text(path, path.read_text("utf-8"))
        )
    except ValueError as error:
        if "unrecognized attribute" not in str(error):
            raise
        text = path.read_text("utf-8")
        spec = _tolerantly(path, without_old_attributes(text, path))
        collide_in_pairs_only(spec, text)
        return spec


def _tolerantly(path: Path, text: str) -> mujoco.MjSpec:
    """The model of an MJCF file's text, without attributes that MuJoCo does not know."""
    for _ in range(_MOST):
        try:
            return _from_text(path, text)
        except ValueError as error:
            better = without_refused(text, path, str(error))
            if better is None:
                raise
            text = better
    return _from_text(path, text)


def _from_text(path: Path, text: str) -> mujoco.MjSpec:
    spec = mujoco.MjSpec.from_string(text, include=_included(path, path.parent, {}))
    spec.modelfiledir = str(path.parent)
    return spec


def _included(file: Path, home: Path, found: dict[str, bytes]) -> dict[str, bytes]:
    """Files that an MJCF file includes, by the name that it gives them, and those that they include."""
    for name in _INCLUDE.findall(file.read_text(encoding="utf-8")):
        if name not in found and not Path(name).is_absolute() and (home / name).is_file():
            found[name] = (home / name).read_bytes()
            _included(home / name, home, found)
    return found


@checked(AdapterError, name=TEXT)
def find_package(name: str) -> Path:
    """Folder of an installed robot package such as `example-robot-data`, for `package_dirs`.

    Raises:
        AdapterError: The package is not installed.
    """
    try:
        folder = Path(str(metadata.distribution(name).locate_file(f"cmeel.prefix/share/{name}")))
    except (metadata.PackageNotFoundError, ValueError):  # ValueError: the name is empty
        folder = None
    if folder is None or not folder.is_dir():
        raise AdapterError(f"robot package '{name}' is not installed; try: pip install 'ipc_articulation[robots]'")
    return folder.resolve()
