"""Continuous collision detection by separating axes: how far primitives may move in straight lines and never touch.

A face (a₀, a₁, a₂) and a vertex b are apart iff the origin is outside of the triangle of the differences rₖ = aₖ - b;
two edges iff it is outside of the parallelogram of the four differences of their ends. The rₖ move in straight lines,
rₖ(t) = rₖ + t vₖ, so an axis n proves for all times in [0, t*] that the gap is at least g:

    n·(rₖ + t vₖ) ≥ g for all k   where   t* = min over k with n·vₖ < 0 of (n·rₖ - g) / (-n·vₖ)

Advancing by the best t* of a few axes, again and again, is conservative advancement (Mirtich 1996). The axes tried are
the polygon's normal and the directions from the origin to its sides; the nearest of these attains the distance. An
axis that rounding has spoilt proves less, never too much: so nothing is missed at gaps of 1e-11 m, or where edges are
almost parallel; and sliding along a surface, however near, costs no steps.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from ipc_articulation.contact.surfaces import Surfaces

Array = NDArray[np.float64]
Ints = NDArray[np.int64]

REST = 0.1  # a step leaves at least this share of a gap
_FLOOR = 2e-12  # of the largest coordinate: no gap is made smaller than what rounding leaves of a position
_ADVANCES = 100  # stopping sooner is safe
_PROGRESS = 1e-2  # an advance by less of what has been reached is the last


def step_limit(
    surfaces: Surfaces, edge_pairs: Ints, face_pairs: Ints, start: Array, end: Array, thickness: float
) -> float:
    """Share of the straight way on which every gap keeps a tenth of itself.

    Args:
        surfaces: The primitives.
        edge_pairs: Pairs of edges, (k, 2).
        face_pairs: Pairs of a face and a vertex, (k, 2).
        start: Positions (V, 3) [m] at which nothing touches.
        end: Positions (V, 3) [m].
        thickness: Distance [m] at which a gap begins.

    Returns:
        A number in [0, 1]; 1 where the whole way is free.
    """
    floor = gap_floor(start, end)
    limit = _edges_limit(surfaces.edges, edge_pairs, start, end, thickness, floor, 1.0)
    return float(_faces_limit(surfaces.faces, face_pairs, start, end, thickness, floor, limit))


def gap_floor(start: Array, end: Array) -> float:
    """The gap [m] that steps do not go below, for the sake of rounding."""
    return _FLOOR * max(np.abs(start).max(initial=0.0), np.abs(end).max(initial=0.0))


@njit(cache=True)
def _edges_limit(edges, pairs, start, end, thickness, floor, limit):
    r, v = np.empty((4, 3)), np.empty((4, 3))
    for p in range(len(pairs)):
        a, b = edges[pairs[p, 0]], edges[pairs[p, 1]]
        # the corners of the parallelogram, one after the other
        _difference(start, end, a[0], b[0], r[0], v[0])
        _difference(start, end, a[1], b[0], r[1], v[1])
        _difference(start, end, a[1], b[1], r[2], v[2])
        _difference(start, end, a[0], b[1], r[3], v[3])
        limit = _pair_limit(r, v, thickness, floor, limit)
    return limit


@njit(cache=True)
def _faces_limit(faces, pairs, start, end, thickness, floor, limit):
    r, v = np.empty((3, 3)), np.empty((3, 3))
    for p in range(len(pairs)):
        for k in range(3):
            _difference(start, end, faces[pairs[p, 0], k], pairs[p, 1], r[k], v[k])
        limit = _pair_limit(r, v, thickness, floor, limit)
    return limit


@njit(cache=True)
def _difference(start, end, i, j, r, v):
    for m in range(3):
        r[m] = start[i, m] - start[j, m]
        v[m] = end[i, m] - end[j, m] - r[m]


@njit(cache=True)
def _pair_limit(r, v, thickness, floor, limit):
    """The time up to which the polygon rₖ + t vₖ keeps away from the origin, at most `limit`."""
    if _out_of_reach(r, v, thickness, floor, limit):
        return limit
    n = np.empty(3)
    gap = _distance(r, v, n) - thickness
    rest = thickness + max(REST * gap, min(gap, floor))
    t = _time_apart(r, v, 0.0, rest, n)
    for _ in range(_ADVANCES):
        if t >= limit:
            return limit
        ahead = 0.0
        for axis in range(len(r) + 1):
            if _axis(r, v, t, axis, n):
                ahead = max(ahead, _time_apart(r, v, t, rest, n))
        t += ahead
        if ahead <= _PROGRESS * t:
            break
    return min(t, limit)


@njit(cache=True)
def _out_of_reach(r, v, thickness, floor, limit):
    """Whether a coordinate axis, or the one to the middle of the polygon, already proves that nothing comes near."""
    nearest = np.inf  # corner: no smaller than the distance
    for k in range(len(r)):
        nearest = min(nearest, r[k, 0] ** 2 + r[k, 1] ** 2 + r[k, 2] ** 2)
    rest = thickness + max(REST * (np.sqrt(nearest) - thickness), floor)
    for m in range(3):
        low, high = np.inf, -np.inf
        for k in range(len(r)):
            now, then = r[k, m], r[k, m] + limit * v[k, m]
            low, high = min(low, now, then), max(high, now, then)
        if low >= rest or high <= -rest:
            return True
    x, y, z = r[:, 0].sum(), r[:, 1].sum(), r[:, 2].sum()
    low = np.inf
    for k in range(len(r)):
        now = x * r[k, 0] + y * r[k, 1] + z * r[k, 2]
        low = min(low, now, now + limit * (x * v[k, 0] + y * v[k, 1] + z * v[k, 2]))
    return low >= rest * np.sqrt(x * x + y * y + z * z)


@njit(cache=True)
def _distance(r, v, best):
    """The distance of the polygon from the origin at time 0, and the axis that attains it."""
    distance, n = -np.inf, np.empty(3)
    for axis in range(len(r) + 1):
        if _axis(r, v, 0.0, axis, n):
            low = np.inf
            for k in range(len(r)):
                low = min(low, n[0] * r[k, 0] + n[1] * r[k, 1] + n[2] * r[k, 2])
            if low > distance:
                distance = low
                best[:] = n
    return distance


@njit(cache=True)
def _time_apart(r, v, t, rest, n):
    """How much longer than until t the axis n proves a distance of at least `rest`."""
    time = np.inf
    for k in range(len(r)):
        rate = n[0] * v[k, 0] + n[1] * v[k, 1] + n[2] * v[k, 2]
        room = n[0] * r[k, 0] + n[1] * r[k, 1] + n[2] * r[k, 2] + t * rate - rest
        if room < 0.0:
            return 0.0
        if rate < 0.0:
            time = min(time, room / -rate)
    return time


@njit(cache=True)
def _axis(r, v, t, number, n):
    """An axis to try at time t, one of the sides' or the normal; False where there is none."""
    if number == len(r):
        return _normal_axis(r, v, t, n)
    return _side_axis(r, v, t, number, (number + 1) % len(r), n)


@njit(cache=True)
def _side_axis(r, v, t, i, j, n):
    """Unit vector from the origin to the nearest point of a side, square to it inside; False where there is none."""
    a0, a1, a2 = r[i, 0] + t * v[i, 0], r[i, 1] + t * v[i, 1], r[i, 2] + t * v[i, 2]
    e0, e1, e2 = r[j, 0] + t * v[j, 0] - a0, r[j, 1] + t * v[j, 1] - a1, r[j, 2] + t * v[j, 2] - a2
    ee = e0 * e0 + e1 * e1 + e2 * e2
    s = -(e0 * a0 + e1 * a1 + e2 * a2) / ee if ee > 0.0 else 0.0
    inside = 0.0 < s < 1.0
    s = min(max(s, 0.0), 1.0)
    n[0], n[1], n[2] = a0 + s * e0, a1 + s * e1, a2 + s * e2
    if inside and _normalise(n):  # rounding tilts the direction to a near point; a side is long, so tilt it back
        ne = (n[0] * e0 + n[1] * e1 + n[2] * e2) / ee
        n[0], n[1], n[2] = n[0] - ne * e0, n[1] - ne * e1, n[2] - ne * e2
    return _normalise(n)


@njit(cache=True)
def _normal_axis(r, v, t, n):
    """Unit normal of the polygon, away from the origin; False where it has none."""
    a0, a1, a2 = r[0, 0] + t * v[0, 0], r[0, 1] + t * v[0, 1], r[0, 2] + t * v[0, 2]
    b0, b1, b2 = r[1, 0] + t * v[1, 0], r[1, 1] + t * v[1, 1], r[1, 2] + t * v[1, 2]
    c0, c1, c2 = r[2, 0] + t * v[2, 0], r[2, 1] + t * v[2, 1], r[2, 2] + t * v[2, 2]
    e0, e1, e2, f0, f1, f2 = b0 - a0, b1 - a1, b2 - a2, c0 - b0, c1 - b1, c2 - b2
    n[0], n[1], n[2] = e1 * f2 - e2 * f1, e2 * f0 - e0 * f2, e0 * f1 - e1 * f0
    if n[0] * a0 + n[1] * a1 + n[2] * a2 < 0.0:
        n[0], n[1], n[2] = -n[0], -n[1], -n[2]
    return _normalise(n)


@njit(cache=True)
def _normalise(n):
    length = np.sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2])
    if length == 0.0:
        return False
    n[0], n[1], n[2] = n[0] / length, n[1] / length, n[2] / length
    return True
