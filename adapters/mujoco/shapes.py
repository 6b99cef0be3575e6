"""Geoms as closed, outward oriented triangle surfaces in the geom's own frame."""

from __future__ import annotations

import mujoco
from ipc_articulation.adapters.mujoco.names import name_of

from ipc_articulation.coupling import solids
from ipc_articulation.coupling.adapter import Mesh
from ipc_articulation.coupling.solids import MeshShape
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
    kind, (a, b, c) = Geom(model.geom_type[geom]), model.geom_size[geom].tolist()
    match kind:  # sizes are half lengths, or radius and half length
        case Geom.mjGEOM_MESH:
            return _asset(model, int(model.geom_dataid[geom]), mesh_shape)
        case Geom.mjGEOM_BOX:
            return solids.box((2.0 * a, 2.0 * b, 2.0 * c))
        case Geom.mjGEOM_SPHERE:
            return solids.sphere(a)
        case Geom.mjGEOM_ELLIPSOID:
            return solids.ellipsoid((a, b, c))
        case Geom.mjGEOM_CYLINDER:
            return solids.cylinder(a, 2.0 * b)
        case Geom.mjGEOM_CAPSULE:
            return solids.capsule(a, 2.0 * b)
    owner = name_of(model, "body", model.geom_bodyid[geom])
    raise UnsupportedError(
        f"geom '{name_of(model, 'geom', geom)}' of body '{owner}' is of type {kind.name[7:].lower()}; "
        "IPC bodies are made of box, sphere, capsule, cylinder, ellipsoid, mesh "
        "(planes only on bodies welded to the world)"
    )


def _asset(model: mujoco.MjModel, mesh_id: int, mesh_shape: MeshShape) -> Mesh:
    """A mesh asset in MuJoCo's frame for it: re-centred and turned, as geom_pos and geom_quat expect."""
    first_vertex, first_face = model.mesh_vertadr[mesh_id], model.mesh_faceadr[mesh_id]
    vertices = model.mesh_vert[first_vertex : first_vertex + model.mesh_vertnum[mesh_id]].astype(float)
    faces = model.mesh_face[first_face : first_face + model.mesh_facenum[mesh_id]]
    return solids.closed(vertices, faces, mesh_shape, f"mesh '{name_of(model, 'mesh', mesh_id)}'", "MujocoAdapter")
