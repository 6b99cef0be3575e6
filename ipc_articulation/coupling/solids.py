"""Closed, outward oriented triangle surfaces of the shapes that bodies are made of, for adapters and scene files.

Round shapes are inscribed polyhedra of 66 to 258 vertices: their vertices lie on the true surface.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import numpy as np
import trimesh
from numpy.typing import ArrayLike, NDArray

from ipc_articulation.arrays import Array
from ipc_articulation.coupling.adapter import ClosedMesh
from ipc_articulation.coupling.mesh_files import oriented, read_mesh, require_closed, without_volume
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

MeshShape = Literal["mesh", "hull"]

_SECTIONS = 32  # around a cylinder
_CAPSULE_COUNT = [16, 16]  # latitudes and longitudes
_SPHERE_SUBDIVISIONS = 2  # 162 vertices


def surface(geometry: Geometry, owner: str = "", mesh_shape: MeshShape = "mesh", adapter: str = "") -> ClosedMesh:
    """The surface of one shape in its own frame.

    Args:
        geometry: The shape.
        owner: Whose shape it is, for messages, such as «link 'hand'».
        mesh_shape: «mesh» takes the triangles of meshes, which must be closed; «hull» their convex hull.
        adapter: The adapter's class, for messages.

    Raises:
        MeshError: A mesh cannot be read, or is not closed and no hull is asked for; or the shape has no volume.
    """
    name = f"the {type(geometry).__name__.lower()} of {owner}"
    match geometry:
        case Box():
            return oriented(trimesh.creation.box(extents=geometry.size), name)
        case Sphere():
            return _ball([geometry.radius] * 3, name)
        case Ellipsoid():
            return _ball(geometry.radii, name)
        case Cylinder():
            return oriented(trimesh.creation.cylinder(geometry.radius, geometry.length, sections=_SECTIONS), name)
        case Capsule():
            mesh = trimesh.creation.capsule(radius=geometry.radius, height=geometry.length, count=_CAPSULE_COUNT)
            mesh.apply_translation(-mesh.bounds.mean(axis=0))
            return oriented(mesh, name)
        case Triangles():
            name = f"the triangle mesh of {owner}"
            return closed(geometry.vertices, geometry.faces, mesh_shape, name, adapter)
        case MeshFile():
            name = f"mesh file '{geometry.path}' of {owner}"
            return _closed(read_mesh(geometry.path, geometry.scale, name), mesh_shape, name, adapter)


def closed(vertices: ArrayLike, faces: ArrayLike, mesh_shape: MeshShape, name: str, adapter: str) -> ClosedMesh:
    """Triangles from elsewhere, equal vertices merged, turned outside out if they look inward.

    Args:
        vertices: (V, 3) [m].
        faces: (F, 3).
        mesh_shape: «mesh» takes the triangles as they are, «hull» their convex hull.
        name: What the message calls them, such as «mesh 'hand'».
        adapter: The adapter's class, for the message.

    Raises:
        MeshError: They are not closed, and no hull is asked for; or they have no volume.
    """
    return _closed(trimesh.Trimesh(vertices, faces), mesh_shape, name, adapter)


def join(meshes: Iterable[tuple[ClosedMesh, Array]]) -> ClosedMesh:
    """Several closed surfaces in one: (mesh, transform) pairs, the transforms (4, 4) from mesh to common frame."""
    vertices: list[Array] = []
    faces: list[NDArray[np.int32]] = []
    count = 0
    for mesh, transform in meshes:
        vertices.append(mesh.vertices @ transform[:3, :3].T + transform[:3, 3])
        faces.append(mesh.faces + count)
        count += len(mesh.vertices)
    return ClosedMesh(np.concatenate(vertices), np.concatenate(faces).astype(np.int32))


def _ball(radii: ArrayLike, name: str) -> ClosedMesh:
    mesh = trimesh.creation.icosphere(subdivisions=_SPHERE_SUBDIVISIONS)
    mesh.vertices *= radii
    return oriented(mesh, name)


def _closed(mesh: trimesh.Trimesh, mesh_shape: MeshShape, name: str, adapter: str) -> ClosedMesh:
    if mesh_shape == "mesh":
        advice = f'close it, or couple its convex hull with {adapter}(..., mesh_shape="hull")'
        return require_closed(mesh, name, f"is not a closed surface; {advice}")
    if np.linalg.matrix_rank(mesh.vertices - mesh.vertices[0]) < 3:
        raise without_volume(name)
    return oriented(mesh.convex_hull, name)
