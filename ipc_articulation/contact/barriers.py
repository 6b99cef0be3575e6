"""Barriers of stencils, once for all bodies and half-planes.

    E = dt² κ_c Σ m(‖e₁ × e₂‖²) B(d),   c = Σ_a l_a x_a,   d = |c|,   n = c/d

over the stencils nearer than d̂: `contact.barrier` has B and the mollifier m, `contact.stencils` the levers l. With

    ∂d/∂x_a = l_a n,   ∂E = κ m B' ∂d,   ∂²E = κ B'' ∂d ∂dᵀ + κ B' ∂²d,   κ = dt² κ_c,

the projected Hessian has B'' (`contact.foresight`: or the slope of a chord) and the positive part of -∂²d
(`contact.curvature`). Edges that are almost parallel, with z = e₁ × e₂ and the numbers d and |z|, have

    κ (m B'' d' d'ᵀ + B' (d' m'ᵀ + m' d'ᵀ) + B Σ_kl ∂²m/∂z_k∂z_l z_k' z_l'ᵀ)    a Hessian by the numbers d and z
    κ B Σ_k ∂m/∂z_k ∂²z_k                                                        of z itself
    κ m B' ∂²d                                                                   of the distance

Along z, together with d, the first is a 2x2 matrix, of which the projected Hessian has the positive part; across, it is
2 B dm/d(z·z). The second is left out there, because B m is small; the third counts only where the distance is larger
than the offset of their ends from being parallel.

**Corrections.** To first order a step δx changes the gap d of a stencil by n·δc. Where a vertex slides by s over a face
that turns by φ this is wrong by s φ, many times a small gap. Newton's method then opens a gap that is pressed again and
again, and the face comes back each time (the effect of Maratos 1978, «Exact penalty function algorithms for finite
dimensional and control optimization problems»). By the slips a = (EᵀE)⁻¹ Eᵀδc along the edges E_k after the step, along
which the closest points can move, the gap changes besides by

    e = -Σ_k a_k b_k,     b_k = n·E_k.

Where that alone closes a gap, e < -d, the linear model of its barrier starts from d + e in place of d: the second-order
correction of sequential quadratic programming (Nocedal, Wright 2006, «Numerical optimization», section 18.3),

    dx ← dx - H⁻¹ Σ κ B''(d) e ∂d/∂x.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.compiled import compiled
from ipc_articulation.contact.barrier import barrier, cross, gap_scale, mollifier
from ipc_articulation.contact.ccd import REST, load, pair_fraction
from ipc_articulation.contact.curvature import forms, invert_gram
from ipc_articulation.contact.foresight import chord
from ipc_articulation.contact.mollified import basis
from ipc_articulation.contact.stencils import (
    NODES,
    PLANE,
    ROOM,
    add_gradient,
    add_outer,
    add_point,
    add_rank_one,
    add_rows,
    add_to_matrix,
    distance,
    is_apart,
    lever_of,
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
def add_derivatives(scene, square, stencils, some, y, projected, row_of_node, is_free, matrix, g):
    """Add the gradient of some stencils (k,) within d̂ to g (N, 3), and the Hessian to the matrix.

    Args:
        scene: A `Scene`.
        square: dt² [s²].
        stencils: `Stencils`.
        some: `Near`.
        y: Points (V, 3).
        projected: Bodies (B,) whose Hessians are projected.
        row_of_node: (N,).
        is_free: Rows (R,) that move.
        matrix: A `Matrix`.
        g: (N, 3).
    """
    table, is_soft, row_of, weight = scene.table, scene.points.is_soft, scene.points.row, scene.points.weight
    pair, kind, vertices, mollified = stencils.pair, stencils.kind, stencils.vertices, stencils.mollified
    nodes, m, place, first = np.empty(NODES, dtype=np.int64), 0, np.empty(4, dtype=np.int64), scene.rows.first
    lever, levers, e = np.empty(ROOM), np.empty((2, ROOM)), np.empty((3, 3))
    memory, E, G, N, c = (
        np.zeros(9 * NODES**2),
        np.zeros((2, 3)),
        np.zeros((2, 2)),
        np.empty((3, 3)),
        np.empty((2, 3 * NODES)),
    )
    H = memory[:0].reshape(0, 0)
    for k in range(len(some.of)):
        s, d, w, n = some.of[k], some.distance[k], some.w[k], some.n[k]
        i, j = pair[s, 0], pair[s, 1]
        is_same = k > 0 and i == pair[some.of[k - 1], 0] and j == pair[some.of[k - 1], 1]
        if is_same and not is_any_soft(is_soft, i, j):
            place_sides(kind, vertices, s, row_of, place)
        else:
            if k > 0:
                add_to_matrix(H, nodes, m, row_of_node, is_free, matrix)
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
            _add_mollified(
                vertices[s], eps, (place, nodes, m, weight), (kappa, B, slope, h), across, e, project, (n, lever), H, g
            )
            if project and 2.0 * across >= d * d * max(_square(e[0]), _square(e[1])):
                continue
            slope *= mollifier(across, eps)[0]
            h = 0.0
        else:
            add_gradient(kappa * slope, n, lever, nodes, m, g)
        count = sliding(kind, vertices, s, w, place, m, weight, y, levers, E)
        if count > 0 and not invert_gram(E, count, G):
            count = -1
        if project:
            _write_normal(kappa * max(h, 0.0), n, N)
            add_rows(N, lever, n, levers, c[:0], m, H)
            if count > 0:
                _add_positive(-kappa * slope, d, w, n, count, lever, levers, (E, G), c[0], m, H)
        else:
            _write_exact(kappa * h, -kappa * slope, d, n, count if kind[s] != PLANE else -1, E, G, N)
            _write_slides(-kappa * slope, d, n, count, lever, levers, (E, G), m, c)
            add_rows(N, lever, n, levers, c[: max(count, 0)], m, H)
    if len(some.of):
        add_to_matrix(H, nodes, m, row_of_node, is_free, matrix)


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
def _write_slides(force, d, n, count, lever, levers, gram, m, c):
    """Fill force c_e = force (Σ G_ef E_f ⊗ l + ½ d Σ G_ef n ⊗ l_f), (E, 3m), see `contact.curvature`."""
    E, G = gram
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
def _add_positive(force, d, w, n, count, lever, levers, gram, c, m, H):
    """Add the positive part of force times -∂²d, see `contact.curvature`."""
    (E, G), slip, turn = gram, np.zeros((2, 2)), np.zeros((2, 2))
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
def _add_mollified(v, eps, of, numbers, across, e, project, at, H, g):
    """Add the derivatives of almost parallel edges, whose ends are v (4,), but those of the distance itself."""
    (place, nodes, m, weight), (kappa, B, slope, curvature), (n, lever) = of, numbers, at
    (factor, rate), e1, e2, z = mollifier(across, eps), e[0], e[1], e[2]
    length, ends = np.sqrt(across), np.zeros((2, ROOM))
    for side in range(2):
        add_point(1.0, v[2 * side + 1], place[2 * side + 1], weight, ends[side])
        add_point(-1.0, v[2 * side], place[2 * side], weight, ends[side])
    axes, u_z, u_d = np.empty((3, 3)), np.empty(3 * NODES), np.zeros(3 * NODES)
    basis(z, length, axes[0], axes[1], axes[2])
    _outer_of_edges(axes[0], e1, e2, ends, m, u_z)
    add_outer(1.0, n, lever, m, u_d)
    m_z = 2.0 * rate * length
    for a in range(m):
        for k in range(3):
            g[nodes[a], k] += kappa * (factor * slope * u_d[k * m + a] + B * m_z * u_z[k * m + a])
    zz, zd, dd = B * (4.0 / eps) * (1.0 - 3.0 * across / eps), slope * m_z, factor * curvature
    if project:
        mean, half = 0.5 * (zz + dd), 0.5 * (zz - dd)
        radius, angle = np.sqrt(half * half + zd * zd), 0.5 * np.arctan2(zd, half)
        mixed = np.empty(3 * NODES)
        for sign in range(2):
            for a in range(3 * m):
                mixed[a] = np.cos(angle) * u_z[a] + np.sin(angle) * u_d[a]
                if sign:
                    mixed[a] = np.cos(angle) * u_d[a] - np.sin(angle) * u_z[a]
            add_rank_one(kappa * max(mean - radius if sign else mean + radius, 0.0), mixed, m, H)
    else:
        add_rank_one(kappa * zz, u_z, m, H)
        add_rank_one(kappa * dd, u_d, m, H)
        for a in range(3 * m):
            for b in range(3 * m):
                H[a, b] += kappa * zd * u_z[a] * u_d[b]
        t = 2.0 * rate * kappa * B
        for k in range(3):  # z·(δe₁ × δe₂)
            for turn in range(1, 3):
                q, axis = (k + turn) % 3, (k + 2 * turn) % 3
                s_ = t * z[axis] if turn == 1 else -t * z[axis]
                for a in range(m):
                    for b in range(m):
                        H[k * m + a, q * m + b] += s_ * ends[0, a] * ends[1, b]
    for k in range(1, 3):
        _outer_of_edges(axes[k], e1, e2, ends, m, u_z)
        add_rank_one(kappa * B * 2.0 * rate, u_z, m, H)


@compiled
def _outer_of_edges(a, e1, e2, ends, m, u):
    """Fill u (3m,): ∂(a·(e₁ × e₂)) = (e₂ × a) ⊗ l₁ + (a × e₁) ⊗ l₂."""
    n = np.empty(3)
    u[: 3 * m] = 0.0
    cross(e2, a, n)
    add_outer(1.0, n, ends[0], m, u)
    cross(a, e1, n)
    add_outer(1.0, n, ends[1], m, u)


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
def add_corrections(scene, square, stencils, some, y, ahead, loads):
    """Add loads (N, 3) of gaps that close by what turns them; whether there is any."""
    weight, table, vertices = scene.points.weight, scene.table, stencils.vertices
    place, nodes, lever = np.empty(4, dtype=np.int64), np.empty(NODES, dtype=np.int64), np.empty(ROOM)
    levers, E, G, e, moved, found = (
        np.empty((2, ROOM)),
        np.zeros((2, 3)),
        np.zeros((2, 2)),
        np.empty((3, 3)),
        np.empty(3),
        False,
    )
    for k in range(len(some.of)):
        s, d, w, n = some.of[k], some.distance[k], some.w[k], some.n[k]
        if is_led(scene.points.is_soft, stencils.pair, s):
            continue
        place[:] = 0
        count, sunk = sliding(stencils.kind, vertices, s, w, place, 0, weight, ahead, levers, E), 0.0
        if count == 0 or not invert_gram(E, count, G):
            continue
        for c in range(3):
            moved[c] = 0.0
            for v in range(4):
                moved[c] += w[v] * (ahead[vertices[s, v], c] - y[vertices[s, v], c])
        for a in range(count):
            for b in range(count):
                sunk -= (
                    G[a, b]
                    * (E[b, 0] * moved[0] + E[b, 1] * moved[1] + E[b, 2] * moved[2])
                    * (E[a, 0] * n[0] + E[a, 1] * n[1] + E[a, 2] * n[2])
                )
        model = table.model[stencils.pair[s, 0], stencils.pair[s, 1]]
        xi, eps = table.xi[model], stencils.mollified[s]
        if sunk >= xi - d or (eps > 0.0 and cross_of(vertices, s, y, e) < eps):
            continue
        m = place_rows(stencils.kind, vertices, s, scene.points.row, scene.rows.first, place, nodes)
        lever_of(stencils.kind, vertices, s, w, place, m, weight, lever)
        curvature = barrier(d - xi, table.d_hat[model], xi)[2]
        add_gradient(square * stencils.kappa[s] * curvature * sunk, n, lever, nodes, m, loads)
        found = True
    return found


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


@compiled
def lower_fractions(table, stencils, y, ahead, labels, moving, floors, fractions):
    """Lower the fractions of islands, one in the row of each label, (B,): every gap keeps a tenth of its size."""
    pair, kind, vertices, planes = stencils.pair, stencils.kind, stencils.vertices, table.planes
    r, v, n, best = np.empty((4, 3)), np.empty((4, 3)), np.empty(3), np.zeros(3)
    for s in range(len(kind)):
        if not is_moving(pair, s, moving):
            continue
        i, j = pair[s, 0], pair[s, 1]
        island, model = labels[owner(pair, s, moving)], table.model[i, j]
        xi, d_hat, floor = (
            table.xi[model],
            table.d_hat[model],
            floors[i] if j >= len(floors) else max(floors[i], floors[j]),
        )
        if stencils.least[s] >= xi + max(REST * d_hat, floor):
            continue
        if kind[s] == PLANE:
            p, q = vertices[s, 1], vertices[s, 0]
            now = then = -planes[p, 3] - xi
            for k in range(3):
                now += planes[p, k] * y[q, k]
                then += planes[p, k] * ahead[q, k]
            rest = max(REST * min(now, d_hat), min(now, floor))
            if then < rest:
                fractions[island] = min(fractions[island], (now - rest) / (now - then))
            continue
        if s > 0 and (i != pair[s - 1, 0] or j != pair[s - 1, 1]):
            best[:] = 0.0
        sides = load(kind[s], vertices, s, y, ahead, r, v)
        fractions[island] = pair_fraction(r, v, sides, xi, d_hat, floor, fractions[island], n, best)
