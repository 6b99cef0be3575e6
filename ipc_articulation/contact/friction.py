"""Friction of stencils, once for all bodies and half-planes.

    E = Σ μ λ f₀(|u|, ε),   λ = -dt² κ_c B'(d) as the step begins
    lagged     ε = ε_v dt    what sticks creeps with up to ε_v (Li et al. 2020, section 5)
    anchored   ε = δ         what sticks does not move, see `anchors` and, of soft bodies, `spring_law`

`contact.smooth_norm` has f₀. The slip is linear in the nodes, with x° those at the beginning of the step, T = 1 - nnᵀ:

    u = T (Σ_a l_a (x_a - x°_a) + s) + Σ_a L_a n·(x_a - x°_a),   L_a ⟂ n.

Lagged friction has the lever l of the closest points, and s = L = 0. `memory` has the levers of anchored friction, the
anchors s, and the leans L of two soft sides (see `leans`). With the force p = μ λ f₀' u/|u| and the
N of `smooth_norm.dual_hessian`, without its part along n,

    ∂E/∂x_a = l_a p + n L_a·p,     H_ab = (l_a + n L_aᵀ) N (l_b + L_b nᵀ).

Edges that are almost parallel have no friction: their closest points are arbitrary. A vertex near them has it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ipc_articulation.arrays import Array, Bools, Ints
from ipc_articulation.compiled import compiled
from ipc_articulation.contact.anchors import LENGTH
from ipc_articulation.contact.barrier import barrier, dot
from ipc_articulation.contact.barriers import cross_of, is_any_soft, is_moving, owner
from ipc_articulation.contact.closest_points import EDGES
from ipc_articulation.contact.forces import ContactForces
from ipc_articulation.contact.primitive_stencils import VERTEX_OF_SECOND
from ipc_articulation.contact.smooth_norm import (
    dual_hessian,
    follow_dual,
    force_change,
    smooth_norm,
    smooth_norm_derivatives,
    start_dual,
)
from ipc_articulation.contact.springs import LENGTH as SOFT_LENGTH
from ipc_articulation.contact.stencils import (
    NODES,
    PLANE,
    ROOM,
    add_gradient,
    add_rows,
    add_to_matrix,
    lever_of,
    place_point,
    place_rows,
)
from ipc_articulation.references import by_reference

_SMALLEST = 1e-300  # [m]


class _Friction(NamedTuple):
    """F stencils with friction, sorted by their pairs of bodies."""

    pair: Ints  # (F, 2)
    kind: Ints  # (F,)
    vertices: Ints  # (F, 4)
    w: Array  # (F, 4) weights of the points
    normal: Array  # (F, 3) n
    force: Array  # (F,) μ λ
    eps: Array  # (F,) ε: slip at which friction is fully developed [m]
    count: Ints  # type: ignore[assignment]  # (F,) number of nodes
    nodes: Ints  # (F, 8)
    lever: Array  # (F, 12) l
    is_leaning: Bools  # (F,) whether there are leans, of at most four nodes then
    lean: Array  # (F, 4, 3) L of the first nodes
    anchor: Array  # (F, 3) s [m]
    dual: Array  # (F, 3) p, see `smooth_norm`; NaN before the first derivatives; changes from iteration to iteration
    apart: Array  # (F,) how far apart the points were that have been brought to one place [m]


FrictionType, Friction = by_reference(_Friction, __name__)


@compiled
def no_friction():
    """Of no stencils."""
    none, nowhere = np.zeros(0, dtype=np.int64), np.zeros(0)
    three, four = nowhere.reshape(0, 3), nowhere.reshape(0, 4)
    nodes = none, none.reshape(0, NODES), nowhere.reshape(0, ROOM)
    leans = np.zeros(0, dtype=np.bool_), nowhere.reshape(0, 4, 3)
    contacts = none.reshape(0, 2), none, none.reshape(0, 4), four, three
    return Friction(*contacts, nowhere, nowhere, *nodes, *leans, three, three, nowhere)


@compiled
def lag(scene, limits, stencils, some, y):
    """Friction without memory, with normal forces and tangents of where points are.

    Args:
        scene: A `Scene`.
        limits: `Limits`.
        stencils: `Stencils`.
        some: Those within d̂, `Near`.
        y: Points (V, 3).
    """
    on, force = _pressed(scene.table, limits, stencils, some, y)
    of, size, table, points = some.of[on], len(on), scene.table, scene.points
    count, nodes, place = np.empty(size, dtype=np.int64), np.empty((size, NODES), dtype=np.int64), np.empty(4, np.int64)
    pair, kind, vertices, w = stencils.pair[of], stencils.kind[of], stencils.vertices[of], some.w[on]
    eps, lever = np.empty(size), np.empty((size, ROOM))
    for f in range(size):
        i, j = pair[f, 0], pair[f, 1]
        count[f] = place_rows(kind, vertices, f, points.row, scene.rows.first, place, nodes[f])
        lever_of(kind, vertices, f, w[f], place, count[f], points.weight, lever[f])
        eps[f] = length(limits, table.d_hat[table.model[i, j]], is_any_soft(points.is_soft, i, j))
    leans = np.zeros(size, dtype=np.bool_), np.empty((size, 4, 3))
    rest = np.zeros((size, 3)), np.full((size, 3), np.nan), np.zeros(size)
    return Friction(pair, kind, vertices, w, some.n[on], force, eps, count, nodes, lever, *leans, *rest)


@compiled
def _pressed(table, limits, stencils, some, y):
    """Those of some stencils with friction, (F,), and μ λ of these, (F,)."""
    mu, e, size = stencils.mu, np.empty((3, 3)), 0
    on, force = np.empty(len(some.of), dtype=np.int64), np.empty(len(some.of))
    for k in range(len(some.of)):
        s, mollified = some.of[k], stencils.mollified[some.of[k]]
        is_parallel = mollified > 0.0 and cross_of(stencils.vertices, s, y, e) < mollified
        if mu[s] == 0.0 or limits.eps == 0.0 or is_parallel:
            continue
        model = table.model[stencils.pair[s, 0], stencils.pair[s, 1]]
        slope = barrier(some.distance[k] - table.xi[model], table.d_hat[model], table.xi[model])[1]
        on[size], force[size] = k, -mu[s] * limits.square * stencils.kappa[s] * slope
        size += force[size] > 0.0
    return on[:size], force[:size]


@compiled
def length(limits, d_hat, is_soft):
    """ε, see `contact.friction_law`."""
    if limits.pairs_of < 0:
        return max(limits.eps, _SMALLEST)
    return max((SOFT_LENGTH if is_soft else LENGTH) * d_hat, _SMALLEST)


@compiled
def slip(friction, f, since, x, u):
    """Fill u (3,), the slip of stencil f from nodes since to x, (N, 3) each; returns its length."""
    n, m, along = friction.normal[f], friction.count[f], 0.0
    for k in range(3):
        u[k] = friction.anchor[f, k]
        for a in range(m):
            node = friction.nodes[f, a]
            u[k] += friction.lever[f, a] * (x[node, k] - since[node, k])
        along += u[k] * n[k]
    for k in range(3):
        u[k] -= along * n[k]
    if friction.is_leaning[f]:
        for a in range(m):
            node, height = friction.nodes[f, a], 0.0
            for k in range(3):
                height += n[k] * (x[node, k] - since[node, k])
            for k in range(3):
                u[k] += friction.lean[f, a, k] * height
    return np.sqrt(dot(u, u))


@compiled
def add_friction_energies(friction, since, x, moving, E):
    """Add μ λ f₀ to E (B,)."""
    u = np.empty(3)
    for f in range(len(friction.force)):
        if is_moving(friction.pair, f, moving):
            y = slip(friction, f, since, x, u)
            E[owner(friction.pair, f, moving)] += friction.force[f] * smooth_norm(y, friction.eps[f])


@compiled
def add_friction(scene, friction, since, x, sums):
    """Add gradient and Hessian with nodes at x (N, 3), in a step that began at `since`, to `Sums`."""
    moving, g = sums.moving, sums.g
    memory, N, u, m = np.zeros(9 * NODES**2), np.empty((3, 3)), np.empty(3), 0
    no_edges, H, last = np.empty((0, 3 * NODES)), memory[:0].reshape(0, 0), -1
    for f in range(len(friction.force)):
        if not is_moving(friction.pair, f, moving):
            continue
        i, j = friction.pair[f, 0], friction.pair[f, 1]
        is_same = last >= 0 and i == friction.pair[last, 0] and j == friction.pair[last, 1]
        if is_any_soft(scene.points.is_soft, i, j) or not is_same:
            if last >= 0:
                add_to_matrix(H, friction.nodes[last], m, sums)
            m = friction.count[f]
            H = memory[: 9 * m * m].reshape(3 * m, 3 * m)
        last = f
        s, c = smooth_norm_derivatives(slip(friction, f, since, x, u), friction.eps[f])
        force, n = friction.force[f], friction.normal[f]
        if np.isnan(friction.dual[f, 0]):
            start_dual(force, s, u, friction.dual[f])
        add_gradient(force * s, u, friction.lever[f], friction.nodes[f], m, g)
        dual_hessian(force, s, c, u, friction.dual[f], N)
        for k in range(3):
            for q in range(3):
                N[k, q] -= force * s * n[k] * n[q]
        add_rows(N, friction.lever[f], n, no_edges, no_edges, m, H)
        if friction.is_leaning[f]:
            _add_leans(friction, f, force * s, u, N, g, H)
    if last >= 0:
        add_to_matrix(H, friction.nodes[last], m, sums)


@compiled
def _add_leans(friction, f, scale, u, N, g, H):
    """Add n L_a·p to g (N, 3), and l_a N L_b nᵀ + ½ n (L_a·N L_b) nᵀ to the half of a Hessian, for p = scale u."""
    n, m, lever, lean, turned = friction.normal[f], friction.count[f], friction.lever[f], friction.lean[f], np.empty(3)
    for b in range(m):
        along = scale * dot(lean[b], u)
        for k in range(3):
            g[friction.nodes[f, b], k] += along * n[k]
            turned[k] = dot(N[k], lean[b])
        for a in range(m):
            both = 0.5 * dot(lean[a], turned)
            for k in range(3):
                for q in range(3):
                    H[k * m + a, q * m + b] += (lever[a] * turned[k] + both * n[k]) * n[q]


@compiled
def follow(friction, since, x, ahead, moving, turned):
    """Let the duals follow a step from x to ahead, (N, 3) each, on which some bodies (B,) have turned on circles."""
    u, to = np.empty(3), np.empty(3)
    for f in range(len(friction.force)):
        if is_moving(friction.pair, f, moving) and not np.isnan(friction.dual[f, 0]):
            slip(friction, f, since, ahead, to)
            s, c = smooth_norm_derivatives(slip(friction, f, since, x, u), friction.eps[f])
            for k in range(3):
                to[k] -= u[k]
            i, j = friction.pair[f, 0], friction.pair[f, 1]
            on_circles = turned[i] or (j < len(turned) and turned[j])
            follow_dual(friction.force[f], on_circles, s, c, u, to, friction.dual[f])


@compiled
def add_slips(friction, since, x, ahead, moving, slips):
    """Raise `slips` (B,) to how much a step from x to ahead, (N, 3) each, changes friction."""
    u, to = np.empty(3), np.empty(3)
    for f in range(len(friction.force)):
        if is_moving(friction.pair, f, moving):
            slip(friction, f, since, x, u)
            slip(friction, f, since, ahead, to)
            b = owner(friction.pair, f, moving)
            slips[b] = max(slips[b], force_change(u, to, friction.eps[f]))


@compiled
def forces(scene, friction, since, x):
    """The forces of friction at the end x of a step that began at `since`, (N, 3) [m] each, stencil by stencil.

    The first body is that of the pair where both are affine, else that of the first point. The forces on points
    before half-planes are without those of the barrier, which belong to the same contacts.

    Returns:
        F contacts, `ContactForces` times dt².
    """
    first, second, normals, on_first, gaps = _forces(scene, friction, since, x)
    nothing = np.zeros_like(first)
    return ContactForces(first, second, normals, nothing, on_first, nothing, gaps, _bodies(scene, friction))


@compiled
def _bodies(scene, friction):
    """The bodies of the stencils, (F, 2), as rows of twelve coordinates; half-planes count after the last one."""
    is_soft, bodies, row = scene.points.is_soft, friction.pair.copy(), scene.table.chooser
    for f in range(len(bodies)):
        i, j = bodies[f, 0], bodies[f, 1]
        if is_any_soft(is_soft, i, j):
            bodies[f, 0] = row[friction.vertices[f, 0]]
            bodies[f, 1] = row[friction.vertices[f, np.argmin(friction.w[f])]]
        if j >= len(is_soft):
            bodies[f, 1] = scene.table.choosers + j - len(is_soft)
    return bodies


@compiled
def _forces(scene, friction, since, x):
    """Points on both sides, normals and forces on the first one, (F, 3) each, and gaps (F,)."""
    size, table = len(friction.force), scene.table
    points, normals, force, gaps = np.zeros((2, size, 3)), np.empty((size, 3)), np.empty((size, 3)), np.empty(size)
    u, bodies = np.empty(3), len(scene.points.is_soft)
    for f in range(size):
        s, kind = smooth_norm_derivatives(slip(friction, f, since, x, u), friction.eps[f])[0], friction.kind[f]
        i, j = friction.pair[f, 0], friction.pair[f, 1]
        is_swapped = kind == VERTEX_OF_SECOND and not is_any_soft(scene.points.is_soft, i, j)
        sign = -1.0 if is_swapped else 1.0
        for a in range(friction.count[f]):
            node, side = friction.nodes[f, a], 1
            for v in range(2 if kind == EDGES else 1):
                r = scene.points.row[friction.vertices[f, v]]
                side = 0 if scene.rows.first[r] <= node < scene.rows.first[r + 1] else side
            to = 1 - side if is_swapped else side
            for k in range(3):
                points[to, f, k] += (1.0 if side == 0 else -1.0) * friction.lever[f, a] * x[node, k]
        if i == j and not scene.points.is_soft[i]:
            _part(scene, friction, f, x, points[int(is_swapped), f], points[1 - int(is_swapped), f])
        gaps[f] = friction.apart[f] - table.xi[table.model[i, j]]
        for k in range(3):
            normals[f, k], force[f, k] = sign * friction.normal[f, k], -sign * friction.force[f] * s * u[k]
            gaps[f] += normals[f, k] * (points[0, f, k] - points[1, f, k])
        if kind == PLANE:
            gaps[f] -= table.planes[j - bodies, 3]
            for k in range(3):
                points[1, f, k] = points[0, f, k] - (gaps[f] + table.xi[table.model[i, j]]) * normals[f, k]
    return points[0], points[1], normals, force, gaps


@compiled
def _part(scene, friction, f, x, first, second):
    """Part the two points (3,) of an affine body that touches itself: the nodes of both are the same.

    So `first` begins as y₁ - y₂.
    """
    for k in range(3):
        second[k] = -first[k]
    write_first(scene, friction, f, x, first)
    for k in range(3):
        second[k] += first[k]


@compiled
def write_first(scene, friction, f, x, first):
    """Write y₁ of a stencil between two sides, or where it has been brought, half-way to y₂, to `first` (3,)."""
    y = np.empty(3)
    for k in range(3):
        first[k] = -0.5 * friction.apart[f] * friction.normal[f, k]
    for v in range(2 if friction.kind[f] == EDGES else 1):
        place_point(scene.points, scene.rows, x, friction.vertices[f, v], y)
        for k in range(3):
            first[k] += friction.w[f, v] * y[k]
