"""Barriers of stencils, once for all bodies and half-planes.

    E = dt² κ_c Σ m(‖e₁ × e₂‖²) B(d),   c = Σ_a l_a x_a,   d = |c|,   n = c/d

over the stencils nearer than d̂: `contact.barrier` has B and the mollifier m, `contact.stencils` the levers l. With

    ∂d/∂x_a = l_a n,   ∂E = κ m B' ∂d,   ∂²E = κ B'' ∂d ∂dᵀ + κ B' ∂²d,   κ = dt² κ_c,

the projected Hessian has B'' (`contact.foresight`: or the slope of a chord) and the positive part of -∂²d
(`contact.curvature`). Of edges that are almost parallel, `contact.mollified` has all but ∂²d. That counts in a
projected Hessian only where the distance is larger than the offset of their ends from being parallel.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.compiled import compiled
from ipc_articulation.contact.barrier import barrier, cross, gap_scale, mollifier
from ipc_articulation.contact.curvature import forms, invert_gram
from ipc_articulation.contact.foresight import chord
from ipc_articulation.contact.mollified import add_mollified
from ipc_articulation.contact.stencils import (
    NODES,
    PLANE,
    add_gradient,
    add_outer,
    add_rank_one,
    add_rows,
    add_to_matrix,
    distance,
    is_apart,
    lever_of,
    make_slides,
    place_rows,
    place_sides,
    sliding,
)
from ipc_articulation.references import by_reference


class _Stencils(NamedTuple):
    """K stencils that may come within d̂ on a way, sorted by their pairs of bodies."""

    pair: Ints  # (K, 2) bodies, or a body and B + p
    kind: Ints  # (K,)
    vertices: Ints  # (K, 4) points; of a half-plane a point and p
    mollified: Array  # (K,) ε of edges' mollifier [m⁴]
    kappa: Array  # (K,) resistance κ_c [Pa]
    mu: Array  # (K,) coefficient of friction
    foreseen: Array  # (K,) β of `contact.foresight`, NaN: nothing
    least: Array  # (K,) as near they may come on the way [m]


StencilsType, Stencils = by_reference(_Stencils, __name__)


class _Near(NamedTuple):
    """The k stencils within d̂ where bodies are."""

    of: Ints  # (k,) among the stencils, ascending
    distance: Array  # (k,) [m]
    w: Array  # (k, 4) weights of the points
    n: Array  # (k, 3) normals


NearType, Near = by_reference(_Near, __name__)


@compiled
def no_stencils():
    """None at all."""
    none, nowhere = np.zeros(0, dtype=np.int64), np.zeros(0)
    return Stencils(none.reshape(0, 2), none, none.reshape(0, 4), nowhere, nowhere, nowhere, nowhere, nowhere)


@compiled
def chosen(stencils, some, least):
    """Some of the stencils, (k,), as near as these may come, (k,)."""
    kinds = stencils.pair[some], stencils.kind[some], stencils.vertices[some], stencils.mollified[some]
    return Stencils(*kinds, stencils.kappa[some], stencils.mu[some], stencils.foreseen[some], least)


@compiled
def is_moving(pair, s, moving):
    """Whether one of the bodies of stencil s moves."""
    return moving[pair[s, 0]] or (pair[s, 1] < len(moving) and moving[pair[s, 1]])


@compiled
def owner(pair, s, moving):
    """The body that has the energy of stencil s."""
    return pair[s, 0] if moving[pair[s, 0]] else pair[s, 1]


@compiled
def cross_of(vertices, s, y, e):
    """Fill e₁, e₂ and z = e₁ × e₂ (3, 3); returns z·z."""
    for k in range(3):
        e[0, k] = y[vertices[s, 1], k] - y[vertices[s, 0], k]
        e[1, k] = y[vertices[s, 3], k] - y[vertices[s, 2], k]
    cross(e[0], e[1], e[2])
    return e[2, 0] * e[2, 0] + e[2, 1] * e[2, 1] + e[2, 2] * e[2, 2]


@compiled
def add_energies(table, square, stencils, y, moving, E):
    """Add barriers to E (B,), inf where surfaces touch; square = dt²."""
    pair, kind, vertices, mollified = stencils.pair, stencils.kind, stencils.vertices, stencils.mollified
    models, planes, w, n, e = table.model, table.planes, np.empty(4), np.empty(3), np.empty((3, 3))
    for s in range(len(kind)):
        if not is_moving(pair, s, moving):
            continue
        model = models[pair[s, 0], pair[s, 1]]
        d_hat, xi = table.d_hat[model], table.xi[model]
        if stencils.least[s] >= d_hat + xi or is_apart(kind, vertices, s, y, d_hat + xi):
            continue
        gap = distance(kind, vertices, s, y, planes, w, n) - xi
        if gap >= d_hat:
            continue
        b = owner(pair, s, moving)
        if not gap > 0.0:
            E[b] = np.inf
            continue
        B = square * stencils.kappa[s] * barrier(gap, d_hat, xi)[0]
        if mollified[s] > 0.0:
            B *= mollifier(cross_of(vertices, s, y, e), mollified[s])[0]
        E[b] += B


@compiled
def near(table, stencils, y, moving):
    """The stencils within d̂ of which a body moves."""
    pair, kind, vertices, size = stencils.pair, stencils.kind, stencils.vertices, len(stencils.kind)
    models, planes, found = table.model, table.planes, np.empty(size, dtype=np.int64)
    gaps, w, n, k = np.empty(size), np.zeros((size, 4)), np.empty((size, 3)), 0
    for s in range(size):
        if is_moving(pair, s, moving):
            model = models[pair[s, 0], pair[s, 1]]
            reach = table.d_hat[model] + table.xi[model]
            if stencils.least[s] < reach and not is_apart(kind, vertices, s, y, reach):
                gaps[k] = distance(kind, vertices, s, y, planes, w[k], n[k])
                if gaps[k] < reach:
                    found[k] = s
                    k += 1
    return Near(found[:k], gaps[:k], w[:k], n[:k])


@compiled
def is_led(is_soft, pair, s):
    """Whether the slope of a barrier follows the foreseen force: of soft bodies, and of half-planes."""
    i, j = pair[s, 0], pair[s, 1]
    return j >= len(is_soft) or is_soft[i] or is_soft[j]


@compiled
def is_any_soft(is_soft, i, j):
    """Whether one of two bodies is soft; half-planes are not."""
    return is_soft[i] or (j < len(is_soft) and is_soft[j])


@compiled
def add_derivatives(scene, square, stencils, some, y, sums):
    """Add gradient and Hessian of some stencils (k,) within d̂ to `Sums`.

    Args:
        scene: A `Scene`.
        square: dt² [s²].
        stencils: `Stencils`.
        some: `Near`.
        y: Points (V, 3).
        sums: `Sums`.
    """
    table, is_soft, row_of, weight = scene.table, scene.points.is_soft, scene.points.row, scene.points.weight
    pair, kind, vertices, mollified = stencils.pair, stencils.kind, stencils.vertices, stencils.mollified
    nodes, m, place, first = np.empty(NODES, dtype=np.int64), 0, np.empty(4, dtype=np.int64), scene.rows.first
    memory, slides, e, N = np.zeros(9 * NODES**2), make_slides(), np.empty((3, 3)), np.empty((3, 3))
    lever, levers, E, G, c = slides
    projected, g = sums.projected, sums.g
    H = memory[:0].reshape(0, 0)
    for k in range(len(some.of)):
        s, d, w, n = some.of[k], some.distance[k], some.w[k], some.n[k]
        i, j = pair[s, 0], pair[s, 1]
        is_same = k > 0 and i == pair[some.of[k - 1], 0] and j == pair[some.of[k - 1], 1]
        if is_same and not is_any_soft(is_soft, i, j):
            place_sides(kind, vertices, s, row_of, place)
        else:
            if k > 0:
                add_to_matrix(H, nodes, m, sums)
            m = place_rows(kind, vertices, s, row_of, first, place, nodes)
            H = memory[: 9 * m * m].reshape(3 * m, 3 * m)
        project = projected[i] or (j < len(projected) and projected[j])
        model, eps = table.model[i, j], mollified[s]
        d_hat, xi, kappa = table.d_hat[model], table.xi[model], square * stencils.kappa[s]
        B, slope, h = barrier(d - xi, d_hat, xi)
        if is_led(is_soft, pair, s):
            h = chord(d - xi, slope, h, stencils.foreseen[s], d_hat, xi)
        lever_of(kind, vertices, s, w, place, m, weight, lever)
        across = cross_of(vertices, s, y, e) if eps > 0.0 else np.inf
        if across < eps:
            edges, of = (vertices[s], e, across, eps), (place, nodes, m, weight, n, lever)
            add_mollified(edges, of, (kappa, B, slope, h), project, H, g)
            if project and 2.0 * across >= d * d * max(_square(e[0]), _square(e[1])):
                continue
            slope *= mollifier(across, eps)[0]
            h = 0.0
        else:
            add_gradient(kappa * slope, n, lever, nodes, m, g)
        count = sliding(kind, vertices, s, w, (place, m, weight), y, slides)
        if count > 0 and not invert_gram(E, count, G):
            count = -1
        if project:
            _write_normal(kappa * max(h, 0.0), n, N)
            add_rows(N, lever, n, levers, c[:0], m, H)
            if count > 0:
                _add_positive(-kappa * slope, d, w, n, count, slides, m, H)
        else:
            _write_exact(kappa * h, -kappa * slope, d, n, count if kind[s] != PLANE else -1, E, G, N)
            _write_slides(-kappa * slope, d, n, count, slides, m)
            add_rows(N, lever, n, levers, c[: max(count, 0)], m, H)
    if len(some.of):
        add_to_matrix(H, nodes, m, sums)


@compiled
def _square(a):
    return a[0] * a[0] + a[1] * a[1] + a[2] * a[2]


@compiled
def _write_normal(along, n, N):
    for k in range(3):
        for q in range(3):
            N[k, q] = along * n[k] * n[q]


@compiled
def _write_exact(along, force, d, n, count, E, G, N):
    """Fill N (3, 3), of the slope along the normal and of P, see `contact.curvature`; P = 0 for a count below 0."""
    _write_normal(along, n, N)
    for k in range(3 if count >= 0 else 0):
        N[k, k] -= force / d
        for q in range(3):
            P = -n[k] * n[q]
            if count == 2:
                P -= E[0, k] * (G[0, 0] * E[0, q] + G[0, 1] * E[1, q]) + E[1, k] * (
                    G[1, 0] * E[0, q] + G[1, 1] * E[1, q]
                )
            elif count == 1:
                P -= E[0, k] * G[0, 0] * E[0, q]
            N[k, q] -= force / d * P


@compiled
def _write_slides(force, d, n, count, slides, m):
    """Fill force c_e = force (Σ G_ef E_f ⊗ l + ½ d Σ G_ef n ⊗ l_f), (E, 3m), see `contact.curvature`."""
    lever, levers, E, G, c = slides
    for k in range(count):
        for q in range(3):
            slide = G[k, 0] * E[0, q] + (G[k, 1] * E[1, q] if count == 2 else 0.0)
            t, u = 0.5 * force * d * G[k, 0] * n[q], 0.5 * force * d * G[k, 1] * n[q] if count == 2 else 0.0
            for a in range(m):
                c[k, q * m + a] = force * slide * lever[a] + t * levers[0, a]
            if count == 2:
                for a in range(m):
                    c[k, q * m + a] += u * levers[1, a]


@compiled
def _add_positive(force, d, w, n, count, slides, m, H):
    """Add the positive part of force times -∂²d, see `contact.curvature`."""
    (lever, levers, E, G, columns), slip, turn = slides, np.zeros((2, 2)), np.zeros((2, 2))
    c = columns[0]
    if count == 1:
        G[0, 1] = G[1, 0] = G[1, 1] = 0.0
    scale = forms(d, w, G, slip, turn)
    for k in range(count):
        c[: 3 * m] = 0.0
        for a in range(count):
            add_outer(slip[k, a], E[a], lever, m, c)
            add_outer(turn[k, a], n, levers[a], m, c)
        add_rank_one(force * scale, c, m, H)


@compiled
def foresee(scene, stencils, some, y, ahead):
    """Note the forces that a Newton step from y to ahead, (V, 3) each, foresees; the others are open."""
    table, before, vertices = scene.table, stencils.foreseen.copy(), stencils.vertices
    stencils.foreseen[:] = 0.0
    for k in range(len(some.of)):
        s, change = some.of[k], 0.0
        if not is_led(scene.points.is_soft, stencils.pair, s):
            continue
        model = table.model[stencils.pair[s, 0], stencils.pair[s, 1]]
        d_hat, xi = table.d_hat[model], table.xi[model]
        _, slope, h = barrier(some.distance[k] - xi, d_hat, xi)
        h = chord(some.distance[k] - xi, slope, h, before[s], d_hat, xi)
        for v in range(1 if stencils.kind[s] == PLANE else 4):
            for c in range(3):
                change += some.w[k, v] * some.n[k, c] * (ahead[vertices[s, v], c] - y[vertices[s, v], c])
        stencils.foreseen[s] = min(slope + h * change, 0.0)


@compiled
def add_changes(table, stencils, y, ahead, moving, gaps):
    """Raise `gaps` (B,) to how much a step changes gaps within d̂, see `gap_scale`."""
    w, n, pair, kind, vertices = np.empty(4), np.empty(3), stencils.pair, stencils.kind, stencils.vertices
    for s in range(len(kind)):
        if not is_moving(pair, s, moving):
            continue
        i, j = pair[s, 0], pair[s, 1]
        model, linear = table.model[i, j], 0.0
        xi, d_hat = table.xi[model], table.d_hat[model]
        if stencils.least[s] >= d_hat + xi:
            continue
        if is_apart(kind, vertices, s, y, d_hat + xi) and is_apart(kind, vertices, s, ahead, d_hat + xi):
            continue
        then = distance(kind, vertices, s, ahead, table.planes, w, n) - xi
        gap = distance(kind, vertices, s, y, table.planes, w, n) - xi
        if min(gap, then) >= d_hat:
            continue
        for v in range(1 if kind[s] == PLANE else 4):
            for k in range(3):
                linear += w[v] * n[k] * (ahead[vertices[s, v], k] - y[vertices[s, v], k])
        change = max(abs(then - gap), abs(linear)) / gap_scale(gap, then, d_hat)
        gaps[i] = max(gaps[i], change)
        if j < len(moving):
            gaps[j] = max(gaps[j], change)
