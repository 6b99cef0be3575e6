"""The barrier between bodies: E = κ Σ m B(d², d̂²) over the stencils nearer than d̂ (see `barrier`).

The projected Hessian is a Gauss-Newton one, in the distance d and, for edges that are almost parallel, in z = e₁ × e₂:
the second derivatives of B m by these numbers are projected to positive semidefinite. The positive part of the second
derivative of d is added (see `curvature`), for almost parallel edges only if their distance is larger than the offset
of their ends from being parallel. The second derivative of z is left out, because B m is small there (see `mollified`).
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.affine import PAIR_DOF
from ipc_articulation.compiled import compiled
from ipc_articulation.contact.barrier import barrier, cross_of_edges, gap_scale, length_squared, mollifier
from ipc_articulation.contact.ccd import FLOOR
from ipc_articulation.contact.closest_points import EDGES, closest_points, row
from ipc_articulation.contact.curvature import add_curvature, add_exact_curvature
from ipc_articulation.contact.mollified import add_mollified
from ipc_articulation.contact.pair_blocks import LEVER, add_gradient, add_rank_one, by_coordinates, lever, outer


@compiled
def in_reach(bodies, pair, kind, vertices, moving, x, reach):
    """Rows of the stencils nearer than a distance [m] at x (V, 3), of pairs with a moving body, (k,)."""
    on = np.empty(len(bodies), dtype=np.bool_)
    for p in range(len(bodies)):
        on[p] = moving[bodies[p, 0]] or moving[bodies[p, 1]]
    found, count = np.empty(len(pair), dtype=np.int64), 0
    w, c = np.empty(4), np.empty(3)
    for s in range(len(pair)):
        if on[pair[s]]:
            v = row(vertices, s)
            if not _apart(kind[s], x, v, reach) and closest_points(kind[s], x, v, w, c) < reach * reach:
                found[count] = s
                count += 1
    return found[:count]


@compiled
def smallest_distance(kind, vertices, x, within):
    """The smallest distance [m] and the row of its stencil; `within` and -1 if no distance is below `within`."""
    best, nearest, w, c = within, -1, np.empty(4), np.empty(3)
    for s in range(len(kind)):
        v = row(vertices, s)
        if not _apart(kind[s], x, v, best):
            d = np.sqrt(closest_points(kind[s], x, v, w, c))
            if d < best:
                best, nearest = d, s
    return best, nearest


@compiled
def smallest_gaps(bodies, pair, kind, vertices, x, xi):
    """The smallest gap (P,) [m] of each pair of bodies at x (V, 3); inf without stencils."""
    gaps, w, c = np.full(len(bodies), np.inf), np.empty(4), np.empty(3)
    for s in range(len(pair)):
        v = row(vertices, s)
        if not _apart(kind[s], x, v, gaps[pair[s]] + xi):
            gaps[pair[s]] = min(gaps[pair[s]], np.sqrt(closest_points(kind[s], x, v, w, c)) - xi)
    return gaps


@compiled
def pushes(bodies, pair, kind, vertices, mollified, x, d_hat, xi):
    """Σ m |B'(d)| of each pair of bodies at x (V, 3), (P,) [m³]: what its stencils push for κ_c = 1."""
    sums, w, c = np.zeros(len(bodies)), np.empty(4), np.empty(3)
    e1, e2, z = np.empty(3), np.empty(3), np.empty(3)
    for s in range(len(pair)):
        v = row(vertices, s)
        gap = np.sqrt(closest_points(kind[s], x, v, w, c)) - xi
        if 0.0 < gap < d_hat:
            m = mollifier(cross_of_edges(x, v, e1, e2, z), mollified[s])[0] if mollified[s] > 0.0 else 1.0
            sums[pair[s]] -= m * barrier(gap, d_hat, xi)[1]
    return sums


@compiled
def rounded_away(kind, vertices, x, xi):
    """The first stencil with a gap below the rounding errors of its vertices at x (V, 3).

    Returns:
        Its row, or -1; its gap [m]; and the smallest valid gap [m].
    """
    w, c = np.empty(4), np.empty(3)
    for s in range(len(kind)):
        v, largest = row(vertices, s), xi
        for k in v:
            largest = max(largest, abs(x[k, 0]), abs(x[k, 1]), abs(x[k, 2]))
        if not _apart(kind[s], x, v, xi + FLOOR * largest):
            gap = np.sqrt(closest_points(kind[s], x, v, w, c)) - xi
            if gap < FLOOR * largest:
                return s, gap, FLOOR * largest
    return -1, np.inf, 0.0


@compiled
def add_gap_changes(bodies, pair, kind, vertices, x, ahead, d_hat, xi, moving, change):
    """Raise `change` (n,) to the change of gaps for a motion of vertices from x to ahead, (V, 3) each.

    It is the larger one of what has become of the gap and of what Newton's linear model expects, n·δc: where both
    differ, forces are not in balance though the gap stays. It counts in units of `gap_scale`.
    """
    w, c, reach = np.empty(4), np.empty(3), d_hat + xi
    for s in range(len(pair)):
        i, j, v = bodies[pair[s], 0], bodies[pair[s], 1], row(vertices, s)
        if not (moving[i] or moving[j]) or (_apart(kind[s], x, v, reach) and _apart(kind[s], ahead, v, reach)):
            continue
        after, linear = np.sqrt(closest_points(kind[s], ahead, v, w, c)) - xi, 0.0
        d = np.sqrt(closest_points(kind[s], x, v, w, c))
        if min(d - xi, after) >= d_hat:
            continue
        for k in range(4):
            for m in range(3):
                linear += w[k] * c[m] / d * (ahead[v[k], m] - x[v[k], m])
        largest = max(abs(after - (d - xi)), abs(linear)) / gap_scale(d - xi, after, d_hat)
        change[i], change[j] = max(change[i], largest), max(change[j], largest)


@compiled
def _apart(kind, x, v, reach):
    """Whether the boxes of both primitives are farther apart than a distance."""
    for m in range(3):
        a, b, c, d = x[v[0], m], x[v[1], m], x[v[2], m], x[v[3], m]
        low, high = min(c, d), max(c, d)
        if kind == EDGES:
            if min(a, b) - high >= reach or low - max(a, b) >= reach:
                return True
        elif a - max(b, high) >= reach or min(b, low) - a >= reach:
            return True
    return False


@compiled
def add_energy(bodies, pair, kind, vertices, mollified, moving, x, kappa, d_hat, xi, E):
    """Add the energy of each pair with a moving body to that body's E (n,); inf if surfaces touch.

    Args:
        bodies: This and the next four are the columns of `Stencils`.
        pair: (k,).
        kind: (k,).
        vertices: (k, 4).
        mollified: (k,).
        moving: Bodies that move, (n,).
        x: Positions of the vertices, (V, 3) [m].
        kappa: κ = dt² κ_c of each pair, (P,).
        d_hat: d̂ [m].
        xi: ξ [m].
        E: (n,).
    """
    w, c, e1, e2, z = np.empty(4), np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    for s in range(len(pair)):
        i, j = bodies[pair[s], 0], bodies[pair[s], 1]
        if not (moving[i] or moving[j]):
            continue
        v = row(vertices, s)
        if _apart(kind[s], x, v, d_hat + xi):
            continue
        gap = np.sqrt(closest_points(kind[s], x, v, w, c)) - xi
        if gap >= d_hat:
            continue
        b = i if moving[i] else j
        if gap <= 0.0:
            E[b] = np.inf
            continue
        B, _, _ = barrier(gap, d_hat, xi)
        if mollified[s] > 0.0:
            B *= mollifier(cross_of_edges(x, v, e1, e2, z), mollified[s])[0]
        E[b] += kappa[pair[s]] * B


@compiled(nogil=True)
def add_derivatives(bodies, pair, kind, vertices, mollified, points, x, kappa, d_hat, xi, project, g):
    """Add the gradient of stencils within d̂ to g (n, 12); see `add_energy`; `points` are local ones (V, 3) [m].

    The Hessian of a pair is projected, `project` (P,), or exact.

    Returns:
        The Hessian block of each pair of bodies, (P, 24, 24).
    """
    H = np.zeros((len(bodies), PAIR_DOF, PAIR_DOF))
    w, n, y, u = np.empty(4), np.empty(3), np.empty(LEVER), np.empty(PAIR_DOF)
    e1, e2, z = np.empty(3), np.empty(3), np.empty(3)
    for s in range(len(pair)):
        v, i, j, H_s = row(vertices, s), bodies[pair[s], 0], bodies[pair[s], 1], H[pair[s]]
        d, is_projected = np.sqrt(closest_points(kind[s], x, v, w, n)), project[pair[s]]
        for k in range(3):
            n[k] /= d
        lever(kind[s], points, v, w, y)
        outer(n, y, u)
        B, slope, curvature = barrier(d - xi, d_hat, xi)
        square = cross_of_edges(x, v, e1, e2, z) if mollified[s] > 0.0 else np.inf
        if square < mollified[s]:
            eps = mollified[s]
            parts = kappa[pair[s]], B, slope, curvature, u, square, eps, e1, e2, z, points, v
            add_mollified(*parts, i, j, is_projected, g, H_s)
            if is_projected and 2.0 * square >= d * d * max(length_squared(e1), length_squared(e2)):
                continue
            slope *= mollifier(square, eps)[0]
        else:
            add_gradient(kappa[pair[s]] * slope, u, i, j, g)
            add_rank_one(kappa[pair[s]] * (max(curvature, 0.0) if is_projected else curvature), u, H_s)
        force = -kappa[pair[s]] * slope
        if is_projected:
            add_curvature(force, d, kind[s], points, x, v, w, n, y, H_s)
        else:
            add_exact_curvature(force, d, kind[s], points, x, v, w, n, y, H_s)
    return by_coordinates(H)
