"""Files of a MuJoCo model: meshes that MuJoCo cannot decode are converted, and what is missing is left out.

Each change is a repair, see `ipc_articulation.repairs`, except the conversion of a mesh, which changes nothing.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
from ipc_articulation.adapters.mujoco.asset_paths import AssetPaths
from ipc_articulation.adapters.mujoco.pictures import fault_of_picture, leave_out_unknown_materials, repair_texture
from ipc_articulation.adapters.mujoco.sizes import POINTS

from ipc_articulation.coupling.mesh_files import LARGEST, STL_START, STL_TRIANGLE, TOO_LARGE, read_mesh
from ipc_articulation.coupling.solids import bare
from ipc_articulation.errors import MeshError, ModelError
from ipc_articulation.repairs import repair

_MOST_TRIANGLES = 200_000  # that MuJoCo takes from an STL file
DECODED = (".obj", ".msh", ".stl")
TAGS = {"mesh": "mesh", "height field": "hfield", "skin": "skin"}
_FIELDS = {"mesh": "meshname", "height field": "hfieldname"}  # of a geom made of an asset


def repair_files(spec: mujoco.MjSpec, paths: AssetPaths) -> None:
    """Make a model compile in spite of meshes, textures, height fields and skins that MuJoCo cannot read.

    Args:
        spec: The model, with its own `modelfiledir`.
        paths: Its folders.

    Raises:
        MeshError, ModelError: Repairs are refused, and a file is missing or cannot be read.
        MissingPackageError: A mesh needs a package that is not installed.
    """
    for mesh in list(spec.meshes):
        if mesh.file:
            _repair_mesh(spec, mesh, paths)
    for kind, elements in (("height field", spec.hfields), ("skin", spec.skins)):
        for element in list(elements):
            if element.file:
                _repair_other(spec, kind, element, paths)
    for texture in list(spec.textures):
        repair_texture(spec, texture, paths)
    leave_out_unknown_materials(spec, paths.model)
    spec.memory = spec.njmax = spec.nconmax = -1  # as much as MuJoCo needs, not as the file says
    spec.strippath = False  # of paths that are complete now


def _repair_mesh(spec: mujoco.MjSpec, mesh: Any, paths: AssetPaths) -> None:
    if not np.isfinite(mesh.scale).all():
        place = f"{paths.place('mesh', mesh)}: mesh '{mesh.name}'"
        raise ModelError(f"{place}: its scale is {' '.join(f'{x:g}' for x in mesh.scale)}; give 3 finite numbers")
    mesh.name = mesh.name or Path(mesh.file).stem  # MuJoCo's own rule
    file = _found(paths, mesh, "mesh", mesh.compiler.meshdir)
    if file is None:
        leave_out(spec, paths.place("mesh", mesh), "mesh", mesh, paths.fault(mesh.file))
    elif file.stat().st_size > LARGEST:
        leave_out(spec, paths.place("mesh", mesh), "mesh", mesh, TOO_LARGE)
    elif not (file.suffix.lower() in DECODED and _decodes(file)):
        try:
            convert(mesh, file)
        except MeshError as error:
            fault = str(error).removeprefix(f"file '{file}'").lstrip(" :").partition(";")[0]
            leave_out(spec, paths.place("mesh", mesh), "mesh", mesh, fault, MeshError)


def _repair_other(spec: mujoco.MjSpec, kind: str, element: Any, paths: AssetPaths) -> None:
    """Leave out a height field or a skin without a file that can be read."""
    tag = TAGS[kind]
    file = _found(paths, element, kind, spec.meshdir)
    fault = paths.fault(element.file) if file is None else fault_of_picture(file, POINTS)
    if fault is not None:
        leave_out(spec, paths.place(tag, element), kind, element, fault)


def _found(paths: AssetPaths, element: Any, kind: str, folder: str) -> Path | None:
    """The file of an element; its path in the model is made complete, which is a repair if it was wrong."""
    name = element.file
    file = paths.expected(name, folder)
    if file is None:
        file = paths.elsewhere(name)
        if file is not None:
            fault, remedy = f"file '{name}' {paths.fault(name)}", f"read from '{file}'"
            repair(f"{kind} '{element.name}'", fault, remedy, at=paths.place(TAGS[kind], element))
    if file is not None:
        element.file = str(file.resolve())
    return file


def _decodes(file: Path) -> bool:
    """Whether MuJoCo reads a mesh file of one of its formats: an .stl if it is binary and of the right length."""
    if file.suffix.lower() != ".stl":
        return True
    with file.open("rb") as stream:
        header = stream.read(STL_START)
    if len(header) < STL_START:
        return False
    (count,) = struct.unpack("<I", header[-4:])
    return 0 < count <= _MOST_TRIANGLES and file.stat().st_size == STL_START + STL_TRIANGLE * count


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


def leave_out(spec: mujoco.MjSpec, place: str, kind: str, element: Any, fault: str, error: Any = ModelError) -> None:
    """Remove an asset and the geoms made of it; a repair at a place, which is the file and the line."""
    geoms = geoms_of(spec, element, _FIELDS[kind]) if kind in _FIELDS else []
    said = "".join(f", and geom{_geom_name(geom)} of body '{geom.parent.name}'{_role(geom)}" for geom in geoms)
    file = f"file '{element.file}' " if element.file else "it "
    repair(f"{kind} '{element.name}'", f"{file}{fault}", f"left out{said}", error, at=place)
    gone = {geom.name for geom in geoms if geom.name}
    for pair in list(spec.pairs):
        if gone & {pair.geomname1, pair.geomname2}:
            spec.delete(pair)
    owners = {geom.parent.name: geom.parent for geom in geoms if geom.contype or geom.conaffinity}
    for removed in (*geoms, element):
        spec.delete(removed)
    for body in owners.values():
        refuse_bare(body)


def refuse_bare(body: Any) -> None:
    """A body must not lose all its geoms that collide.

    Raises:
        MeshError: It has.
    """
    if not any(geom.contype or geom.conaffinity for geom in body.geoms):
        raise bare(f"body '{body.name}': none of its geoms that collide has a volume")


def geoms_of(spec: mujoco.MjSpec, asset: Any, field: str = "meshname") -> list[Any]:
    """The geoms made of a mesh, or of a height field (field «hfieldname»)."""
    return [geom for geom in spec.geoms if getattr(geom, field) == asset.name]


def _geom_name(geom: Any) -> str:
    return f" '{geom.name}'" if geom.name else ""


def _role(geom: Any) -> str:
    return ", which collides" if geom.contype or geom.conaffinity else ""
