"""Where the camera and the lights are."""

from __future__ import annotations

from typing import Any

import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.extras import need
from ipc_articulation.recording import Scenery
from ipc_articulation.viewing.cameras import Look

Point = tuple[float, float, float]

VIEW_ANGLE = 30.0  # degrees, of the picture's height
_FILLED, _LEAST = 0.86, 0.1  # of the picture, by what is seen; least distance to the eye, of the scene's depth
_UPRIGHT = 1e-6  # sine of the angle between up and ahead, from where up is seen in a picture
KEY, FILL = (0.7, -0.7, 1.6), (-1.0, -0.6, 0.5)  # where light comes from: right, back, up


def eye_and_target(scenery: Scenery, points: Array, aspect: float) -> tuple[Array, Array]:
    """Position and target of the camera, (3,) each [m].

    By default the camera looks from the front right and from above, and is as near as it can be with all points in the
    picture. With x to the right, y up in the picture and z towards the eye e, a point is in it if

        |x - e_x| ≤ s_x (e_z - z),   |y - e_y| ≤ s_y (e_z - z),

    s the slopes of the picture's edges: each axis bounds e_z from below, and gives the place in the middle.

    Args:
        scenery: What is seen.
        points: Points that are in the picture, (k, 3) [m].
        aspect: Width of the picture over its height.
    """
    middle = 0.5 * (points.min(axis=0) + points.max(axis=0))
    target = middle if scenery.target is None else np.array(scenery.target)
    if scenery.eye is not None:
        return np.array(scenery.eye), target
    back = direction(scenery.up, (0.9, -1.3, 0.6))
    right = _unit(np.cross(scenery.up, back))
    axes = np.stack([right, np.cross(back, right)])
    across, depth = (points - target) @ axes.T, (points - target) @ back  # (k, 2), (k,)
    slopes = _FILLED * np.tan(0.5 * np.radians(VIEW_ANGLE)) * np.array([aspect, 1.0])
    high = (across + slopes * depth[:, None]).max(axis=0)
    low = (across - slopes * depth[:, None]).min(axis=0)
    if scenery.target is not None:  # which stays in the middle
        high = np.maximum(high, -low)
        low = -high
    nearest = depth.max() + _LEAST * max(float(np.ptp(depth)), 1e-3)
    distance = max(float(((high - low) / (2.0 * slopes)).max()), nearest)
    aside = 0.5 * (high + low) @ axes
    return target + aside + distance * back, target + aside


def aim(plotter: Any, scenery: Scenery, points: Array, share: float = 1.0) -> None:
    """Point a pyvista plotter's camera; all points are in the picture unless the scenery has its own camera.

    Args:
        plotter: The plotter.
        scenery: What is seen.
        points: Points that are in the picture, (k, 3) [m].
        share: Of the picture's width, in the middle of which they are.
    """
    width, height = plotter.window_size
    eye, target = eye_and_target(scenery, points, share * width / height)
    plotter.camera.position, plotter.camera.focal_point = tuple(eye), tuple(target)
    plotter.camera.up = tuple(upward(scenery.up, target - eye))
    plotter.camera.view_angle = VIEW_ANGLE


def look_as(plotter: Any, look: Look) -> None:
    """Point a plotter's camera as a named one."""
    plotter.camera.position, plotter.camera.focal_point = tuple(look.eye), tuple(look.target)
    plotter.camera.up = tuple(upward(look.up, look.target - look.eye))
    plotter.camera.view_angle = look.angle or VIEW_ANGLE


def upward(up: Array, ahead: Array) -> Array:
    """The unit vector that is up in a picture; one that points to the back where the camera looks up or down."""
    is_upright = np.linalg.norm(np.cross(up, ahead)) > _UPRIGHT * np.linalg.norm(up) * np.linalg.norm(ahead)
    return _unit(up) if is_upright else _across(_unit(up))[1]


def in_picture(plotter: Any, points: Array) -> Array:
    """Where points (k, 3) [m] are in a plotter's picture, from its upper left corner on, (k, 2) [pixels]."""
    width, height = plotter.window_size
    camera = plotter.camera
    eye, target, up = (np.array(value) for value in (camera.position, camera.focal_point, camera.up))
    ahead = _unit(target - eye)
    right = _unit(np.cross(ahead, up))
    seen = np.asarray(points).reshape(-1, 3) - eye
    near = np.maximum(seen @ ahead, 1e-9) * np.tan(0.5 * np.radians(camera.view_angle))
    across = np.column_stack([seen @ right, -(seen @ np.cross(right, ahead))]) / near[:, None]
    return 0.5 * np.array([width, height]) + 0.5 * height * across


def add_lights(plotter: Any, up: Array, middle: Array) -> None:
    """A key light and a weaker one from the other side."""
    pyvista = need("pyvista")
    for towards, intensity in ((KEY, 0.75), (FILL, 0.4)):
        position = middle + direction(up, towards)
        plotter.add_light(pyvista.Light(position=position, focal_point=middle, intensity=intensity))


def direction(up: Array, towards: Point) -> Array:
    """Unit vector of components to the right, to the back and up."""
    side, back = _across(_unit(up))
    return _unit(towards[0] * side + towards[1] * back + towards[2] * _unit(up))


def _across(up: Array) -> tuple[Array, Array]:
    """Two horizontal unit vectors, x and y where up is z."""
    start = np.array([1.0, 0.0, 0.0]) if abs(up[0]) < 0.9 else np.array([0.0, 1.0, 0.0])
    side = _unit(start - np.dot(start, up) * up)
    return side, np.cross(up, side)


def _unit(vector: Array) -> Array:
    return vector / np.linalg.norm(vector)
