"""Closed, outward oriented triangle surfaces of the shapes that bodies are made of, for adapters and scene files.

Round shapes are inscribed polyhedra of 66 to 258 vertices: their vertices lie on the true surface.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ipc_articulation.arrays import Array
from ipc_articulation.coupling.adapter import ClosedMesh
from ipc_articulation.coupling.mesh_files import FLAT, defect, meshes, oriented, read_mesh, without_volume
from ipc_articulation.dynamics.model.shapes import (
    Box,
    Capsule,
    Cylinder,
    Ellipsoid,
    Geometry,
    MeshFile,
    Sphere,
    Triangles,
)
from ipc_articulation.errors import MeshError
from ipc_articulation.repairs import repair
from ipc_articulation.signals import interrupts_deferred

if TYPE_CHECKING:
    import trimesh

MeshShape = Literal["mesh", "hull"]

_CUBE = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
_BOX_FACES = np.array(
    [
        *([1, 3, 0], [4, 1, 0], [0, 3, 2], [2, 4, 0], [1, 7, 3], [5, 1, 4]),
        *([5, 7, 1], [3, 7, 2], [6, 4, 2], [2, 7, 6], [6, 5, 4], [7, 5, 6]),
    ],
    dtype=np.int32,
)
_SECTIONS = 32  # around a cylinder
_CAPSULE_COUNT = [16, 16]  # latitudes and longitudes
_SPHERE_SUBDIVISIONS = 2  # 162 vertices


def surface(geometry: Geometry, owner: str = "", mesh_shape: MeshShape = "mesh", name: str = "") -> ClosedMesh:
    """The surface of one shape in its own frame; open meshes are closed, which is a repair.

    Args:
        geometry: The shape.
        owner: Whose shape it is, for messages, such as «link 'hand'».
        mesh_shape: «mesh» takes the triangles of meshes, «hull» their convex hull.
        name: What messages call the shape; else it is named after its kind and its owner.

    Raises:
        MeshError: A mesh cannot be read, the shape has no volume, or repairs are refused and a mesh is open.
    """
    name = name or _name(geometry, owner)
    match geometry:
        case Box():
            return _box(np.array(geometry.size, dtype=float), name)
        case Sphere():
            return _ball([geometry.radius] * 3, name)
        case Ellipsoid():
            return _ball(geometry.radii, name)
        case Cylinder():
            return oriented(meshes().creation.cylinder(geometry.radius, geometry.length, sections=_SECTIONS), name)
        case Capsule():
            mesh = meshes().creation.capsule(radius=geometry.radius, height=geometry.length, count=_CAPSULE_COUNT)
            mesh.apply_translation(-mesh.bounds.mean(axis=0))
            return oriented(mesh, name)
        case Triangles():
            return _closed(meshes().Trimesh(geometry.vertices, geometry.faces), mesh_shape, name)
        case MeshFile():
            return _closed(read_mesh(geometry.path, geometry.scale, name), mesh_shape, name)


def touching(geometry: Geometry, owner: str, mesh_shape: MeshShape, name: str = "") -> ClosedMesh | None:
    """The surface of a robot's shape; None if it has none, which is a repair. Arguments as those of `surface`.

    Raises:
        MeshError: Repairs are refused, and a mesh is open or cannot be read, or the shape has no volume.
    """
    name = name or _name(geometry, owner)
    try:
        return surface(geometry, owner, mesh_shape, name)
    except MeshError as error:
        fault = str(error).removeprefix(name).lstrip(": ").partition(";")[0]
        repair(name, fault, "left out of contact", MeshError)
        return None


def join(meshes: Iterable[tuple[ClosedMesh | None, Array]]) -> ClosedMesh | None:
    """Several closed surfaces in one: (mesh, transform) pairs, the transforms (4, 4) from mesh to common frame.

    Those that are None are left out; without others, the result is None.
    """
    vertices: list[Array] = []
    faces: list[NDArray[np.int32]] = []
    count = 0
    for mesh, transform in meshes:
        if mesh is None:
            continue
        vertices.append(mesh.vertices @ transform[:3, :3].T + transform[:3, 3])
        faces.append(mesh.faces + count)
        count += len(mesh.vertices)
    return ClosedMesh(np.concatenate(vertices), np.concatenate(faces).astype(np.int32)) if vertices else None


def _name(geometry: Geometry, owner: str) -> str:
    match geometry:
        case Triangles():
            return f"the triangle mesh of {owner}"
        case MeshFile():
            return f"mesh '{geometry.path.name}' of {owner}"
    return f"the {type(geometry).__name__.lower()} of {owner}"


def _box(size: Array, name: str) -> ClosedMesh:
    area = 2.0 * (size[0] * size[1] + size[1] * size[2] + size[2] * size[0])
    if not size.prod() > FLAT * area * np.linalg.norm(size):
        raise without_volume(name)
    return ClosedMesh(_CUBE * size, _BOX_FACES.copy())


def _ball(radii: ArrayLike, name: str) -> ClosedMesh:
    mesh = meshes().creation.icosphere(subdivisions=_SPHERE_SUBDIVISIONS)
    mesh.vertices *= radii
    return oriented(mesh, name)


def _closed(mesh: trimesh.Trimesh, mesh_shape: MeshShape, name: str) -> ClosedMesh:
    if mesh_shape == "mesh":
        fault = defect(mesh)
        return oriented(mesh, name) if fault is None else _repaired(mesh, name, fault)
    with interrupts_deferred:
        from ipc_articulation.coupling.open_meshes import hull
    convex = hull(mesh)
    if convex is None:
        raise without_volume(name)
    return oriented(convex, name)


def _repaired(mesh: trimesh.Trimesh, name: str, fault: str) -> ClosedMesh:
    with interrupts_deferred:
        from ipc_articulation.coupling.open_meshes import WHOLE_HULL, close
    closed = close(mesh)
    if closed is None:
        raise without_volume(name)
    surface, changes = oriented(closed[0], name), closed[1]
    remedy, detail = (changes, "") if changes == WHOLE_HULL else ("closed", changes)
    repair(name, "not a closed surface", remedy, MeshError, found=fault, detail=detail)
    return surface
