"""A picture of the start of a scene, with names, axes of joints, frames of links, and overlaps in red."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ipc_articulation.showing.placed import Placed
from ipc_articulation.viewing import bodies
from ipc_articulation.viewing.cameras import camera_named, look_through
from ipc_articulation.viewing.drawing.shots import PICTURE_SIZE, Shot, Shots, Size
from ipc_articulation.viewing.forces import NONE
from ipc_articulation.viewing.marks import OVERLAP, Marks, Name
from ipc_articulation.viewing.meshes import DrawnMesh, Show, drawn_meshes
from ipc_articulation.viewing.palette import By, colours

_NO_POSES = np.zeros((0, 4, 4))
_AXIS, _FRAME = 0.12, 0.045  # length of a joint's axis, of a frame's axes, in sizes of the scene
_BEHIND = 0.35  # share of an axis that is behind the joint
_CLEAR = 0.55  # opacity of bodies that overlap


def picture_of(
    placed: Placed, size: Size = PICTURE_SIZE, by: By = "role", show: Show = "visual", camera: str | None = None
) -> Shots:
    """What a picture of the start shows.

    Args:
        placed: The start.
        size: Width and height [pixels].
        by: Meaning of a body's colour.
        show: Which surfaces of the bodies; those that overlap are drawn by their surfaces for contact.
        camera: Name of the camera; None: one that sees everything.

    Raises:
        ViewingError: There is no such camera.
    """
    soft = np.concatenate([np.zeros((0, 3)), *(shape.vertices for shape in placed.scenery.soft)])
    scenery = placed.scenery
    poses = {link.name: link.pose for link in placed.robot.links}
    look = None if camera is None else look_through(camera_named(scenery, camera), scenery, poses)
    shot = Shot(_NO_POSES, NONE, soft, look=look)
    everything = replace(scenery, eye=None, target=None)  # no name belongs to what is outside
    return Shots(everything, (), meshes_of(placed, by, show), (shot,), size, marks=marks_of(placed))


def meshes_of(placed: Placed, by: By, show: Show) -> dict[str, list[DrawnMesh]]:
    """What is drawn of each body."""
    surfaces = placed.scenery.surfaces
    looks, red = colours(surfaces, by), {name for o in placed.overlaps for name in (o.first, o.second)}
    meshes = {body.name: drawn_meshes(body, show, by, looks[body.name]) for body in surfaces}
    for body in surfaces:
        if body.name in red:
            crossing = drawn_meshes(body, "collision", by, OVERLAP)
            meshes[body.name] = [replace(mesh, opacity=_CLEAR) for mesh in crossing]
    return meshes


def marks_of(placed: Placed) -> Marks:
    """Names of all that is seen, axes and frames."""
    scenery, links = placed.scenery, placed.robot.links
    low, high = bodies.bounds_of(scenery, (), _NO_POSES[None], np.zeros((0, 0, 3)))
    size = float(np.linalg.norm(high - low))
    names = []
    for body in scenery.surfaces:
        points = bodies.placed(body.points, body.pose)
        names.append(Name(body.name, 0.5 * (points.min(axis=0) + points.max(axis=0)), "body"))
    names += [Name(shape.name, shape.vertices.mean(axis=0), "body") for shape in scenery.soft]
    names += [Name(joint.name, joint.anchor, "joint") for joint in placed.joints]
    for overlap in placed.overlaps:
        deep = f": {1e3 * overlap.depth:.3g} mm" if overlap.depth else ""
        names.append(Name(f"{overlap.first} in {overlap.second}{deep}", overlap.point, "overlap"))
    ends = [
        (joint.anchor - _BEHIND * _AXIS * size * axis, joint.anchor + (1.0 - _BEHIND) * _AXIS * size * axis)
        for joint in placed.joints
        for axis in joint.axes
    ]
    frames = np.array([link.pose for link in links]).reshape(-1, 4, 4)
    return Marks(tuple(names), np.reshape(ends, (-1, 2, 3)), frames, _FRAME * size)
