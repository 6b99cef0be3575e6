"""Continuous collision detection by separating axes, for primitives that move in straight lines.

A face (a₀, a₁, a₂) and a vertex b are apart iff the origin is outside of the triangle of the differences rₖ = aₖ - b;
two edges iff it is outside of the parallelogram of the four differences of their ends. The rₖ move in straight lines,
rₖ(t) = rₖ + t vₖ, so an axis n proves for all times in [0, t*] that the gap is at least g:

    n·(rₖ + t vₖ) ≥ g for all k   where   t* = min over k with n·vₖ < 0 of (n·rₖ - g) / (-n·vₖ)

Advancing by the best t* of a few axes, again and again, is conservative advancement (Mirtich 1996). The axes tried are
the polygon's normal and the directions from the origin to its sides; the nearest of these attains the distance.
Rounding errors of an axis only make the proven time shorter. So no contact is missed at gaps of 1e-11 m or between
edges that are almost parallel, and sliding along a surface does not shorten steps, however small the gap; where the
surface also turns, see `coplanarity`.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.compiled import compiled
from ipc_articulation.contact.closest_points import EDGES
from ipc_articulation.contact.coplanarity import time_off_plane

REST = 0.1  # smallest remaining gap after a step, relative to the gap before or, if smaller, to d̂
FLOOR = 2e-12  # smallest gap after a step, relative to the largest coordinate, because positions are rounded
_ADVANCES = 100  # stopping sooner is safe
_PROGRESS = 1e-2  # the iteration ends if an advance is smaller, relative to the time reached


@compiled
def load(kind, vertices, p, start, end, r, v):
    """Fill r and v (4, 3) with the corners of the polygon, in order, and their motions.

    Returns:
        Number of corners: 4 for the parallelogram of two edges, 3 for the triangle of a vertex and a face.
    """
    sides = 4 if kind == EDGES else 3
    for corner in range(sides):
        if kind == EDGES:
            i, j = vertices[p, 1 if corner == 1 or corner == 2 else 0], vertices[p, 3 if corner >= 2 else 2]
        else:
            i, j = vertices[p, 1 + corner], vertices[p, 0]
        for m in range(3):
            r[corner, m] = start[i, m] - start[j, m]
            v[corner, m] = end[i, m] - end[j, m] - r[corner, m]
    return sides


@compiled
def pair_fraction(r, v, sides, thickness, d_hat, floor, limit, axes):
    """The time, at most `limit`, until which the polygon rₖ + t vₖ does not reach the origin.

    The first of the axes (2, 3) proved this for the stencil before, which often belongs to the same two sides of two
    bodies. It is overwritten by the axis for this stencil; the second one is scratch.
    """
    last, n = axes[0], axes[1]
    nearest = np.inf  # distance of the nearest corner, an upper bound of the distance
    for k in range(sides):
        nearest = min(nearest, r[k, 0] * r[k, 0] + r[k, 1] * r[k, 1] + r[k, 2] * r[k, 2])
    enough = thickness + max(REST * min(np.sqrt(nearest) - thickness, d_hat), floor)
    if keeps(r, v, sides, limit, last, enough) or _apart_along_world(r, v, sides, limit, enough):
        return limit
    distance = -np.inf
    for side in range(sides, -1, -1):  # the normal first
        if _axis(r, v, sides, 0.0, side, n):
            low = _lowest(r, sides, n)
            if low > distance:
                distance = low
                last[0], last[1], last[2] = n[0], n[1], n[2]
                if low >= enough and keeps(r, v, sides, limit, n, enough):
                    return limit
    gap = distance - thickness
    rest = thickness + max(REST * min(gap, d_hat), min(gap, floor))
    return min(limit, _advance(r, v, sides, rest, limit, _time_apart(r, v, sides, 0.0, rest, last), n))


@compiled
def _advance(r, v, sides, rest, limit, t, n):
    """Advance the time t as long as an axis proves a distance of at least `rest`."""
    for _ in range(_ADVANCES):
        if t >= limit:
            break
        ahead = 0.0
        for side in range(sides + 1):
            if _axis(r, v, sides, t, side, n):
                ahead = max(ahead, _time_apart(r, v, sides, t, rest, n))
        ahead = max(ahead, time_off_plane(r, v, t, limit, rest, ahead))
        t += ahead
        if ahead <= _PROGRESS * t:
            break
    return t


@compiled
def _apart_along_world(r, v, sides, limit, enough):
    """Whether all corners stay beyond a distance along an axis of the world."""
    for m in range(3):
        low, high = np.inf, -np.inf
        for k in range(sides):
            now = r[k, m]
            then = now + limit * v[k, m]
            low, high = min(low, now, then), max(high, now, then)
        if low >= enough or high <= -enough:
            return True
    return False


@compiled
def keeps(r, v, sides, limit, n, enough):
    """Whether all corners stay beyond a distance along a unit axis until the time `limit`."""
    for k in range(sides):
        now = n[0] * r[k, 0] + n[1] * r[k, 1] + n[2] * r[k, 2]
        if now < enough or now + limit * (n[0] * v[k, 0] + n[1] * v[k, 1] + n[2] * v[k, 2]) < enough:
            return False
    return True


@compiled
def _lowest(r, sides, n):
    low = np.inf
    for k in range(sides):
        low = min(low, n[0] * r[k, 0] + n[1] * r[k, 1] + n[2] * r[k, 2])
    return low


@compiled
def _time_apart(r, v, sides, t, rest, n):
    """The time after t until which the axis n proves a distance of at least `rest`."""
    time = np.inf
    for k in range(sides):
        rate = n[0] * v[k, 0] + n[1] * v[k, 1] + n[2] * v[k, 2]
        room = n[0] * r[k, 0] + n[1] * r[k, 1] + n[2] * r[k, 2] + t * rate - rest
        if room < 0.0:
            return 0.0
        if rate < 0.0:
            time = min(time, room / -rate)
    return time


@compiled
def _axis(r, v, sides, t, number, n):
    """Fill n with an axis to try at time t, that of a side or the normal. Returns: False if there is none."""
    if number == sides:
        return _normal_axis(r, v, t, n)
    return _side_axis(r, v, t, number, number + 1 if number + 1 < sides else 0, n)


@compiled
def _side_axis(r, v, t, i, j, n):
    """Fill n with the unit vector from the origin to the nearest point of a side.

    Returns:
        False if there is none.
    """
    a0, a1, a2 = r[i, 0] + t * v[i, 0], r[i, 1] + t * v[i, 1], r[i, 2] + t * v[i, 2]
    e0, e1, e2 = r[j, 0] + t * v[j, 0] - a0, r[j, 1] + t * v[j, 1] - a1, r[j, 2] + t * v[j, 2] - a2
    ee = e0 * e0 + e1 * e1 + e2 * e2
    s = -(e0 * a0 + e1 * a1 + e2 * a2) / ee if ee > 0.0 else 0.0
    inside = 0.0 < s < 1.0
    s = min(max(s, 0.0), 1.0)
    n[0], n[1], n[2] = a0 + s * e0, a1 + s * e1, a2 + s * e2
    if inside and _normalise(n):  # rounding tilts the direction to a near point; make it normal to the long side
        ne = (n[0] * e0 + n[1] * e1 + n[2] * e2) / ee
        n[0], n[1], n[2] = n[0] - ne * e0, n[1] - ne * e1, n[2] - ne * e2
    return _normalise(n)


@compiled
def _normal_axis(r, v, t, n):
    """Fill n with the unit normal of the polygon, away from the origin. Returns: False if it has none."""
    a0, a1, a2 = r[0, 0] + t * v[0, 0], r[0, 1] + t * v[0, 1], r[0, 2] + t * v[0, 2]
    b0, b1, b2 = r[1, 0] + t * v[1, 0], r[1, 1] + t * v[1, 1], r[1, 2] + t * v[1, 2]
    c0, c1, c2 = r[2, 0] + t * v[2, 0], r[2, 1] + t * v[2, 1], r[2, 2] + t * v[2, 2]
    e0, e1, e2, f0, f1, f2 = b0 - a0, b1 - a1, b2 - a2, c0 - b0, c1 - b1, c2 - b2
    n[0], n[1], n[2] = e1 * f2 - e2 * f1, e2 * f0 - e0 * f2, e0 * f1 - e1 * f0
    if n[0] * a0 + n[1] * a1 + n[2] * a2 < 0.0:
        n[0], n[1], n[2] = -n[0], -n[1], -n[2]
    return _normalise(n)


@compiled
def _normalise(n):
    length = np.sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2])
    if length == 0.0:
        return False
    n[0], n[1], n[2] = n[0] / length, n[1] / length, n[2] / length
    return True
