"""Where the camera and the lights are."""

from __future__ import annotations

from typing import Any

import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.extras import need
from ipc_articulation.recording import Scenery

Point = tuple[float, float, float]

VIEW_ANGLE = 30.0  # degrees, of the picture's height
KEY, FILL = (0.7, -0.7, 1.6), (-1.0, -0.6, 0.5)  # where light comes from: right, back, up


def eye_and_target(scenery: Scenery, low: Array, high: Array) -> tuple[Array, Array]:
    """Position and target of the camera, (3,) each [m].

    By default the camera looks at the middle of all bodies, from the front right and from above.

    Args:
        scenery: What is seen.
        low: Lowest corner of everything, (3,) [m].
        high: Highest corner.
    """
    target = 0.5 * (low + high) if scenery.target is None else np.array(scenery.target)
    if scenery.eye is not None:
        return np.array(scenery.eye), target
    return target + 1.9 * np.linalg.norm(high - low) * direction(scenery.up, (0.9, -1.3, 0.6)), target


def aim(plotter: Any, scenery: Scenery, low: Array, high: Array) -> None:
    """Point a pyvista plotter's camera."""
    eye, target = eye_and_target(scenery, low, high)
    plotter.camera.position, plotter.camera.focal_point = tuple(eye), tuple(target)
    plotter.camera.up = tuple(_unit(scenery.up))
    plotter.camera.view_angle = VIEW_ANGLE


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
