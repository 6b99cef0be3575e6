"""Overlaps at the start of a scene, each with its depth, the way out, and a point in it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.checking.nearness import Nearness
from ipc_articulation.checking.start import Start, Thing
from ipc_articulation.contact.parting import parting
from ipc_articulation.coupling.adapter import CoupledRobot, HalfPlane
from ipc_articulation.scenefile.schema import Scene


@dataclass(frozen=True)
class DeepOverlap:
    """Two surfaces that may touch each other and overlap, or of which one is inside the other."""

    first: str
    second: str
    way: Array  # (3,) [m] by which the first moves out of the second
    point: Array  # (3,) [m], in the middle of the overlap

    @property
    def depth(self) -> float:
        """[m]."""
        return float(np.linalg.norm(self.way))


def deep_overlaps(robot: CoupledRobot, things: tuple[Thing, ...], scene: Scene) -> tuple[DeepOverlap, ...]:
    """All overlaps, the deepest first.

    Args:
        robot: Bodies, half-planes, and who may touch whom.
        things: Their surfaces, and those of soft bodies.
        scene: The scene.
    """
    surfaces = {thing.name: thing for thing in things}
    planes = {plane.name: plane for plane in robot.planes}
    found = []
    for first, second in Nearness(Start(robot, things), scene).overlapping():
        one = surfaces[first]
        other = surfaces.get(second)
        made = _of_plane(one, planes[second]) if other is None else _of_surfaces(one, other)
        found.append(DeepOverlap(first, second, *made))
    return tuple(sorted(found, key=lambda overlap: -overlap.depth))


def _of_plane(thing: Thing, plane: HalfPlane) -> tuple[Array, Array]:
    """Depth of the lowest vertex, and the middle of the vertices that are behind the plane."""
    heights = (thing.vertices - plane.point) @ plane.normal - thing.radius
    return -float(heights.min()) * plane.normal, thing.vertices[heights <= 0.0].mean(axis=0)


def _of_surfaces(first: Thing, second: Thing) -> tuple[Array, Array]:
    low = np.maximum(first.vertices.min(axis=0), second.vertices.min(axis=0))
    high = np.minimum(first.vertices.max(axis=0), second.vertices.max(axis=0))
    return parting(first.vertices, second.vertices), 0.5 * (low + high)
