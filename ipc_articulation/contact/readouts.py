"""What can be read of contact: forces of barriers, what is within d̂, the smallest distance.

Bodies are named as the engine names them: by rows of twelve coordinates, n of them; half-plane p is n + p.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.compiled import compiled
from ipc_articulation.contact import barriers
from ipc_articulation.contact.barrier import barrier, dot, mollifier
from ipc_articulation.contact.choosing import write_choosers
from ipc_articulation.contact.closest_points import EDGES
from ipc_articulation.contact.forces import ContactForces
from ipc_articulation.contact.primitive_stencils import VERTEX_OF_SECOND
from ipc_articulation.contact.search import boxes, cover, looked_at, near_pairs, nothing
from ipc_articulation.contact.stencils import PLANE, distance, is_apart, place_points

_LIMIT = 10.0  # in units of d̂: what is farther away is not looked for


@compiled
def barrier_forces(scene, stencils, some, y):
    """The forces [N] of barriers of the stencils within d̂, in their order, with points at y (V, 3) [m].

    Args:
        scene: A `Scene`.
        stencils: `Stencils`.
        some: `Near`, k of them.
        y: Points.

    Returns:
        k contacts without friction, `ContactForces`; see `contact.forces` and `contact.planes.forces`.
    """
    table, is_soft, (size, n) = scene.table, scene.points.is_soft, (len(some.of), scene.table.choosers)
    points, opposite, couples = np.zeros((size, 3)), np.zeros((size, 3)), np.zeros((size, 3))
    normals, forces, gaps = np.empty((size, 3)), np.empty((size, 3)), np.empty(size)
    bodies, e = np.empty((size, 2), dtype=np.int64), np.empty((3, 3))
    for k in range(size):
        s, d, eps = some.of[k], some.distance[k], stencils.mollified[some.of[k]]
        v, kind, (i, j) = stencils.vertices[s], stencils.kind[s], stencils.pair[s]
        xi, d_hat = table.xi[table.model[i, j]], table.d_hat[table.model[i, j]]
        B, slope, _ = barrier(d - xi, d_hat, xi)
        if eps > 0.0:
            m, rate = mollifier(barriers.cross_of(stencils.vertices, s, y, e), eps)
            slope *= m
            for c in range(3):
                couples[k, c] = 2.0 * stencils.kappa[s] * rate * B * dot(e[0], e[1]) * e[2, c]
        split = 2 if kind == EDGES else 1
        is_swapped = kind == VERTEX_OF_SECOND and not barriers.is_any_soft(is_soft, i, j)
        first, second, sign = (opposite, points, -1.0) if is_swapped else (points, opposite, 1.0)
        for c in range(3):
            for a in range(split):
                first[k, c] += some.w[k, a] * y[v[a], c]
            for a in range(split, 4 if kind != PLANE else split):
                second[k, c] -= some.w[k, a] * y[v[a], c]
            if kind == PLANE:
                second[k, c] = y[v[0], c] - d * some.n[k, c]
            normals[k, c] = sign * some.n[k, c]
            forces[k, c] = -stencils.kappa[s] * slope * normals[k, c]
        one, other = table.chooser[v[0]], n + v[1] if kind == PLANE else table.chooser[v[split]]
        bodies[k, 0], bodies[k, 1] = (other, one) if is_swapped else (one, other)
        gaps[k] = d - xi
    return ContactForces(points, opposite, normals, forces, np.zeros_like(forces), couples, gaps, bodies)


@compiled
def within(scene, known, x):
    """What is within d̂ with nodes at x (N, 3).

    Returns:
        Points (V, 3), the stencils that may be near, and `Near`: `len(some.of)` of them are within d̂.
    """
    y, movable = placed(scene, x), ~scene.points.is_fixed
    near = near_pairs(scene.table, *boxes(scene.points, y, y), movable)
    known, nearer, _ = cover(scene, known, (x, x), (y, y), near)
    stencils, _ = looked_at(scene.table, known, nearer)
    return y, stencils, barriers.near(scene.table, stencils, y, movable)


@compiled
def placed(scene, x):
    """All points (V, 3)."""
    y = np.empty((len(scene.points.row), 3))
    place_points(scene.points, scene.rows, x, 0, len(y), y)
    return y


def closest(scene: Any, x: Array) -> tuple[float, tuple[int, ...]]:
    """The smallest distance [m] of surfaces that may touch, and their bodies, with nodes at x (N, 3).

    One body if it is to a half-plane. The distance of thick surfaces excludes their thickness. If no distance is below
    10 d̂: inf, and ().
    """
    gap, one, other, is_plane = _closest(scene, x)
    return gap, () if one < 0 else (one,) if is_plane else (one, other)


@compiled
def _closest(scene, x):
    """See `closest`; it searches within a reach that grows: few pairs are within their distance, many within 10 d̂."""
    table, y, own, pair = scene.table, placed(scene, x), scene.table.reach, np.full(2, -1)
    limit, thickest, reach, gap, is_plane = _LIMIT * largest(table.d_hat), largest(table.xi), own, np.inf, False
    while True:
        table.reach = reach
        near = near_pairs(table, *boxes(scene.points, y, y), ~scene.points.is_fixed)
        stencils = cover(scene, nothing(), (x, x), (y, y), near)[0].stencils
        table.reach = own
        gap, s = _nearest(table, stencils, y, limit)
        if s >= 0:
            write_choosers(scene, stencils, s, pair)
            is_plane = stencils.kind[s] == PLANE
        if gap <= reach - thickest or reach >= limit + thickest:
            return gap if s >= 0 else np.inf, pair[0], pair[1], is_plane
        reach = min(2.0 * reach, limit + thickest)


@compiled
def _nearest(table, stencils, y, within):
    """The smallest gap [m] of stencils with points at y (V, 3), and which one has it; -1 if none is below `within`."""
    kind, vertices, w, n, nearest = stencils.kind, stencils.vertices, np.empty(4), np.empty(3), -1
    for s in range(len(kind)):
        xi = table.xi[table.model[stencils.pair[s, 0], stencils.pair[s, 1]]]
        if not is_apart(kind, vertices, s, y, within + xi):
            gap = distance(kind, vertices, s, y, table.planes, w, n) - xi
            if gap < within:
                within, nearest = gap, s
    return within, nearest


@compiled
def largest(values):
    """The largest of some numbers that are not negative; 0 of none."""
    largest = 0.0
    for value in values:
        largest = max(largest, value)
    return largest
