"""Shapes of links from geoms."""

from __future__ import annotations

import mujoco
import numpy as np

from ipc_articulation import spatial
from ipc_articulation.arrays import Bools, Colour
from ipc_articulation.dynamics.model.shapes import Box, Capsule, Cylinder, Ellipsoid, Geometry, Shape, Sphere, Triangles
from ipc_articulation.dynamics.reading.mujoco.height_fields import height_field
from ipc_articulation.dynamics.reading.mujoco.names import name_of
from ipc_articulation.errors import UnsupportedError

Geom = mujoco.mjtGeom

_GREY = np.array([0.5, 0.5, 0.5, 1.0], dtype=np.float32)  # of geoms without a colour


def link_shapes(model: mujoco.MjModel, body: int) -> tuple[tuple[Shape, ...], tuple[Shape, ...]]:
    """Shapes of a body for contact and for display, each placed in the body's frame.

    Meshes give MuJoCo's triangles, closed or not.

    Raises:
        UnsupportedError: A geom for contact is a plane or a signed distance field.
    """
    geoms, collides = _geoms(model, body), can_collide(model)
    for geom in geoms:
        if collides[geom] and geom_shape(model, geom) is None:
            raise UnsupportedError(_complaint(model, geom, body))
    collision = tuple(_placed(model, geom) for geom in geoms if collides[geom])
    return tuple(shape for shape in collision if shape), visual_shapes(model, body)


def visual_shapes(model: mujoco.MjModel, body: int) -> tuple[Shape, ...]:
    """Shapes of a body for display, each placed in the body's frame; kinds that are not supported are left out.

    They are the geoms that cannot collide, and those that can in the same groups: a model with a group for display has
    its geoms for contact in another one.
    """
    groups = np.unique(model.geom_group[~can_collide(model)])
    shapes = (_placed(model, geom) for geom in _geoms(model, body) if model.geom_group[geom] in groups)
    return tuple(shape for shape in shapes if shape)


def _geoms(model: mujoco.MjModel, body: int) -> range:
    first = int(model.body_geomadr[body])
    return range(first, first + int(model.body_geomnum[body]))


def _placed(model: mujoco.MjModel, geom: int) -> Shape | None:
    """The shape of a geom in the frame of its body; None as in `geom_shape`."""
    geometry = geom_shape(model, geom)
    if geometry is None:
        return None
    pose = spatial.pose(spatial.rotation_from_quaternion(model.geom_quat[geom]), model.geom_pos[geom])
    return Shape(geometry, pose, name_of(model, "geom", geom), colour_of(model, geom))


def colour_of(model: mujoco.MjModel, geom: int) -> Colour | None:
    """The colour of a geom: its own or that of its material; None if the model gives none."""
    own, material = model.geom_rgba[geom], int(model.geom_matid[geom])
    if material >= 0 and np.array_equal(own, _GREY):
        own = model.mat_rgba[material]
    elif np.array_equal(own, _GREY):
        return None
    red, green, blue, opacity = own.astype(float).tolist()
    return red, green, blue, opacity


def can_collide(model: mujoco.MjModel) -> Bools:
    """The geoms that can collide, by contype and conaffinity or in a `<contact><pair>`, (ngeom,)."""
    collides = (model.geom_contype | model.geom_conaffinity) != 0
    collides[model.pair_geom1] = collides[model.pair_geom2] = True
    return collides


def geom_shape(model: mujoco.MjModel, geom: int) -> Geometry | None:
    """The shape of a geom in its own frame; None for signed distance fields and planes."""
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
        case Geom.mjGEOM_HFIELD:
            return height_field(model, int(model.geom_dataid[geom]))
    return None


def _triangles(model: mujoco.MjModel, mesh: int) -> Triangles:
    """A mesh asset in MuJoCo's frame of the mesh, which is centred and rotated as geom_pos and geom_quat expect."""
    vertex, face = model.mesh_vertadr[mesh], model.mesh_faceadr[mesh]
    return Triangles(
        model.mesh_vert[vertex : vertex + model.mesh_vertnum[mesh]].astype(np.float64),
        model.mesh_face[face : face + model.mesh_facenum[mesh]].astype(np.int32),
    )


def _complaint(model: mujoco.MjModel, geom: int, body: int) -> str:
    kind = Geom(model.geom_type[geom]).name.removeprefix("mjGEOM_").lower()
    return (
        f"geom '{name_of(model, 'geom', geom)}' of body '{name_of(model, 'body', body)}' is of type {kind}, which no "
        "link can have; links are made of box, sphere, capsule, cylinder, ellipsoid, mesh, hfield: move it to the "
        "worldbody, or set contype and conaffinity to 0"
    )
