"""The pairs of a body and a half-plane that may touch, and the gaps of their vertices."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ipc_articulation.affine import DOF
from ipc_articulation.arrays import Array, Ints
from ipc_articulation.compiled import compiled
from ipc_articulation.contact.surfaces import on_axis

_ROUNDING = 1e-14  # of a bound, relative to what it is summed from


class PlanePairs(NamedTuple):
    """The k pairs of a body and a half-plane that may touch; a pair's rows are the vertices of its body."""

    body: Ints  # (k,)
    normal: Array  # (k, 3)
    offset: Array  # (k,) n·p [m]
    d_hat: Array  # (k,) [m]
    thickness: Array  # (k,) ξ [m]
    first_row: Ints  # (k + 1,) first row of each pair, and the number of rows
    first: Ints  # (n + 1,) first vertex of each body
    points: Array  # (V, 3) local positions [m]
    center: Array  # (n, 3) of each body's local box [m]
    half: Array  # (n, 3) half the box's sides [m]


def rows_of(p: PlanePairs) -> tuple[Ints, Ints]:
    """Pair and vertex of each row, (rows,) each."""
    pair = np.repeat(np.arange(len(p.body)), np.diff(p.first_row))
    return pair, np.arange(len(pair)) - p.first_row[pair] + p.first[p.body[pair]]


@compiled
def gap_range(p, i, q):
    """Bounds of the gaps of pair i at q: those of its body's local box c̄ ± h.

    n·(A x̄ + p) - n·p₀ - ξ is linear in x̄, with the slopes m = Aᵀ n: it is m·c̄ ± Σ |m_k| h_k and a constant.
    """
    b, n = p.body[i], p.normal[i]
    middle, half, size = -p.offset[i] - p.thickness[i], 0.0, abs(p.offset[i]) + p.thickness[i]
    for k in range(3):
        m = n[0] * q[b, 3 + k] + n[1] * q[b, 6 + k] + n[2] * q[b, 9 + k]
        middle += m * p.center[b, k] + n[k] * q[b, k]
        half += abs(m) * p.half[b, k]
        size += abs(m * p.center[b, k]) + abs(n[k] * q[b, k])
    half += _ROUNDING * (size + half)
    return middle - half, middle + half


@compiled
def linear_gap(p, i, q):
    """The gap of a local point x̄ of pair i at q, as the linear function m·x̄ + c: (m, c, e) of 3, 1 and 1 numbers.

    With m = Aᵀ n and c = n·(p - p₀) - ξ, it differs by at most e from what `gap_of` makes of `place_vertex`.
    """
    b, n = p.body[i], p.normal[i]
    c, size = -p.offset[i] - p.thickness[i], abs(p.offset[i]) + p.thickness[i]
    for k in range(3):
        c += n[k] * q[b, k]
        size += abs(n[k] * q[b, k])
        for j in range(3):
            size += abs(n[k] * q[b, 3 + 3 * k + j]) * (abs(p.center[b, j]) + p.half[b, j])
    m0 = n[0] * q[b, 3] + n[1] * q[b, 6] + n[2] * q[b, 9]
    m1 = n[0] * q[b, 4] + n[1] * q[b, 7] + n[2] * q[b, 10]
    m2 = n[0] * q[b, 5] + n[1] * q[b, 8] + n[2] * q[b, 11]
    return m0, m1, m2, c, _ROUNDING * size


@compiled
def at_least(gap, points, v):
    """A lower bound of the gap of vertex v, for less than a fifth of the work; `gap` is of `linear_gap`."""
    m0, m1, m2, c, e = gap
    return m0 * points[v, 0] + m1 * points[v, 1] + m2 * points[v, 2] + (c - e)


@compiled
def place_vertex(p, b, v, q, x):
    """Write the position of vertex v of body b at q to x (3,)."""
    for k in range(3):
        x[k] = on_axis(q, b, k, p.points[v])


@compiled
def gap_of(p, i, x):
    """Distance of a vertex at x (3,) from the plane of pair i, less the thickness of the surface."""
    n = p.normal
    return n[i, 0] * x[0] + n[i, 1] * x[1] + n[i, 2] * x[2] - p.offset[i] - p.thickness[i]


@compiled
def add_by_point(point, g_v, H_v, g, H):
    """Add Jᵀ g_v to g (12,) and Jᵀ H_v J to H (12, 12), with J = [I | I ⊗ x̄ᵀ] of one vertex at x̄ = point."""
    for i in range(DOF):
        k, left = (i, 1.0) if i < 3 else ((i - 3) // 3, point[i % 3])  # coordinate i moves the vertex along axis k
        g[i] += g_v[k] * left
        for m in range(3):
            h = H_v[k, m] * left
            H[i, m] += h
            for b in range(3):
                H[i, 3 + 3 * m + b] += h * point[b]
