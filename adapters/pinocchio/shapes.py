"""Pinocchio's collision and visual geometry, which is Coal's, as shapes."""

from __future__ import annotations

import coal
import numpy as np
import pinocchio as pin
import trimesh

from ipc_articulation.dynamics.model.shapes import (
    Box,
    Capsule,
    Cylinder,
    Ellipsoid,
    Geometry,
    Shape,
    Sphere,
    Triangles,
)
from ipc_articulation.errors import UnsupportedError


def shape_of(entry: pin.GeometryObject) -> Shape:
    """The shape of a geometry object, in the frame of its parent joint.

    Raises:
        UnsupportedError: It has no closed surface: a plane, a height field, a point cloud.
    """
    red, green, blue, opacity = entry.meshColor.tolist()
    colour = (red, green, blue, opacity) if entry.overrideMaterial else None
    return Shape(geometry_of(entry), entry.placement.homogeneous, entry.name, colour)


def geometry_of(entry: pin.GeometryObject) -> Geometry:
    """The geometry, in its own frame."""
    match entry.geometry:
        case coal.Box() as box:
            return Box(tuple((2.0 * box.halfSide).tolist()))
        case coal.Sphere() as ball:
            return Sphere(ball.radius)
        case coal.Ellipsoid() as ball:
            return Ellipsoid(tuple(ball.radii.tolist()))
        case coal.Cylinder() as rod:
            return Cylinder(rod.radius, 2.0 * rod.halfLength)
        case coal.Capsule() as rod:
            return Capsule(rod.radius, 2.0 * rod.halfLength)
        case coal.ConvexBase() as convex:
            hull = trimesh.convex.convex_hull(convex.points())
            return Triangles(hull.vertices, hull.faces.astype(np.int32))
        case coal.BVHModelBase() as mesh if mesh.num_tris:
            corners = [mesh.tri_indices(k) for k in range(mesh.num_tris)]
            return Triangles(np.array(mesh.vertices()), np.array([[c[0], c[1], c[2]] for c in corners], dtype=np.int32))
    raise UnsupportedError(
        f"geometry '{entry.name}' is a {type(entry.geometry).__name__}; IPC bodies are made of box, sphere, ellipsoid, "
        "cylinder, capsule and mesh (half-spaces only on the world)"
    )
