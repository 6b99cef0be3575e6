"""The forces that barriers will have at the end of a Newton step, foreseen by the model of that step, for numba.

Newton's method takes B' for linear in the gap d. But a gap that is far too small opens only to twice its size an
iteration, and light bodies near d̂, where the force grows as the square of the depth, come half as deep. The model of a
step foresees a force that is nearly that of its goal already: with the slope h that the model had,

    β = min(B'(d) + h ∂d·dq, 0),

and in the next iteration h is not B''(d), but the slope of the chord to the gap g with that force:

    h = (B'(g) - B'(d))/(g - d),   B'(g) = β.

Where B' = -1/d, as it is for small gaps, h = -β/d, the matrix of a primal-dual interior-point method with the dual
variable -β (Nocedal, Wright 2006, «Numerical optimization», section 19.3). Energy and gradient remain those of B. In
the first iteration of a step nothing is foreseen, and h = B''; gaps that were open in the last one have β = 0.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.compiled import compiled
from ipc_articulation.contact.barrier import barrier, gap_scale
from ipc_articulation.contact.closest_points import closest_points, row

_NEAR = 1e-2  # of `gap_scale`: how near to g a gap counts as g
_FREE = -1  # a place in a table that holds no stencil


class Foreseen(NamedTuple):
    """β of stencils, in a table of m = 2^i places that are looked through from a stencil's hash on."""

    keys: Ints  # (m,) see `_key`
    betas: Array  # (m,) β [m³]
    others: float  # β of stencils that are not in the table


NOTHING_FORESEEN = Foreseen(np.full(1, _FREE), np.zeros(1), np.nan)


@compiled
def chord(gap, slope, curvature, foreseen, d_hat, xi):
    """The slope h of a barrier with B' = slope and B'' = curvature; B'' where nothing is foreseen (NaN), or it is 0."""
    if np.isnan(foreseen) or curvature <= 0.0:
        return curvature
    goal, at_goal = d_hat, 0.0
    if foreseen < 0.0:
        goal, at_goal = _gap_with(foreseen, min(gap, gap * slope / foreseen), d_hat, xi)
    return curvature if _are_near(gap, goal, d_hat) else (at_goal - slope) / (goal - gap)


@compiled
def _gap_with(slope, gap, d_hat, xi):
    """A gap with almost B' = slope, and its B', by Newton's method for √-B' from a gap that is smaller.

    √-B' falls as a convex function up to about d̂/2, and almost straight beyond, where steps go at most half-way to d̂.
    """
    root, last, now = np.sqrt(-slope), gap, slope
    for _ in range(100):
        _, now, curvature = barrier(gap, d_hat, xi)
        last, size = gap, np.sqrt(-now)
        gap = min(max(gap + 2.0 * size * (size - root) / curvature, 0.5 * gap), 0.5 * (gap + d_hat))
        if _are_near(last, gap, d_hat):
            break
    return last, now


@compiled
def _are_near(gap, other, d_hat):
    return abs(other - gap) <= _NEAR * gap_scale(gap, other, d_hat)


@compiled
def slopes(kind, vertices, x, d_hat, xi, keys, betas, others):
    """B' and h of stencils within d̂, (k, 2), with vertices at x (V, 3).

    Args:
        kind: This and the next are columns of `Stencils`.
        vertices: (k, 4).
        x: (V, 3) [m].
        d_hat: d̂ [m].
        xi: ξ [m].
        keys: This and the next two are the fields of `Foreseen`.
        betas: (m,).
        others: β.
    """
    found, w, c = np.empty((len(kind), 2)), np.empty(4), np.empty(3)
    for s in range(len(kind)):
        gap = np.sqrt(closest_points(kind[s], x, row(vertices, s), w, c)) - xi
        _, found[s, 0], curvature = barrier(gap, d_hat, xi)
        key = _key(kind[s], vertices[s])
        at = _place(keys, key)
        found[s, 1] = chord(gap, found[s, 0], curvature, betas[at] if keys[at] == key else others, d_hat, xi)
    return found


@compiled
def foresee(kind, vertices, x, ahead, slopes):
    """The fields of `Foreseen` of stencils with their slopes (k, 2) at x (V, 3), for a step to ahead (V, 3)."""
    count = 2
    while count < 2 * len(kind):
        count *= 2
    keys, betas, w, c = np.full(count, _FREE), np.empty(count), np.empty(4), np.empty(3)
    for s in range(len(kind)):
        v, change = row(vertices, s), 0.0
        d = np.sqrt(closest_points(kind[s], x, v, w, c))
        for a in range(4):
            for k in range(3):
                change += w[a] * c[k] / d * (ahead[v[a], k] - x[v[a], k])
        key = _key(kind[s], vertices[s])
        at = _place(keys, key)
        keys[at], betas[at] = key, min(slopes[s, 0] + slopes[s, 1] * change, 0.0)
    return keys, betas, 0.0


@compiled
def _key(kind, v):
    """A hash of a stencil, 63 bits; two stencils with the same would only have each other's slopes, not energies."""
    key = np.uint64(kind)
    for a in range(4):
        key = (key ^ np.uint64(v[a])) * np.uint64(0x9E3779B97F4A7C15)
        key ^= key >> np.uint64(29)
    return np.int64(key >> np.uint64(1))


@compiled
def _place(keys, key):
    """Where a key is in a table, or the free place where it belongs."""
    at = key & (len(keys) - 1)
    while keys[at] != key and keys[at] != _FREE:
        at = (at + 1) & (len(keys) - 1)
    return at
