"""Readers of MuJoCo models, from MJCF files and from URDF files with meshes in packages."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from functools import partial
from importlib import metadata
from pathlib import Path

import mujoco
from ipc_articulation.adapters.mujoco.asset_paths import AssetPaths
from ipc_articulation.adapters.mujoco.compiling import compiled
from ipc_articulation.adapters.mujoco.global_coordinates import make_local, without_global
from ipc_articulation.adapters.mujoco.inertia_repairs import repair_inertias
from ipc_articulation.adapters.mujoco.limit_repairs import repair_limits
from ipc_articulation.adapters.mujoco.mesh_repairs import repair_files
from ipc_articulation.adapters.mujoco.old_attributes import collide_in_pairs_only, without_old_attributes
from ipc_articulation.adapters.mujoco.parts import Parts
from ipc_articulation.adapters.mujoco.refused_parts import without_refused
from ipc_articulation.adapters.mujoco.sizes import check_sizes
from ipc_articulation.adapters.mujoco.urdf import read_urdf
from ipc_articulation.adapters.mujoco.visuals import URDF, name_urdf

from ipc_articulation.arguments import PATH, PATHS, TEXT, checked
from ipc_articulation.dynamics.reading.format import robot_format
from ipc_articulation.dynamics.reading.readable import Readable
from ipc_articulation.dynamics.reading.repairing import SURFACES, Surfaces
from ipc_articulation.errors import AdapterError
from ipc_articulation.packages import is_file, package_folders, unpacked
from ipc_articulation.repairs import summed

_MOST = 100  # attributes and elements that are left out one by one
_TOLERATED = ("unrecognized attribute", "global coordinates", "required attribute missing", "invalid keyword")


@summed()
@checked(AdapterError, path=PATH, package_dirs=PATHS, surfaces=SURFACES)
def load_model(
    path: str | Path, package_dirs: Collection[str | Path] = (), surfaces: Surfaces = "collision"
) -> mujoco.MjModel:
    """Read and compile a model file, MJCF (.xml) or URDF (.urdf).

    Args:
        path: The file, also `package://name/path` of an installed package.
        package_dirs: Folders that are searched for `package://NAME/...`: each is the package NAME or contains it.
        surfaces: «visual» makes drawings the surfaces of links of a URDF file that have no `<collision>`.

    Raises:
        AdapterError: The file does not exist, or MuJoCo cannot read it.
        ModelError: A URDF file is wrong beyond repair, see `dynamics.reading.repairing`; an MJCF file contains itself,
            is too large, or names files that may not be read.
    """
    path = Path(unpacked(path))
    return compiled(load_spec(path, package_dirs, surfaces), path)


@summed()
@checked(AdapterError, path=PATH, package_dirs=PATHS, surfaces=SURFACES)
def load_spec(
    path: str | Path, package_dirs: Collection[str | Path] = (), surfaces: Surfaces = "collision"
) -> mujoco.MjSpec:
    """Read a model file, to be changed before it is compiled; arguments and errors as in `load_model`."""
    path = Path(unpacked(path))
    if not is_file(path):
        raise AdapterError(f"model file '{path!s:.200}' does not exist")
    kind = robot_format(path)
    if kind == "osim":
        raise AdapterError(f"{path}: MuJoCo reads no OpenSim files; adapter native does")
    if kind != "urdf" and surfaces == "visual":
        raise AdapterError(f"{path}: only URDF files have drawings that can be surfaces; leave out surfaces='visual'")
    folders = [Path(folder) for folder in package_dirs]
    try:
        if kind == "urdf":
            return _urdf(path, folders, surfaces)
        spec, paths = _mjcf(path, folders)
    except (ValueError, RuntimeError) as error:  # RuntimeError: of MuJoCo, where memory is too small
        raise AdapterError(f"{path}: {error}") from error
    if len(spec.bodies) == 1 and not spec.geoms:
        raise AdapterError(f"{path}: it has no <body>: a part that other MJCF files include; give one of those")
    repair_files(spec, paths)
    repair_inertias(spec, partial(paths.place, "body"))
    repair_limits(spec, paths)
    return spec


def _urdf(path: Path, folders: Sequence[Path], surfaces: Surfaces) -> mujoco.MjSpec:
    spec = read_urdf(path, folders, surfaces)
    name_urdf(spec, path, folders)
    repair_inertias(spec, lambda _: str(path))
    return spec


def _mjcf(path: Path, folders: Sequence[Path]) -> tuple[mujoco.MjSpec, AssetPaths]:
    readable = Readable(path.parent, [*folders, *package_folders()])
    parts = Parts(path, readable)
    check_sizes(parts)
    spec = _read_mjcf(parts)
    for text in [text for text in spec.texts if text.name == URDF]:  # it would open files that may not be read
        spec.delete(text)
    return spec, AssetPaths(parts, readable, spec.strippath)


def _read_mjcf(parts: Parts) -> mujoco.MjSpec:
    """The model without attributes that MuJoCo does not know; it reads only files that end in `.xml`."""
    own = parts.own
    if own.file.suffix == ".xml" and all(part.plain for part in parts.files.values()):
        try:
            return mujoco.MjSpec.from_file(str(own.file.absolute()))
        except ValueError as error:
            if not any(message in str(error) for message in _TOLERATED):
                raise
    text = without_old_attributes(own.text, own.file)
    local = without_global(text, own.file)
    spec = _tolerantly(parts, local or text)
    if local is not None:
        make_local(spec)
    collide_in_pairs_only(spec, own.text)
    return spec


def _tolerantly(parts: Parts, text: str) -> mujoco.MjSpec:
    """The model with another text of its own file, without the parts that MuJoCo refuses and that mean nothing."""
    for _ in range(_MOST):
        try:
            return _from_text(parts, text)
        except ValueError as error:
            better = without_refused(text, parts.model, str(error))
            if better is None:
                raise
            text = better
    return _from_text(parts, text)


def _from_text(parts: Parts, text: str) -> mujoco.MjSpec:
    """The model with another text of its own file, and the texts that were read of its other files."""
    own, *others = parts.files.values()
    name = os.path.abspath(own.file.with_suffix(".xml"))
    with mujoco.MjVfs() as files:
        for part in others:
            files[os.path.abspath(part.file)] = part.text.encode()
        files[name] = text.encode()
        return mujoco.MjSpec.from_file(name, vfs=files)


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
