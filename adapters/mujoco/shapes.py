"""Geoms as closed, outward oriented triangle surfaces in the geom's own frame."""

from __future__ import annotations

import mujoco

from ipc_articulation.coupling import solids
from ipc_articulation.coupling.adapter import ClosedMesh
from ipc_articulation.coupling.solids import PLAIN, Facets
from ipc_articulation.dynamics.model.shapes import Triangles
from ipc_articulation.dynamics.reading.mujoco.names import name_of
from ipc_articulation.dynamics.reading.mujoco.shapes import geom_shape
from ipc_articulation.errors import UnsupportedError

Geom = mujoco.mjtGeom


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
