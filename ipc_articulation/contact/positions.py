"""Where the bodies of a scene are: their coordinates, and what follows from these."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ipc_articulation.arrays import Array, Bools
from ipc_articulation.compiled import compiled
from ipc_articulation.contact.surfaces import Surfaces, move_body


class Positions(NamedTuple):
    """World positions of surfaces at coordinates q. A `ContactWorld` lets only those of some bodies follow q."""

    q: Array  # (n, 12)
    x: Array  # (V, 3) of the vertices [m]
    low: Array  # (n, 3) lower corners of the boxes around bodies [m]; inf without surface
    high: Array  # (n, 3) upper corners [m]; -inf without surface
    q_of_x: Array  # (n, 12) coordinates of which the vertices are
    q_of_boxes: Array  # (n, 12) of which the boxes are

    def copy(self) -> Positions:
        """The same positions in arrays of their own."""
        return Positions(self.q, *(array.copy() for array in self[1:]))

    def move_vertices(self, surfaces: Surfaces, chosen: Bools) -> None:
        """Let the vertices of chosen bodies (n,) follow q."""
        _move(surfaces.points, surfaces.first, self.q, chosen, self.q_of_x, self.x)

    def move(self, surfaces: Surfaces, moving: Bools, awake: Bools, paired: Bools) -> None:
        """Wake the moving bodies; let the boxes of awake ones follow q, and the vertices of paired ones; (n,) each."""
        boxes = surfaces.corners_by_axis
        targets = self.x, self.low, self.high, self.q_of_x, self.q_of_boxes
        follow(surfaces.points, surfaces.first, *boxes, self.q, moving, awake, paired, *targets)

    def move_boxes(self, surfaces: Surfaces, chosen: Bools) -> None:
        """Let the boxes of chosen bodies (n,) follow q."""
        _move_boxes(*surfaces.corners_by_axis, self.q, chosen, self.q_of_boxes, self.low, self.high)


def positions(surfaces: Surfaces, q: Array) -> Positions:
    """All positions at q (n, 12), in new arrays."""
    shapes = surfaces.points.shape, (len(q), 3), (len(q), 3), q.shape, q.shape
    at, every = Positions(q, *(np.full(shape, np.nan) for shape in shapes)), np.ones(len(q), dtype=np.bool_)
    at.move_vertices(surfaces, every)
    at.move_boxes(surfaces, every)
    return at


@compiled
def _move(points, first, q, chosen, last, x):
    """Write positions of chosen bodies whose q differs from the last ones, which become q."""
    for b in range(len(q)):
        if chosen[b] and _differ(q, last, b):
            move_body(points, first, q, b, x)
            last[b] = q[b]


@compiled(fastmath={"nnan", "nsz"})  # so that several corners are taken at once; coordinates are numbers
def _move_boxes(corners, first, q, chosen, last, low, high):
    """Write boxes around chosen bodies whose q differs from the last ones, which become q; corners are (3, H)."""
    for b in range(len(q)):
        if chosen[b] and _differ(q, last, b):
            last[b] = q[b]
            for k in range(3):
                p, x, y, z, least, most = q[b, k], q[b, 3 + 3 * k], q[b, 4 + 3 * k], q[b, 5 + 3 * k], np.inf, -np.inf
                for c in range(first[b], first[b + 1]):
                    at = p + x * corners[0, c] + y * corners[1, c] + z * corners[2, c]
                    least, most = min(least, at), max(most, at)
                low[b, k], high[b, k] = least, most


@compiled
def follow(points, first, corners, first_corner, q, moving, awake, paired, x, low, high, q_of_x, q_of_boxes):
    """See `Positions.move`."""
    of_vertices = np.empty(len(q), dtype=np.bool_)
    for b in range(len(q)):
        awake[b] |= moving[b]
        of_vertices[b] = awake[b] and paired[b]
    _move_boxes(corners, first_corner, q, awake, q_of_boxes, low, high)
    _move(points, first, q, of_vertices, q_of_x, x)


@compiled
def _differ(q, last, b):
    """Whether body b is not where it was last."""
    differ = False
    for c in range(q.shape[1]):
        differ |= q[b, c] != last[b, c]
    return differ
