"""Files of a MuJoCo model: meshes that MuJoCo cannot decode are converted, and what is missing is left out.

Each change is a repair, see `ipc_articulation.repairs`, except the conversion of a mesh, which changes nothing.
"""

from __future__ import annotations

import struct
from collections.abc import Collection
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
from ipc_articulation.adapters.mujoco.asset_paths import AssetPaths

from ipc_articulation.coupling.mesh_files import read_mesh
from ipc_articulation.errors import MeshError
from ipc_articulation.repairs import repair

_HEADER, _TRIANGLE = 84, 50  # bytes of a binary STL file
_MOST_TRIANGLES = 200_000  # that MuJoCo takes from an STL file
_DECODED = (".obj", ".msh")
_FIELDS = {"mesh": "meshname", "height field": "hfieldname"}  # of a geom made of an asset


def repair_files(spec: mujoco.MjSpec, path: Path, package_dirs: Collection[Path]) -> None:
    """Make a model compile in spite of meshes, textures, height fields and skins that MuJoCo cannot read.

    Args:
        spec: The model, with its own `modelfiledir`.
        path: Its file.
        package_dirs: Folders beside that of the file which may be read.

    Raises:
        AdapterError, MeshError: Repairs are refused, and a file is missing or cannot be read.
        MissingPackageError: A mesh needs a package that is not installed.
    """
    paths = AssetPaths.of(spec, path, package_dirs)
    for mesh in list(spec.meshes):
        if mesh.file:
            _repair_mesh(spec, mesh, paths)
    for kind, elements in (("height field", spec.hfields), ("skin", spec.skins)):
        for element in list(elements):
            if element.file and _found(paths, element, kind, spec.meshdir) is None:
                _leave_out(spec, paths, kind, element, "not found")
    for texture in list(spec.textures):
        _repair_texture(spec, texture, paths)
    _leave_out_unknown_materials(spec, path)
    spec.memory = spec.njmax = spec.nconmax = -1  # as much as MuJoCo needs, not as the file says
    spec.strippath = False  # of paths that are complete now


def _repair_mesh(spec: mujoco.MjSpec, mesh: Any, paths: AssetPaths) -> None:
    mesh.name = mesh.name or Path(mesh.file).stem  # MuJoCo's own rule
    file = _found(paths, mesh, "mesh", mesh.compiler.meshdir)
    if file is None:
        _leave_out(spec, paths, "mesh", mesh, "not found")
    elif not _decodes(file):
        try:
            convert(mesh, file)
        except MeshError as error:
            _leave_out(spec, paths, "mesh", mesh, str(error).partition(": ")[2] or str(error), MeshError)


def _found(paths: AssetPaths, element: Any, kind: str, folder: str) -> Path | None:
    """The file of an element; its path in the model is made complete, which is a repair if it was wrong."""
    name = element.file
    file = paths.expected(name, folder)
    if file is None:
        file = paths.elsewhere(name)
        if file is not None:
            repair(f"{paths.model}: {kind} '{element.name}'", f"file '{name}' not found", f"read from '{file}'")
    if file is not None:
        element.file = str(file.resolve())
    return file


def _decodes(file: Path) -> bool:
    """Whether MuJoCo reads a mesh file: .obj, .msh, and binary .stl of the right length."""
    if file.suffix.lower() != ".stl":
        return file.suffix.lower() in _DECODED
    with file.open("rb") as stream:
        header = stream.read(_HEADER)
    if len(header) < _HEADER:
        return False
    (count,) = struct.unpack("<I", header[-4:])
    return 0 < count <= _MOST_TRIANGLES and file.stat().st_size == _HEADER + _TRIANGLE * count


def convert(mesh: Any, file: Path) -> None:
    """Replace a mesh's file by its triangles; MuJoCo scales and places them as those of the file.

    Raises:
        MeshError: It cannot be read.
        MissingPackageError: It needs a package that is not installed.
    """
    triangles = read_mesh(file, 1.0, f"file '{file}'")
    mesh.uservert = np.asarray(triangles.vertices, dtype=float).ravel()
    mesh.userface = np.asarray(triangles.faces, dtype=np.int32).ravel()
    mesh.file, mesh.content_type = "", ""


def _leave_out(spec: mujoco.MjSpec, paths: AssetPaths, kind: str, element: Any, fault: str, error: Any = None) -> None:
    """Remove an asset and the geoms made of it."""
    geoms = geoms_of(spec, element, _FIELDS[kind]) if kind in _FIELDS else []
    said = "".join(f", and geom{_geom_name(geom)} of body '{geom.parent.name}'{_role(geom)}" for geom in geoms)
    place = f"{paths.model}: {kind} '{element.name}'"
    repair(place, f"file '{element.file}' {fault}", f"left out{said}", *([error] if error else []))
    gone = {geom.name for geom in geoms if geom.name}
    for pair in list(spec.pairs):
        if gone & {pair.geomname1, pair.geomname2}:
            spec.delete(pair)
    for removed in (*geoms, element):
        spec.delete(removed)


def geoms_of(spec: mujoco.MjSpec, asset: Any, field: str = "meshname") -> list[Any]:
    """The geoms made of a mesh, or of a height field (field «hfieldname»)."""
    return [geom for geom in spec.geoms if getattr(geom, field) == asset.name]


def _geom_name(geom: Any) -> str:
    return f" '{geom.name}'" if geom.name else ""


def _role(geom: Any) -> str:
    return ", which collides" if geom.contype or geom.conaffinity else ""


def _repair_texture(spec: mujoco.MjSpec, texture: Any, paths: AssetPaths) -> None:
    """Leave out a texture without its file; materials keep their colours."""
    folder = texture.compiler.texturedir
    files = {name for name in (texture.file, *texture.cubefiles) if name}
    missing = sorted(name for name in files if paths.expected(name, folder) is None)
    if not missing:
        if texture.file:
            texture.file = str(paths.expected(texture.file, folder))
        texture.cubefiles = [str(paths.expected(name, folder)) if name else "" for name in texture.cubefiles]
        return
    repair(f"{paths.model}: texture '{texture.name}'", f"file '{missing[0]}' not found", "left out")
    for material in spec.materials:
        material.textures = ["" if name == texture.name else name for name in material.textures]
    spec.delete(texture)


def _leave_out_unknown_materials(spec: mujoco.MjSpec, path: Path) -> None:
    known = {"", *(material.name for material in spec.materials)}
    users = [*spec.geoms, *spec.sites]
    for name in sorted({user.material for user in users} - known):
        repair(f"{path}: material '{name}'", "there is none of this name", "left out")
    for user in users:
        if user.material not in known:
            user.material = ""
