"""The ground that pictures and pages show: where half-planes are drawn, the width of their tiles, their colours."""

from __future__ import annotations

import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.spatial import rotation_to

GROUND, TILE, LINES = "#dde3ea", "#d2dae3", "#c8d0d9"


def cell_width(size: float) -> float:
    """Width of a tile in a scene of this size, a power of ten [m]."""
    return float(10.0 ** np.floor(np.log10(0.3 * size)))


def foot(point: Array, normal: Array, middle: Array) -> Array:
    """The point of a half-plane below the middle of a scene, (3,) [m]."""
    return middle - np.dot(middle - point, normal) * normal


def plane_coordinates(points: Array, point: Array, normal: Array) -> Array:
    """Coordinates of points (k, 3) in a half-plane, along two axes from the foot of the origin: (k, 2) [m]."""
    return (points - foot(point, normal, np.zeros(3))) @ rotation_to(normal)[:, :2]
