"""Friction by vertices: E = μ λ f₀(|s + u|, ε) with normal forces and tangents from the beginning of the step.

u = T Σ w_a (x_a - xᵗ_a) is the displacement in the step of the two points that were closest then (or where friction was
renewed last, see `engine.newton.lagging`), w_a their weights on the four
vertices of the stencil and T = 1 - nnᵀ. s is what `vertex_springs` remember of earlier steps; 0 without them. With the
slip y = s + u it is ∂E/∂x_a = w_a μ λ f₀' y/|y|; `pair_friction` has the rest.

Two points a gap apart are displaced also by a rigid turn of both. Where that must not count, leans l_a ⟂ n take it away
(see `vertex_leans`): u = T Σ w_a (x_a - xᵗ_a) + Σ l_a n·(x_a - xᵗ_a), and ∂E/∂x_a has besides n (l_a·y) μ λ f₀'/|y|.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.compiled import compiled
from ipc_articulation.contact.barrier import barrier, cross_of_edges, dot
from ipc_articulation.contact.closest_points import closest_points, row
from ipc_articulation.contact.smooth_norm import (
    dual_hessian,
    follow_dual,
    force_change,
    smooth_norm,
    smooth_norm_derivatives,
    start_dual,
)
from ipc_articulation.contact.soft.vertex_rows import SIZE, add_by_weights
from ipc_articulation.contact.stencils import Stencils
from ipc_articulation.contact.surfaces import on_axis


class VertexFriction(NamedTuple):
    """The k contact points at the beginning of a step."""

    bodies: Ints  # (k, 2) the bodies that stand for both sides, see `Stencils`
    kind: Ints  # (k,) see `Stencils`
    vertices: Ints  # (k, 4) rows of `points`
    weights: Array  # (k, 4) w
    lean: Array  # (k, 4, 3) l [1]
    normal: Array  # (k, 3)
    force: Array  # (k,) μ λ
    start: Array  # (k, 3) Σ w xᵗ + Σ l n·xᵗ - s [m]
    dual: Array  # (k, 3) p, see `smooth_norm`; NaN before the first derivatives; changes from iteration to iteration
    eps: float  # ε: slip at which friction is fully developed [m]
    body: Ints  # (p,) of each point
    points: Array  # (p, 3) local positions [m]: all vertices, or points of the stencils' own


def lag(
    touching: Stencils,
    body: Ints,
    points: Array,
    x: Array,
    since: Array,
    mu_kappa: Array,
    d_hat: float,
    xi: float,
    eps: float,
) -> VertexFriction:
    """Friction without memory of vertices at x in a step that began at `since`, (V, 3) each; mu_kappa (P,) is μκ."""
    weights, normal, force, start = _lag(*touching.columns[1:], x, since, mu_kappa, d_hat, xi)
    on = np.flatnonzero(force)
    return VertexFriction(
        bodies=touching.bodies[touching.pair[on]],
        kind=touching.kind[on],
        vertices=touching.vertices[on],
        weights=weights[on],
        lean=np.zeros((len(on), 4, 3)),
        normal=normal[on],
        force=force[on],
        start=start[on],
        dual=np.full((len(on), 3), np.nan),
        eps=eps,
        body=body,
        points=points,
    )


@compiled
def _lag(pair, kind, vertices, mollified, x, since, mu_kappa, d_hat, xi):
    """Weights (k, 4), normals (k, 3), forces μλ (k,) and Σ w xᵗ (k, 3) of stencils."""
    count = len(kind)
    weights, normal, force, start = np.empty((count, 4)), np.empty((count, 3)), np.zeros(count), np.zeros((count, 3))
    e1, e2, z = np.empty(3), np.empty(3), np.empty(3)
    for s in range(count):
        v = row(vertices, s)
        d = np.sqrt(closest_points(kind[s], x, v, weights[s], normal[s]))
        for k in range(3):
            normal[s, k] /= d
            for a in range(4):
                start[s, k] += weights[s, a] * since[v[a], k]
        parallel = mollified[s] > 0.0 and cross_of_edges(x, v, e1, e2, z) < mollified[s]
        if not parallel:
            force[s] = -mu_kappa[pair[s]] * barrier(d - xi, d_hat, xi)[1]
    return weights, normal, force, start


def slips(friction: VertexFriction, q: Array) -> Array:
    """The slip of each contact point at q (n, 12), (k, 3) [m]."""
    f = friction
    return _slips(f.vertices, f.weights, f.lean, f.normal, f.start, f.body, f.points, q)


@compiled
def _slips(vertices, weights, lean, normal, start, body, points, q):
    u = np.empty(normal.shape)
    for r in range(len(vertices)):
        slip(vertices[r], weights[r], lean[r], normal[r], start[r], body, points, q, u[r])
    return u


@compiled
def slip(vertices, w, lean, n, start, body, points, q, u):
    """Fill u (3,), the slip at q (n, 12); returns its length."""
    for k in range(3):
        u[k] = -start[k]
    for a in range(4):
        height = 0.0
        for k in range(3):
            x = on_axis(q, body[vertices[a]], k, points[vertices[a]])
            u[k] += w[a] * x
            height += n[k] * x
        for k in range(3):
            u[k] += lean[a, k] * height
    along = u[0] * n[0] + u[1] * n[1] + u[2] * n[2]
    for k in range(3):
        u[k] -= along * n[k]
    return np.sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2])


@compiled
def add_energy(bodies, kind, vertices, weights, lean, normal, force, start, dual, eps, body, points, moving, q, E):
    """Add the energies of contact points with a moving body to that body's E (n,).

    Args:
        bodies: This and the next eleven are the fields of `VertexFriction`.
        kind: (k,).
        vertices: (k, 4).
        weights: (k, 4).
        lean: (k, 4, 3).
        normal: (k, 3).
        force: (k,).
        start: (k, 3).
        dual: (k, 3).
        eps: ε [m].
        body: (p,).
        points: (p, 3).
        moving: Bodies that move, (n,).
        q: Coordinates (n, 12).
        E: (n,).
    """
    u = np.empty(3)
    for r in range(len(force)):
        i, j = bodies[r, 0], bodies[r, 1]
        if moving[i] or moving[j]:
            length = slip(vertices[r], weights[r], lean[r], normal[r], start[r], body, points, q, u)
            E[i if moving[i] else j] += force[r] * smooth_norm(length, eps)


@compiled
def derivatives(bodies, kind, vertices, weights, lean, normal, force, start, dual, eps, body, points, moving, q):
    """Gradients (k, 12) and Hessians (k, 12, 12) by vertices; arguments as in `add_energy`."""
    g, H = np.zeros((len(force), SIZE)), np.zeros((len(force), SIZE, SIZE))
    t, N = np.empty(3), np.empty((3, 3))
    for r in range(len(force)):
        if moving[bodies[r, 0]] or moving[bodies[r, 1]]:
            length = slip(vertices[r], weights[r], lean[r], normal[r], start[r], body, points, q, t)
            s, c = smooth_norm_derivatives(length, eps)
            if np.isnan(dual[r, 0]):
                start_dual(force[r], s, t, dual[r])
            dual_hessian(force[r], s, c, t, dual[r], N)
            for k in range(3):
                for a in range(4):
                    turned = normal[r, k] * dot(lean[r, a], t)
                    g[r, 3 * a + k] = force[r] * s * (weights[r, a] * t[k] + turned)
                for m in range(3):
                    N[k, m] -= force[r] * s * normal[r, k] * normal[r, m]
            add_by_weights(N, weights[r], H[r])
            _add_leans(N, weights[r], lean[r], normal[r], H[r])
    return g, H


@compiled
def _add_leans(N, w, lean, n, H):
    """H (12, 12) += what leans (4, 3) add to w_a w_b N, N ⟂ n: w_a (N l_b) nᵀ + w_b n (N l_a)ᵀ + (l_a·N l_b) n nᵀ."""
    for b in range(4):
        if lean[b, 0] == 0.0 and lean[b, 1] == 0.0 and lean[b, 2] == 0.0:
            continue
        f = N @ lean[b]
        for a in range(4):
            both = dot(lean[a], f)
            for k in range(3):
                for m in range(3):
                    along = w[a] * f[k] * n[m]
                    H[3 * a + k, 3 * b + m] += along + both * n[k] * n[m]
                    H[3 * b + m, 3 * a + k] += along


@compiled
def follow(
    bodies, kind, vertices, weights, lean, normal, force, start, dual, eps, body, points, moving, q, ahead, turned
):
    """Let the duals follow a Newton step from q to ahead, (n, 12) each, on which bodies (n,) have turned on circles.

    The other arguments are as in `add_energy`.
    """
    u, to = np.empty(3), np.empty(3)
    for r in range(len(force)):
        if (moving[bodies[r, 0]] or moving[bodies[r, 1]]) and not np.isnan(dual[r, 0]):
            slip(vertices[r], weights[r], lean[r], normal[r], start[r], body, points, ahead, to)
            length = slip(vertices[r], weights[r], lean[r], normal[r], start[r], body, points, q, u)
            s, c = smooth_norm_derivatives(length, eps)
            for k in range(3):
                to[k] -= u[k]
            is_turned = turned[bodies[r, 0]] or turned[bodies[r, 1]]
            follow_dual(force[r], is_turned, s, c, u, to, dual[r])


@compiled
def add_changes(
    bodies, kind, vertices, weights, lean, normal, force, start, dual, eps, body, points, moving, q, ahead, change
):
    """Raise `change` (n,) to how much of μ λ a force changes from q to ahead, (n, 12) each; see `add_energy`.

    It counts as that of the second body, which is a soft one, if this moves.
    """
    u, to = np.empty(3), np.empty(3)
    for r in range(len(force)):
        i, j = bodies[r, 0], bodies[r, 1]
        if moving[i] or moving[j]:
            slip(vertices[r], weights[r], lean[r], normal[r], start[r], body, points, q, u)
            slip(vertices[r], weights[r], lean[r], normal[r], start[r], body, points, ahead, to)
            b = j if moving[j] else i
            change[b] = max(change[b], force_change(u, to, eps))


@compiled
def positions(vertices, body, points, q):
    """Where the points of stencils (k, 4) are at q (n, 12), (k, 4, 3)."""
    x = np.empty((len(vertices), 4, 3))
    for r in range(len(vertices)):
        for a in range(4):
            for k in range(3):
                x[r, a, k] = on_axis(q, body[vertices[r, a]], k, points[vertices[r, a]])
    return x


@compiled
def forces(vertices, weights, lean, normal, force, start, eps, body, points, q):
    """Forces on the first side of the contact points, (k, 3), at q (n, 12); times dt²."""
    u, found = np.empty(3), np.empty((len(force), 3))
    for r in range(len(force)):
        length = slip(vertices[r], weights[r], lean[r], normal[r], start[r], body, points, q, u)
        s = smooth_norm_derivatives(length, eps)[0]
        for k in range(3):
            found[r, k] = -force[r] * s * u[k]
    return found
