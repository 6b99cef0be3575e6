"""Geoms of a body as the shapes of a link."""

from __future__ import annotations

import mujoco
from ipc_articulation.adapters.mujoco.names import name_of
from ipc_articulation.adapters.mujoco.shapes import geom_shape

from ipc_articulation import spatial
from ipc_articulation.dynamics.model.shapes import Shape
from ipc_articulation.errors import UnsupportedError

Geom = mujoco.mjtGeom


def link_shapes(model: mujoco.MjModel, body: int) -> tuple[tuple[Shape, ...], tuple[Shape, ...]]:
    """Shapes of a body for contact and for show, each placed in the body's frame.

    Geoms with contype and conaffinity zero are for show. Meshes give the triangles that MuJoCo holds, closed or not. A
    geom of another kind that is for show is left out.

    Raises:
        UnsupportedError: A geom for contact is a plane, a height field or a signed distance field.
    """
    collision: list[Shape] = []
    visual: list[Shape] = []
    first = int(model.body_geomadr[body])
    for geom in range(first, first + int(model.body_geomnum[body])):
        collides = bool(model.geom_contype[geom] | model.geom_conaffinity[geom])
        geometry = geom_shape(model, geom)
        if geometry is None:
            if collides:
                raise UnsupportedError(_complaint(model, geom, body))
            continue
        pose = spatial.pose(spatial.rotation_from_quaternion(model.geom_quat[geom]), model.geom_pos[geom])
        (collision if collides else visual).append(Shape(geometry, pose, name_of(model, "geom", geom)))
    return tuple(collision), tuple(visual)


def _complaint(model: mujoco.MjModel, geom: int, body: int) -> str:
    kind = Geom(model.geom_type[geom]).name.removeprefix("mjGEOM_").lower()
    return (
        f"geom '{name_of(model, 'geom', geom)}' of body '{name_of(model, 'body', body)}' is of type {kind}, which no "
        "link can have; links are made of box, sphere, capsule, cylinder, ellipsoid, mesh: move it to the worldbody, "
        "or set contype and conaffinity to 0"
    )
