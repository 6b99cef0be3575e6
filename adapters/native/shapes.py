"""Shapes of links as closed, outward oriented triangle surfaces."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import trimesh

from ipc_articulation.coupling import solids
from ipc_articulation.coupling.adapter import Mesh
from ipc_articulation.coupling.solids import MeshShape
from ipc_articulation.dynamics.model.shapes import Box, Capsule, Cylinder, Geometry, MeshFile, Shape, Sphere, Triangles
from ipc_articulation.errors import MeshError


def surface(shapes: Sequence[Shape], owner: str, mesh_shape: MeshShape = "mesh") -> Mesh | None:
    """The surfaces of some shapes together, in the frame that they are placed in; None where there is no shape.

    Args:
        shapes: Shapes of a body.
        owner: The body's name, for messages.
        mesh_shape: «mesh» takes the triangles of meshes, «hull» their convex hull.

    Raises:
        MeshError: A mesh cannot be read, or is not closed.
    """
    if not shapes:
        return None
    return solids.join((geometry_mesh(shape.geometry, owner, mesh_shape), np.asarray(shape.pose)) for shape in shapes)


def geometry_mesh(geometry: Geometry, owner: str, mesh_shape: MeshShape = "mesh") -> Mesh:
    """The surface of one shape in its own frame; arguments and errors as in `surface`."""
    match geometry:
        case Box():
            return solids.box(geometry.size)
        case Sphere():
            return solids.sphere(geometry.radius)
        case Cylinder():
            return solids.cylinder(geometry.radius, geometry.length)
        case Capsule():
            return solids.capsule(geometry.radius, geometry.length)
        case MeshFile():
            return _from_file(geometry, owner, mesh_shape)
        case Triangles():
            name = f"the triangle mesh of link '{owner}'"
            return solids.closed(geometry.vertices, geometry.faces, mesh_shape, name, "NativeAdapter")


def _from_file(file: MeshFile, owner: str, mesh_shape: MeshShape) -> Mesh:
    name = f"mesh file '{file.path}' of link '{owner}'"
    try:
        mesh = trimesh.load_mesh(file.path)
    except Exception as error:  # each reader of trimesh fails in its own way
        raise MeshError(f"{name} cannot be read: {error}") from error
    if not len(mesh.faces):
        raise MeshError(f"{name} holds no triangles")
    return solids.closed(np.asarray(mesh.vertices) * file.scale, mesh.faces, mesh_shape, name, "NativeAdapter")
