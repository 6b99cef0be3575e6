"""Closed surfaces from triangles, and from mesh files of any format that trimesh reads: STL, OBJ, PLY, OFF, glTF, …"""

from __future__ import annotations

from contextlib import suppress
from io import BytesIO, StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ipc_articulation.arrays import Array, Bools, Colour, Ints
from ipc_articulation.contact.inside import is_inside
from ipc_articulation.coupling.adapter import ClosedMesh
from ipc_articulation.errors import MeshError, MissingPackageError
from ipc_articulation.extras import need
from ipc_articulation.packages import is_file
from ipc_articulation.repairs import caution
from ipc_articulation.signals import interrupts_deferred

if TYPE_CHECKING:
    import trimesh

LARGEST = 256 << 20  # bytes of a file
TOO_LARGE = f"is larger than {LARGEST >> 20} MB"
STL_START, STL_TRIANGLE = 84, 50  # bytes
FLAT = 1e-12  # thickness that counts as none: volume relative to area and length
_READERS = {".dae": "collada", ".3mf": "networkx"}  # formats that name their unit, and what trimesh reads them with
_TOUCH = 1e-6  # depth relative to the size up to which parts touch and do not overlap


def meshes() -> Any:
    """trimesh, imported at its first use: it takes a tenth of a second, and boxes do not need it."""
    with interrupts_deferred:
        import trimesh
    return trimesh


def closed_mesh(file: Path, scale: float = 1.0) -> ClosedMesh:
    """The surface in a mesh file; the parts of a file are joined, each where it stands in the file.

    Args:
        file: The file.
        scale: Factor on its lengths, whatever their unit, to metres.

    Raises:
        MeshError: The file cannot be read, has no triangles, or its surface is not closed or has no volume.
    """
    name = f"mesh '{file}'"
    mesh = read_mesh(file, scale, name)
    if found := defect(mesh):
        advice = "close it, or give another shape"
        raise MeshError(f"{name} is not closed, so it has no volume and no mass; {advice}: {found}")
    surface = oriented(mesh, name)
    _warn_of_overlaps(mesh, name)
    return surface


def read_mesh(file: Path, scale: ArrayLike, name: str, finite: bool = False) -> trimesh.Trimesh:
    """The triangles in a mesh file, equal vertices merged, without triangles that have a corner twice.

    Lengths in COLLADA (.dae) and 3MF files are in the unit that the file names; COLLADA's up axis has no effect, as in
    RViz.

    Args:
        file: The file.
        scale: Factor on its lengths, or one for each axis, (3,).
        name: What the message calls the mesh.
        finite: Whether vertices that are not finite are refused; else their triangles are left out.

    Raises:
        MeshError: The file cannot be read, has no triangles, or has a vertex that is refused.
        MissingPackageError: What reads COLLADA, 3MF, or polygons of PLY is not installed.
    """
    if not is_file(file):
        raise MeshError(f"{name} cannot be read: there is no such file")
    if package := _READERS.get(file.suffix.lower()):
        need(package)
    try:
        mesh = _loaded(file, name, process=False)
        unit = _unit(file, mesh)
        mesh = mesh.to_mesh()
    except (MeshError, MissingPackageError):
        raise
    except Exception as error:  # trimesh's readers raise many kinds of exceptions
        known = meshes().available_formats()
        advice = "" if file.suffix[1:].lower() in known else f"; formats that can: {', '.join(sorted(known))}"
        raise MeshError(f"{name} cannot be read: {error}{advice}") from error
    if len(getattr(mesh, "faces", ())):
        _treat_not_finite(mesh, name, finite)
        mesh.merge_vertices(merge_tex=True, merge_norm=True)
        mesh.update_faces((mesh.faces != np.roll(mesh.faces, 1, axis=1)).all(axis=1))
    if not len(getattr(mesh, "faces", ())):
        raise MeshError(f"{name} holds no triangles")
    return mesh.apply_scale(unit * np.asarray(scale))


def _treat_not_finite(mesh: trimesh.Trimesh, name: str, refused: bool) -> None:
    bad = ~np.isfinite(mesh.vertices).all(axis=1)
    if not bad.any():
        return
    if refused:
        vertex = int(np.argmax(bad))
        x, y, z = mesh.vertices[vertex]
        raise MeshError(f"{name}: vertex {vertex} is ({x:g}, {y:g}, {z:g}); give three finite numbers")
    mesh.remove_infinite_values()


def read_coloured(file: Path, scale: ArrayLike) -> list[tuple[trimesh.Trimesh, Colour | None]]:
    """The parts of a mesh file, each with its colour, if the file has one; arguments as those of `read_mesh`.

    A file that cannot be read has no parts.
    """
    try:
        scene = _loaded(file, f"mesh '{file}'")
        parts = [part for part in scene.dump() if len(getattr(part, "faces", ()))]
        coloured = [(part, _colour(part)) for part in parts]
    except Exception:  # trimesh's readers raise many kinds of exceptions
        return []
    for part in parts:
        part.apply_scale(_unit(file, scene) * np.asarray(scale))
    return coloured


def _loaded(file: Path, name: str, **options: Any) -> trimesh.Scene:
    """What trimesh reads from a file; it takes polygons for convex, so those of OBJ, OFF and PLY are cut apart here."""
    source: Any = _counted(file, name)
    options |= {"file_type": file.suffix[1:].lower(), "resolver": meshes().resolvers.FilePathResolver(file)}
    if options["file_type"] == "ply":
        return _ply(file, options)
    if options["file_type"] in ("obj", "off"):
        text = file.read_text(encoding="utf-8-sig", errors="replace")
        text = _cutting().obj_of_off(text) if options["file_type"] == "off" else text
        source, options["file_type"] = StringIO(_cutting().obj_of_triangles(text)), "obj"
    return meshes().load_scene(source, **options)


def _cutting() -> Any:
    """The module `polygons`, imported at its first use as trimesh is."""
    with interrupts_deferred:
        from ipc_articulation.coupling import polygons
    return polygons


def _ply(file: Path, options: dict[str, Any]) -> trimesh.Scene:
    """A PLY file, through meshio if it has polygons: trimesh reads no binary ones of different numbers of corners."""
    with suppress(ValueError):
        scene = meshes().load_scene(file, **options)
        parts = [part for part in scene.geometry.values() if hasattr(part, "faces")]
        if all(len(part.faces) <= part.metadata["_ply_raw"]["face"]["length"] for part in parts):
            return scene
    read = need("meshio").ply.read(file)
    points, data = read.points, read.point_data
    triangles = [
        block.data[np.arange(len(block.data))[:, None, None], _cutting().cut(points[block.data])]
        for block in read.cells
    ]
    colours = np.stack([data[channel] for channel in ("red", "green", "blue")], axis=1) if "red" in data else None
    faces = np.concatenate(triangles, axis=None).reshape(-1, 3)
    return meshes().Scene(meshes().Trimesh(points, faces, vertex_colors=colours, process=False))


def _counted(file: Path, name: str) -> Path | BytesIO:
    """A mesh file; of a binary STL file that goes on after the triangles which it counts, only these.

    A binary STL file has 80 bytes of title, the number of triangles as `uint32`, and 50 bytes for each triangle; in one
    of text, no byte is zero. Its lines may end in CR alone, and `endsolid` at its end may be missing.

    Raises:
        MeshError: It ends before.
    """
    with file.open("rb") as stream:
        start = stream.read(STL_START)
        if file.suffix.lower() != ".stl" or len(start) < STL_START:
            return file
        if b"\0" not in start:
            return BytesIO(_whole_text(start + stream.read()))
        count, given = int.from_bytes(start[-4:], "little"), (file.stat().st_size - STL_START) // STL_TRIANGLE
        if given < count:
            raise MeshError(f"{name} ends too early: it has {given} of {count} triangles")
        return BytesIO(start + stream.read(STL_TRIANGLE * count))


def _whole_text(content: bytes) -> bytes:
    """An STL file of text with LF at the end of every line, and `endsolid` at its end."""
    lines = content.rstrip().splitlines()
    if lines and not lines[-1].strip().lower().startswith(b"endsolid"):
        lines.append(b"endsolid")
    return b"\n".join(lines) + b"\n"


def _unit(file: Path, mesh: trimesh.Trimesh | trimesh.Scene) -> float:
    """The unit of lengths in a file [m]."""
    return meshes().units.unit_conversion(mesh.units, "meters") if file.suffix.lower() in _READERS else 1.0


def _colour(mesh: trimesh.Trimesh) -> Colour | None:
    """The colour of a mesh's material, or the one that most of its triangles have; None where the file has none."""
    visual = mesh.visual
    if visual.kind == "texture":
        main = visual.material.main_color
    elif visual.kind is not None:
        main = visual.main_color
    else:
        return None
    red, green, blue, opacity = (np.asarray(main)[:4] / 255.0).tolist()
    return red, green, blue, opacity


def defect(mesh: trimesh.Trimesh) -> str | None:
    """The reason why a surface is not closed; None if it is."""
    if mesh.is_watertight and mesh.is_winding_consistent:
        return None
    _, counts = np.unique(mesh.edges_unique_inverse, return_counts=True)
    odd = int(np.sum(counts != 2))
    return (
        f"{odd} of its {len(counts)} edges do not have two triangles" if odd else "its triangles are not oriented alike"
    )


def oriented(mesh: trimesh.Trimesh, name: str) -> ClosedMesh:
    """A mesh that is known to be closed, each part turned outside out if it looks inward and is no cavity.

    Args:
        mesh: The mesh, which is changed.
        name: What the message calls it.

    Raises:
        MeshError: It has no volume.
    """
    with np.errstate(divide="ignore", invalid="ignore"):  # trimesh divides by the volume, for the centre of mass
        if mesh.volume < 0.0:
            mesh.invert()
        _turn_parts(mesh)
        if not mesh.volume > FLAT * mesh.area * mesh.scale:
            raise without_volume(name)
    return ClosedMesh(np.array(mesh.vertices, dtype=float), np.array(mesh.faces, dtype=np.int32))


def _parts(mesh: trimesh.Trimesh) -> tuple[Ints, Array]:
    """The part of each triangle, and six times the volumes of the parts."""
    part = meshes().graph.connected_component_labels(mesh.face_adjacency, node_count=len(mesh.faces))
    return part, np.bincount(part, np.linalg.det(mesh.triangles - mesh.vertices[0])).astype(float)


def _is_within(mesh: trimesh.Trimesh, is_part: Bools) -> bool:
    """Whether a part is in the solid that the others enclose."""
    others = mesh.faces[~is_part]
    return is_inside(mesh.vertices[mesh.faces[np.argmax(is_part), :1]], mesh.vertices, others)


def _turn_parts(mesh: trimesh.Trimesh) -> None:
    part, volumes = _parts(mesh)
    for k in np.flatnonzero(volumes < 0.0) if len(volumes) > 1 else ():
        if not _is_within(mesh, part == k):
            mesh.faces[part == k] = mesh.faces[part == k][:, ::-1]


def _warn_of_overlaps(mesh: trimesh.Trimesh, name: str) -> None:
    """Say that volume which several parts of a mesh enclose counts several times; parts may touch."""
    part, volumes = _parts(mesh)
    if len(volumes) == 1:
        return
    with interrupts_deferred:
        import ipctk
    shrunk = meshes().Trimesh(mesh.vertices - _TOUCH * mesh.scale * mesh.vertex_normals, mesh.faces, process=False)
    surface = ipctk.CollisionMesh(shrunk.vertices, shrunk.edges_unique, shrunk.faces)
    within = (_is_within(shrunk, part == k) for k in np.flatnonzero(volumes > 0.0))
    if ipctk.has_intersections(surface, shrunk.vertices) or any(within):
        fault = "its parts overlap, and what they share counts several times in mass and inertia"
        caution(f"{name}: {fault}; unite them, or turn the walls of cavities inward", MeshError)


def without_volume(name: str) -> MeshError:
    """The error of a flat surface."""
    return MeshError(f"{name} has no volume; give it a thickness")
