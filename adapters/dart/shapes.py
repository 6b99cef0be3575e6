"""DART's shapes as shapes of the scene."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dartpy
import numpy as np

from ipc_articulation import spatial
from ipc_articulation.arrays import Array
from ipc_articulation.dynamics.model.shapes import (
    Box,
    Capsule,
    Cylinder,
    Ellipsoid,
    Geometry,
    MeshFile,
    Shape,
    Sphere,
)
from ipc_articulation.errors import UnsupportedError

FRICTION = 1.0  # DART's, of shapes without their own


def nodes(body: Any, aspect: str) -> list[Any]:
    """The shape nodes of a body that collide (`Collision`), or that are drawn (`Visual`)."""
    every = (body.getShapeNode(number) for number in range(body.getNumShapeNodes()))
    found = [node for node in every if getattr(node, f"has{aspect}Aspect")()]
    if aspect == "Visual":
        return [node for node in found if not node.getVisualAspect().isHidden()]
    return [node for node in found if body.isCollidable() and node.getCollisionAspect().isCollidable()]


def is_plane(node: Any) -> bool:
    """Whether a shape is a half-space."""
    return isinstance(node.getShape(), dartpy.dynamics.PlaneShape)


def visual(body: Any, pose: Array) -> Iterator[Shape]:
    """Shapes for display of a body, in the frame of a pose (4, 4); those that cannot be drawn are left out."""
    for node in nodes(body, "Visual"):
        try:
            geometry = geometry_of(node)
        except UnsupportedError:
            continue
        red, green, blue, opacity = np.array(node.getVisualAspect().getRGBA()).tolist()
        place = spatial.inverse(pose) @ node.getWorldTransform().matrix()
        yield Shape(geometry, place, node.getName(), (red, green, blue, opacity))


def geometry_of(node: Any) -> Geometry:
    """The geometry of a shape node, in its own frame.

    Raises:
        UnsupportedError: It has no closed surface here.
    """
    shape = node.getShape()
    match shape.getType():
        case "BoxShape":
            length, width, height = shape.getSize().tolist()
            return Box((length, width, height))
        case "SphereShape":
            return Sphere(shape.getRadius())
        case "EllipsoidShape":
            a, b, c = shape.getRadii().tolist()
            return Ellipsoid((a, b, c))
        case "CylinderShape":
            return Cylinder(shape.getRadius(), shape.getHeight())
        case "CapsuleShape":
            return Capsule(shape.getRadius(), shape.getHeight())
        case "MeshShape" if shape.getMeshPath():
            x, y, z = shape.getScale().tolist()
            return MeshFile(Path(shape.getMeshPath()), (x, y, z))
    owner = f"shape '{node.getName()}' of body '{node.getBodyNodePtr().getName()}'"
    raise UnsupportedError(
        f"{owner} is a {shape.getType().removesuffix('Shape')}; IPC bodies are made of box, sphere, ellipsoid, "
        "cylinder, capsule and mesh files (planes only on static bodies)"
    )


def friction(node: Any) -> float:
    """The Coulomb coefficient of a shape."""
    return float(node.getDynamicsAspect().getFrictionCoeff()) if node.hasDynamicsAspect() else FRICTION
