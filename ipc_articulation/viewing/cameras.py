"""Cameras by name: where one is at a moment, and where it looks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.errors import ViewingError
from ipc_articulation.naming import suggest
from ipc_articulation.recording import Recording, Scenery
from ipc_articulation.recording.scenery import Camera


@dataclass(frozen=True)
class Look:
    """A camera at a moment, in the world."""

    eye: Array  # (3,) [m]
    target: Array  # (3,) [m]
    up: Array  # (3,)
    angle: float | None  # of the picture's height [degrees]; None: as of every picture

    def put_into(self, scenery: Scenery) -> Scenery:
        """The scenery with this as its camera; for pages, which have an angle and an upward direction of their own."""
        return replace(scenery, eye=tuple(self.eye.tolist()), target=tuple(self.target.tolist()))


def camera_named(scenery: Scenery, name: str) -> Camera:
    """A camera of a scene.

    Raises:
        ViewingError: It has none of this name; names those that it has.
    """
    by_name = {camera.name: camera for camera in scenery.cameras}
    if name not in by_name:
        raise ViewingError(f"unknown camera '{name}'{suggest(name, by_name, 'cameras')}")
    return by_name[name]


def look_at_row(recording: Recording, camera: str, row: int) -> Look:
    """Where a camera is in a row of a recording.

    Raises:
        ViewingError: It has no camera of this name.
    """
    poses = dict(zip(recording.body_names, np.asarray(recording.body_poses[row]), strict=True))
    return look_through(camera_named(recording.scenery, camera), recording.scenery, poses)


def look_through(camera: Camera, scenery: Scenery, poses: Mapping[str, Array]) -> Look:
    """Where a camera is.

    A camera on a body at (A, p) is at A e + p, e its eye; if it does not turn with the body, at A₀ e + p, A₀ the
    rotation with which the eye, the target and the upward direction are given.

    Args:
        camera: The camera.
        scenery: What it sees.
        poses: Of bodies that move, (4, 4) each, by name.

    Raises:
        ViewingError: It is on a body that is not in the scenery.
    """
    known = {surface.name: surface.pose for surface in scenery.surfaces} | {"": np.eye(4), **poses}
    for name in (camera.on, camera.at):
        if name not in known:
            raise ViewingError(f"camera '{camera.name}' is on or at '{name}', a body that is not there")
    carrier = known[camera.on].copy()
    if not camera.turns:
        carrier[:3, :3] = np.eye(3)
    aimed = carrier if camera.at == camera.on else known[camera.at]
    up = scenery.up if camera.up is None else carrier[:3, :3] @ np.array(camera.up)
    eye, target = (T[:3, :3] @ np.array(p) + T[:3, 3] for T, p in ((carrier, camera.eye), (aimed, camera.target)))
    return Look(eye, target, up, camera.angle)
