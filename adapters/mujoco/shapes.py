"""Geoms as closed, outward oriented triangle surfaces in the geom's own frame.

Round shapes are inscribed polyhedra of 66 to 258 vertices: their vertices lie on the true surface.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import mujoco
import numpy as np
import trimesh
from ipc_articulation.adapters.mujoco.names import name_of
from numpy.typing import NDArray

from ipc_articulation.coupling.adapter import Mesh
from ipc_articulation.errors import MeshError, UnsupportedError

MeshShape = Literal["mesh", "hull"]
Geom = mujoco.mjtGeom

_SECTIONS = 32  # around a cylinder
_CAPSULE_COUNT = [16, 16]  # latitudes and longitudes
_SPHERE_SUBDIVISIONS = 2  # 162 vertices


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
    kind, size = Geom(model.geom_type[geom]), model.geom_size[geom]
    if kind == Geom.mjGEOM_MESH:
        return _as_mesh(_asset(model, int(model.geom_dataid[geom]), mesh_shape))
    if kind not in _PRIMITIVES:
        owner = name_of(model, "body", model.geom_bodyid[geom])
        shapes = "box, sphere, capsule, cylinder, ellipsoid, mesh"
        raise UnsupportedError(
            f"geom '{name_of(model, 'geom', geom)}' of body '{owner}' is of type {kind.name[7:].lower()}; "
            f"IPC bodies are made of {shapes} (planes only on bodies welded to the world)"
        )
    return _as_mesh(_PRIMITIVES[kind](size))


def join(meshes: Iterable[tuple[Mesh, NDArray[np.float64]]]) -> Mesh:
    """Several closed surfaces in one: (mesh, transform) pairs, the transforms (4, 4) from mesh to common frame."""
    vertices, faces, count = [], [], 0
    for mesh, transform in meshes:
        vertices.append(mesh.vertices @ transform[:3, :3].T + transform[:3, 3])
        faces.append(mesh.faces + count)
        count += len(mesh.vertices)
    return Mesh(np.concatenate(vertices), np.concatenate(faces).astype(np.int32))


def _sphere(size: NDArray[np.float64]) -> trimesh.Trimesh:
    return trimesh.creation.icosphere(subdivisions=_SPHERE_SUBDIVISIONS, radius=size[0])


def _ellipsoid(size: NDArray[np.float64]) -> trimesh.Trimesh:
    mesh = trimesh.creation.icosphere(subdivisions=_SPHERE_SUBDIVISIONS)
    mesh.apply_scale(size)
    return mesh


def _capsule(size: NDArray[np.float64]) -> trimesh.Trimesh:
    return trimesh.creation.capsule(radius=size[0], height=2.0 * size[1], count=_CAPSULE_COUNT)


def _cylinder(size: NDArray[np.float64]) -> trimesh.Trimesh:
    return trimesh.creation.cylinder(radius=size[0], height=2.0 * size[1], sections=_SECTIONS)


def _box(size: NDArray[np.float64]) -> trimesh.Trimesh:
    return trimesh.creation.box(extents=2.0 * size)


_PRIMITIVES = {
    Geom.mjGEOM_SPHERE: _sphere,
    Geom.mjGEOM_ELLIPSOID: _ellipsoid,
    Geom.mjGEOM_CAPSULE: _capsule,
    Geom.mjGEOM_CYLINDER: _cylinder,
    Geom.mjGEOM_BOX: _box,
}


def _asset(model: mujoco.MjModel, mesh_id: int, mesh_shape: MeshShape) -> trimesh.Trimesh:
    """A mesh asset in MuJoCo's frame for it: re-centred and turned, as geom_pos and geom_quat expect."""
    first_vertex, first_face = model.mesh_vertadr[mesh_id], model.mesh_faceadr[mesh_id]
    vertices = model.mesh_vert[first_vertex : first_vertex + model.mesh_vertnum[mesh_id]].astype(float)
    faces = model.mesh_face[first_face : first_face + model.mesh_facenum[mesh_id]]
    mesh = trimesh.Trimesh(vertices, faces)  # merges equal vertices
    if mesh_shape == "hull":
        return mesh.convex_hull
    if not mesh.is_watertight or not mesh.is_winding_consistent:
        raise MeshError(
            f"mesh '{name_of(model, 'mesh', mesh_id)}' is not a closed surface; close it, "
            'or couple its convex hull with MujocoAdapter(..., mesh_shape="hull")'
        )
    return mesh


def _as_mesh(mesh: trimesh.Trimesh) -> Mesh:
    if mesh.volume < 0.0:
        mesh.invert()
    return Mesh(np.array(mesh.vertices, dtype=float), np.array(mesh.faces, dtype=np.int32))
