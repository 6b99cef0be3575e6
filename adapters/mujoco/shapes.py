"""Geoms as closed, outward oriented triangle surfaces in the geom's own frame."""

from __future__ import annotations

import re
from pathlib import Path

import mujoco
from ipc_articulation.adapters.mujoco.visuals import is_urdf

from ipc_articulation import spatial
from ipc_articulation.coupling import solids
from ipc_articulation.coupling.adapter import ClosedMesh
from ipc_articulation.coupling.solids import PLAIN, Facets
from ipc_articulation.dynamics.model.shapes import MeshFile, Triangles
from ipc_articulation.dynamics.reading.mujoco.names import name_of
from ipc_articulation.dynamics.reading.mujoco.shapes import geom_shape
from ipc_articulation.errors import UnsupportedError
from ipc_articulation.packages import is_file

Geom = mujoco.mjtGeom
_NAME = re.compile(r"(.+) × (\S+) (\S+) (\S+)")


def name_of_file(file: MeshFile) -> str:
    """The name of the mesh that is made of a file, which says where more than single precision is."""
    x, y, z = file.scale
    return f"{file.path} × {x!r} {y!r} {z!r}"


def _file(model: mujoco.MjModel, geom: int) -> MeshFile | None:
    """The file of the mesh of a geom of a URDF file, if it is still there."""
    if model.geom_type[geom] != Geom.mjGEOM_MESH or not is_urdf(model):
        return None
    found = _NAME.fullmatch(name_of(model, "mesh", model.geom_dataid[geom]))
    if found is None or not is_file(Path(found[1])):
        return None
    return MeshFile(Path(found[1]), (float(found[2]), float(found[3]), float(found[4])))


def _in_frame(mesh: ClosedMesh | None, model: mujoco.MjModel, asset: int) -> ClosedMesh | None:
    """A mesh in the frame in which MuJoCo keeps it, that of its inertia."""
    R = spatial.rotation_from_quaternion(model.mesh_quat[asset])
    return mesh and ClosedMesh((mesh.vertices - model.mesh_pos[asset]) @ R, mesh.faces)


def geom_mesh(model: mujoco.MjModel, geom: int, facets: Facets = PLAIN) -> ClosedMesh | None:
    """The surface of one geom, in its frame; None if its mesh encloses no volume, which is a repair.

    Args:
        model: The model.
        geom: Number of the geom.
        facets: How surfaces become triangles; MuJoCo uses the convex hulls of mesh geoms for contact.

    Raises:
        MeshError: Repairs are refused, and a mesh is not closed or has no volume.
        UnsupportedError: A geom has no closed surface here: signed distance field, plane.
    """
    shape, owner = geom_shape(model, geom), f"body '{name_of(model, 'body', model.geom_bodyid[geom])}'"
    if (file := _file(model, geom)) is not None:
        return _in_frame(solids.touching(file, owner, facets), model, int(model.geom_dataid[geom]))
    if shape is not None:
        kind = "hfield" if model.geom_type[geom] == Geom.mjGEOM_HFIELD else "mesh"
        asset = f"{kind} '{name_of(model, kind, model.geom_dataid[geom])}' of {owner}"
        name = asset if isinstance(shape, Triangles) else ""
        return solids.touching(shape, owner, facets if kind == "mesh" else PLAIN, name)
    kind = Geom(model.geom_type[geom]).name[7:].lower()
    raise UnsupportedError(
        f"geom '{name_of(model, 'geom', geom)}' of {owner} is of type {kind}; "
        "IPC bodies are made of box, sphere, capsule, cylinder, ellipsoid, mesh, hfield "
        "(planes only on bodies welded to the world)"
    )
