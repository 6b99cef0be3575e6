"""Closed, outward oriented triangle surfaces of the shapes that robots are made of; adapters share them.

Round shapes are inscribed polyhedra of 66 to 258 vertices: their vertices lie on the true surface.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import numpy as np
import trimesh
from numpy.typing import ArrayLike, NDArray

from ipc_articulation.coupling.adapter import Array, Mesh
from ipc_articulation.errors import MeshError

MeshShape = Literal["mesh", "hull"]

_SECTIONS = 32  # around a cylinder
_CAPSULE_COUNT = [16, 16]  # latitudes and longitudes
_SPHERE_SUBDIVISIONS = 2  # 162 vertices


def box(size: ArrayLike) -> Mesh:
    """A cuboid about the origin with edges of some lengths, (3,) [m]."""
    return _as_mesh(trimesh.creation.box(extents=size))


def sphere(radius: float) -> Mesh:
    """A ball about the origin; radius in m."""
    return _as_mesh(trimesh.creation.icosphere(subdivisions=_SPHERE_SUBDIVISIONS, radius=radius))


def ellipsoid(radii: ArrayLike) -> Mesh:
    """An ellipsoid about the origin with half axes along x, y and z, (3,) [m]."""
    mesh = trimesh.creation.icosphere(subdivisions=_SPHERE_SUBDIVISIONS)
    mesh.apply_scale(radii)
    return _as_mesh(mesh)


def cylinder(radius: float, length: float) -> Mesh:
    """A cylinder along z about the origin; radius and length in m."""
    return _as_mesh(trimesh.creation.cylinder(radius=radius, height=length, sections=_SECTIONS))


def capsule(radius: float, length: float) -> Mesh:
    """A cylinder along z about the origin with half a ball at each end; radius and length between centres in m."""
    mesh = trimesh.creation.capsule(radius=radius, height=length, count=_CAPSULE_COUNT)
    mesh.apply_translation(-mesh.bounds.mean(axis=0))
    return _as_mesh(mesh)


def closed(vertices: ArrayLike, faces: ArrayLike, mesh_shape: MeshShape, name: str, adapter: str) -> Mesh:
    """Triangles from elsewhere, equal vertices merged, turned outside out if they look inward.

    Args:
        vertices: (V, 3) [m].
        faces: (F, 3).
        mesh_shape: «mesh» takes the triangles as they are, «hull» their convex hull.
        name: What the message calls them, such as «mesh 'hand'».
        adapter: The adapter's class, for the message.

    Raises:
        MeshError: They are not closed, and no hull is asked for.
    """
    mesh = trimesh.Trimesh(vertices, faces)
    if mesh_shape == "hull":
        return _as_mesh(mesh.convex_hull)
    if not mesh.is_watertight or not mesh.is_winding_consistent:
        raise MeshError(
            f"{name} is not a closed surface; close it, or couple its convex hull with "
            f'{adapter}(..., mesh_shape="hull")'
        )
    return _as_mesh(mesh)


def join(meshes: Iterable[tuple[Mesh, NDArray[np.float64]]]) -> Mesh:
    """Several closed surfaces in one: (mesh, transform) pairs, the transforms (4, 4) from mesh to common frame."""
    vertices: list[Array] = []
    faces: list[NDArray[np.int32]] = []
    count = 0
    for mesh, transform in meshes:
        vertices.append(mesh.vertices @ transform[:3, :3].T + transform[:3, 3])
        faces.append(mesh.faces + count)
        count += len(mesh.vertices)
    return Mesh(np.concatenate(vertices), np.concatenate(faces).astype(np.int32))


def _as_mesh(mesh: trimesh.Trimesh) -> Mesh:
    if mesh.volume < 0.0:
        mesh.invert()
    return Mesh(np.array(mesh.vertices, dtype=float), np.array(mesh.faces, dtype=np.int32))
