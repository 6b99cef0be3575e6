"""Geoms as shapes, and as closed, outward oriented triangle surfaces, in the geom's own frame."""

from __future__ import annotations

import mujoco
import numpy as np
from ipc_articulation.adapters.mujoco.names import name_of

from ipc_articulation.coupling import solids
from ipc_articulation.coupling.adapter import Mesh
from ipc_articulation.coupling.solids import MeshShape
from ipc_articulation.dynamics.model.shapes import Box, Capsule, Cylinder, Ellipsoid, Geometry, Sphere, Triangles
from ipc_articulation.errors import UnsupportedError

Geom = mujoco.mjtGeom


def geom_mesh(model: mujoco.MjModel, geom: int, mesh_shape: MeshShape = "mesh") -> Mesh:
    """The surface of one geom, in its frame.

    Args:
        model: The model.
        geom: Number of the geom.
        mesh_shape: «mesh» takes the triangles of mesh geoms, «hull» their convex hull (what MuJoCo itself collides
            with).

    Raises:
        MeshError: A mesh is not closed.
        UnsupportedError: A geom has no closed surface here: height field, signed distance field, plane.
    """
    shape = geom_shape(model, geom)
    if isinstance(shape, Triangles):
        name = f"mesh '{name_of(model, 'mesh', int(model.geom_dataid[geom]))}'"
        return solids.closed(shape.vertices, shape.faces, mesh_shape, name, "MujocoAdapter")
    if shape is not None:
        return solids.surface(shape)
    owner, kind = name_of(model, "body", model.geom_bodyid[geom]), Geom(model.geom_type[geom]).name[7:].lower()
    raise UnsupportedError(
        f"geom '{name_of(model, 'geom', geom)}' of body '{owner}' is of type {kind}; "
        "IPC bodies are made of box, sphere, capsule, cylinder, ellipsoid, mesh "
        "(planes only on bodies welded to the world)"
    )


def geom_shape(model: mujoco.MjModel, geom: int) -> Geometry | None:
    """A geom in its own frame; None for kinds that no shape has: height field, signed distance field, plane."""
    a, b, c = model.geom_size[geom].tolist()  # half lengths, or radius and half length
    match Geom(model.geom_type[geom]):
        case Geom.mjGEOM_BOX:
            return Box((2.0 * a, 2.0 * b, 2.0 * c))
        case Geom.mjGEOM_SPHERE:
            return Sphere(a)
        case Geom.mjGEOM_ELLIPSOID:
            return Ellipsoid((a, b, c))
        case Geom.mjGEOM_CYLINDER:
            return Cylinder(a, 2.0 * b)
        case Geom.mjGEOM_CAPSULE:
            return Capsule(a, 2.0 * b)
        case Geom.mjGEOM_MESH:
            return _triangles(model, int(model.geom_dataid[geom]))
    return None


def _triangles(model: mujoco.MjModel, mesh: int) -> Triangles:
    """A mesh asset in MuJoCo's frame for it: re-centred and turned, as geom_pos and geom_quat expect."""
    vertex, face = model.mesh_vertadr[mesh], model.mesh_faceadr[mesh]
    return Triangles(
        model.mesh_vert[vertex : vertex + model.mesh_vertnum[mesh]].astype(np.float64),
        model.mesh_face[face : face + model.mesh_facenum[mesh]].astype(np.int32),
    )
