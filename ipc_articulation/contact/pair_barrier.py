"""The barrier between bodies: E = κ Σ m B(d², d̂²) over the stencils nearer than d̂ (see `barrier`).

The projected Hessian is a Gauss-Newton one, in the distance d and, for edges that are almost parallel, in z = e₁ × e₂:
the second derivatives of B m by these numbers are projected to positive semidefinite. The positive part of the second
derivative of d is added (see `curvature`), for almost parallel edges only if their distance is larger than the offset
of their ends from being parallel. The second derivative of z is left out, because B m is small there. The exact Hessian
is that of all stencils but almost parallel edges.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.affine import PAIR_DOF
from ipc_articulation.compiled import compiled
from ipc_articulation.contact.barrier import barrier, cross, cross_of_edges, length_squared, mollifier
from ipc_articulation.contact.ccd import FLOOR
from ipc_articulation.contact.closest_points import EDGES, closest_points, row
from ipc_articulation.contact.curvature import add_curvature, add_exact_curvature
from ipc_articulation.contact.pair_blocks import HALF, LEVER, add_gradient, add_rank_one, by_coordinates, lever, outer


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
def add_gap_changes(bodies, pair, kind, vertices, x, ahead, xi, change):
    """Raise `change` (n,) to the relative change of gaps for a motion of vertices from x to ahead, (V, 3) each."""
    w, c = np.empty(4), np.empty(3)
    for s in range(len(pair)):
        v = row(vertices, s)
        gap = np.sqrt(closest_points(kind[s], x, v, w, c)) - xi
        after = np.sqrt(closest_points(kind[s], ahead, v, w, c)) - xi
        for b in bodies[pair[s]]:
            change[b] = max(change[b], abs(after - gap) / gap)


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


@compiled
def add_derivatives(bodies, pair, kind, vertices, mollified, points, x, kappa, d_hat, xi, project, g):
    """Add the gradient of stencils within d̂ to g (n, 12); see `add_energy`; `points` are local ones (V, 3) [m].

    The Hessian is projected, or, for all but mollified edges, exact.

    Returns:
        The Hessian block of each pair of bodies, (P, 24, 24).
    """
    H = np.zeros((len(bodies), PAIR_DOF, PAIR_DOF))
    w, n, y, u = np.empty(4), np.empty(3), np.empty(LEVER), np.empty(PAIR_DOF)
    e1, e2, z = np.empty(3), np.empty(3), np.empty(3)
    for s in range(len(pair)):
        v, i, j, H_s = row(vertices, s), bodies[pair[s], 0], bodies[pair[s], 1], H[pair[s]]
        d = np.sqrt(closest_points(kind[s], x, v, w, n))
        for k in range(3):
            n[k] /= d
        lever(kind[s], points, v, w, y)
        outer(n, y, u)
        B, slope, curvature = barrier(d - xi, d_hat, xi)
        square = cross_of_edges(x, v, e1, e2, z) if mollified[s] > 0.0 else np.inf
        if square < mollified[s]:
            eps = mollified[s]
            _add_mollified(kappa[pair[s]], B, slope, curvature, u, square, eps, e1, e2, z, points, v, i, j, g, H_s)
            if 2.0 * square >= d * d * max(length_squared(e1), length_squared(e2)):
                continue
            slope *= mollifier(square, eps)[0]
        else:
            add_gradient(kappa[pair[s]] * slope, u, i, j, g)
            add_rank_one(kappa[pair[s]] * (max(curvature, 0.0) if project else curvature), u, H_s)
            if not project:
                add_exact_curvature(-kappa[pair[s]] * slope, d, kind[s], points, x, v, w, n, y, H_s)
                continue
        add_curvature(-kappa[pair[s]] * slope, d, kind[s], points, x, v, w, n, y, H_s)
    return by_coordinates(H)


@compiled
def _add_mollified(kappa, B, slope, curvature, u, square, eps, e1, e2, z, points, v, i, j, g, H):
    """Add the derivatives of κ m(z·z) B(d) by d and z: those along z together with d, and those normal to z."""
    m, rate = mollifier(square, eps)
    length = np.sqrt(square)
    across1, across2, along = np.empty(3), np.empty(3), np.empty(3)
    _basis(z, length, along, across1, across2)
    u_z, u_mixed = np.empty(PAIR_DOF), np.empty(PAIR_DOF)
    _outer_of_edges(along, e1, e2, points, v, u_z)
    m_z = 2.0 * rate * length
    add_gradient(kappa * m * slope, u, i, j, g)
    add_gradient(kappa * B * m_z, u_z, i, j, g)
    # the 2x2 Hessian by (|z|, d), projected: λ₁ and λ₂ are its eigenvalues
    zz, zd, dd = B * (4.0 / eps) * (1.0 - 3.0 * square / eps), slope * m_z, m * curvature
    mean, half = 0.5 * (zz + dd), 0.5 * (zz - dd)
    radius = np.sqrt(half * half + zd * zd)
    angle = 0.5 * np.arctan2(zd, half)
    cos, sin = np.cos(angle), np.sin(angle)
    for a in range(PAIR_DOF):
        u_mixed[a] = cos * u_z[a] + sin * u[a]
    add_rank_one(kappa * max(mean + radius, 0.0), u_mixed, H)
    for a in range(PAIR_DOF):
        u_mixed[a] = cos * u[a] - sin * u_z[a]
    add_rank_one(kappa * max(mean - radius, 0.0), u_mixed, H)
    for across in (across1, across2):
        _outer_of_edges(across, e1, e2, points, v, u_z)
        add_rank_one(kappa * B * 2.0 * rate, u_z, H)


@compiled
def _basis(z, length, along, across1, across2):
    """Fill an orthonormal basis whose first vector is along z, or any basis if z is zero."""
    along[:] = 0.0
    along[2] = 1.0
    if length > 0.0:
        along[0], along[1], along[2] = z[0] / length, z[1] / length, z[2] / length
    smallest = 0
    for k in range(1, 3):
        if abs(along[k]) < abs(along[smallest]):
            smallest = k
    across2[:] = 0.0
    across2[smallest] = 1.0
    cross(along, across2, across1)
    scale = np.sqrt(across1[0] ** 2 + across1[1] ** 2 + across1[2] ** 2)
    across1[0], across1[1], across1[2] = across1[0] / scale, across1[1] / scale, across1[2] / scale
    cross(along, across1, across2)


@compiled
def _outer_of_edges(a, e1, e2, points, v, u):
    """Fill u (24,): ∂(a·(e₁ × e₂)) by the coordinates of both bodies, (e₂ × a) ⊗ ē₁ and (a × e₁) ⊗ ē₂."""
    n = np.empty(3)
    u[:] = 0.0
    cross(e2, a, n)
    for k in range(3):
        for m in range(3):
            u[LEVER * k + 1 + m] = n[k] * (points[v[1], m] - points[v[0], m])
    cross(a, e1, n)
    for k in range(3):
        for m in range(3):
            u[LEVER * k + HALF + 1 + m] = n[k] * (points[v[3], m] - points[v[2], m])
