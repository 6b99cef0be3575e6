"""Friction between bodies: E = Σ μ λ f₀(|s + u|, ε) with normal forces and tangents from the beginning of the step.

u is the relative tangential displacement, since the beginning of the step, of the two points that were closest then (or
where friction was renewed last, see `engine.newton.lagging`), λ = -∂(κ B)/∂d is their normal force, and `smooth_norm`
has f₀ (Li et al. 2020, section 5). s is what `anchors` remember of earlier steps; 0 without them. The slip is s + u.

Edges that are almost parallel have no friction: their closest points are arbitrary. A vertex near them has it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ipc_articulation.affine import PAIR_DOF
from ipc_articulation.arrays import Array, Ints
from ipc_articulation.compiled import compiled
from ipc_articulation.contact.anchors import Patches, read
from ipc_articulation.contact.barrier import barrier, cross_of_edges
from ipc_articulation.contact.closest_points import closest_points, row
from ipc_articulation.contact.held import Held
from ipc_articulation.contact.pair_blocks import HALF, LEVER, add_by_points, add_gradient, by_coordinates, lever, outer
from ipc_articulation.contact.smooth_norm import (
    dual_hessian,
    follow_dual,
    force_change,
    smooth_norm,
    smooth_norm_derivatives,
    start_anchored_duals,
    start_dual,
)
from ipc_articulation.contact.stencils import Stencils, pairs_of


class Friction(NamedTuple):
    """The k contact points of P pairs of bodies at the beginning of a step."""

    bodies: Ints  # (P, 2)
    pair: Ints  # (k,)
    normal: Array  # (k, 3)
    force: Array  # (k,) μ λ
    lever: Array  # (k, 8) see `pair_blocks`
    anchor: Array  # (k, 3) s [m]
    eps: float  # ε: slip at which friction is fully developed [m]
    q: Array  # (n, 12) coordinates at the beginning of the step
    dual: Array  # (k, 3) p, see `smooth_norm`; NaN before the first derivatives; changes from iteration to iteration


def lag(
    touching: Stencils, points: Array, x: Array, since: Array, mu_kappa: Array, d_hat: float, xi: float, eps: float
) -> Friction:
    """Friction without memory of vertices at x (V, 3) in a step that began at `since` (n, 12).

    μκ is that of the P pairs or of the k stencils.
    """
    _, pair, *columns = touching.columns
    of = pair if len(mu_kappa) == len(touching.bodies) else np.arange(len(pair))
    normal, force, y = _lag(of, *columns, points, x, mu_kappa, d_hat, xi)
    holds = np.flatnonzero(force)
    rows, pair = pairs_of(touching.pair, holds, len(touching.bodies))
    dual, none = np.full((len(holds), 3), np.nan), np.zeros((len(holds), 3))
    return Friction(touching.bodies[rows], pair, normal[holds], force[holds], y[holds], none, eps, since, dual)


def anchored_to(friction: Friction, held: Held, count: int, q: Array) -> tuple[Friction, Array]:
    """Friction at q (n, 12) with what the pairs of N bodies and half-planes remember: how far apart they have slipped.

    It acts half-way between the two points that are closest, so that its two forces are on one line: a gap apart, they
    would be a couple for as long as friction holds.

    Returns:
        That friction, and how far apart the points were, (k,) [m].
    """
    where = friction.bodies, friction.pair, friction.normal, friction.force, friction.lever, friction.eps, friction.q
    lever, anchor, apart = _anchored(*where, friction.dual, *held, count, q)
    return friction._replace(lever=lever, anchor=anchor), apart


def patches(friction: Friction, q: Array) -> Patches:
    """The contact points, and their slips at the end q (n, 12) of the step."""
    points, slips, lengths = _patches(*friction, q)
    return Patches(friction.bodies, friction.pair, friction.force, points, friction.normal, slips, lengths)


@compiled
def _anchored(bodies, pair, normal, force, y, eps, since, dual, held_pairs, fields, count, q):
    """Levers (k, 8) half-way, anchors (k, 3), and how far apart the points were (k,); fills the duals (k, 3)."""
    lever, apart = _half_way(bodies, pair, y, q)
    anchor = read(held_pairs, fields, count, bodies, pair, _points(bodies, pair, lever, since), normal)
    slips = np.empty(anchor.shape)
    for r in range(len(pair)):
        for k in range(3):
            anchor[r, k] *= lever[r, 0]
        slip(bodies[pair[r], 0], bodies[pair[r], 1], normal[r], lever[r], anchor[r], since, q, slips[r])
    start_anchored_duals(np.arange(len(pair)), force, slips, np.full(len(pair), eps), dual)
    return lever, anchor, apart


@compiled
def _patches(bodies, pair, normal, force, y, anchor, eps, q_prev, dual, q):
    """Points and slips (k, 3) each, and ε of each pair, (P,)."""
    slips = np.empty((len(pair), 3))
    for r in range(len(pair)):
        slip(bodies[pair[r], 0], bodies[pair[r], 1], normal[r], y[r], anchor[r], q_prev, q, slips[r])
        for k in range(3):
            slips[r, k] *= y[r, 0]
    return _points(bodies, pair, y, q_prev), slips, np.full(len(bodies), eps)


@compiled
def _half_way(bodies, pair, y, q):
    """Levers (k, 8) of the point half-way between those of levers y (k, 8) at q, and the distances of these (k,).

    With c = Σ y_a Q_a, the point moves by ∓c/2 from either body's, so ±x̄ becomes ±x̄ - A⁻¹ c/2.
    """
    lever, apart, c = y.copy(), np.empty(len(pair)), np.empty(3)
    for r in range(len(pair)):
        for k in range(3):
            c[k] = 0.0
            for side in range(2):
                body, at = bodies[pair[r], side], HALF * side
                c[k] += y[r, at] * q[body, k]
                for a in range(1, HALF):
                    c[k] += y[r, at + a] * q[body, 2 + 3 * k + a]
        apart[r] = np.sqrt(c[0] * c[0] + c[1] * c[1] + c[2] * c[2])
        for side in range(2):
            half = np.linalg.solve(q[bodies[pair[r], side], 3:].copy().reshape(3, 3), 0.5 * c)
            for a in range(3):
                lever[r, HALF * side + 1 + a] -= half[a]
    return lever, apart


@compiled
def _points(bodies, pair, y, q):
    """The points on the first bodies at q, (k, 3) [m]; y (k, 8) has ±(1, x̄)."""
    points = np.empty((len(pair), 3))
    for r in range(len(pair)):
        i = bodies[pair[r], 0]
        for k in range(3):
            points[r, k] = q[i, k]
            for a in range(1, HALF):
                points[r, k] += q[i, 2 + 3 * k + a] * y[r, a] / y[r, 0]
    return points


@compiled
def _lag(pair, kind, vertices, mollified, points, x, mu_kappa, d_hat, xi):
    """Normals (k, 3), forces μλ (k,) and levers (k, 8) of stencils."""
    count = len(kind)
    normal, force, y = np.empty((count, 3)), np.zeros(count), np.empty((count, LEVER))
    w, e1, e2, z = np.empty(4), np.empty(3), np.empty(3), np.empty(3)
    for s in range(count):
        v = row(vertices, s)
        d = np.sqrt(closest_points(kind[s], x, v, w, normal[s]))
        normal[s] /= d
        lever(kind[s], points, v, w, y[s])
        parallel = mollified[s] > 0.0 and cross_of_edges(x, v, e1, e2, z) < mollified[s]
        if not parallel:
            force[s] = -mu_kappa[pair[s]] * barrier(d - xi, d_hat, xi)[1]
    return normal, force, y


@compiled
def slip(i, j, n, y, anchor, q_prev, q, u):
    """Fill u (3,), the slip of the points of bodies i and j, anchor (3,) included; returns its length."""
    along = 0.0
    for k in range(3):
        u[k] = y[0] * (q[i, k] - q_prev[i, k]) + y[HALF] * (q[j, k] - q_prev[j, k])
        for a in range(1, HALF):
            c = 2 + 3 * k + a
            u[k] += y[a] * (q[i, c] - q_prev[i, c]) + y[HALF + a] * (q[j, c] - q_prev[j, c])
        along += u[k] * n[k]
    for k in range(3):
        u[k] += anchor[k] - along * n[k]
    return np.sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2])


@compiled
def add_energy(bodies, pair, normal, force, y, anchor, eps, q_prev, dual, moving, q, E):
    """Add the energy of each pair with a moving body to that body's E (n,).

    Args:
        bodies: This and the next eight are the fields of `Friction`.
        pair: (k,).
        normal: (k, 3).
        force: (k,).
        y: (k, 8).
        anchor: (k, 3).
        eps: ε [m].
        q_prev: (n, 12).
        dual: (k, 3).
        moving: Bodies that move, (n,).
        q: Coordinates (n, 12).
        E: (n,).
    """
    u = np.empty(3)
    for r in range(len(pair)):
        i, j = bodies[pair[r], 0], bodies[pair[r], 1]
        if moving[i] or moving[j]:
            length = slip(i, j, normal[r], y[r], anchor[r], q_prev, q, u)
            E[i if moving[i] else j] += force[r] * smooth_norm(length, eps)


@compiled
def add_derivatives(bodies, pair, normal, force, y, anchor, eps, q_prev, dual, moving, q, g):
    """Add the gradient to g (n, 12); arguments as in `add_energy`.

    Returns:
        Pairs of bodies, one of them moving, (p, 2), and their Hessian blocks (p, 24, 24).
    """
    on = moving[bodies[:, 0]] | moving[bodies[:, 1]]
    block, H = np.cumsum(on) - 1, np.zeros((np.count_nonzero(on), PAIR_DOF, PAIR_DOF))
    t, N, u = np.empty(3), np.empty((3, 3)), np.empty(PAIR_DOF)
    for r in range(len(pair)):
        if on[pair[r]]:
            i, j = bodies[pair[r], 0], bodies[pair[r], 1]
            s, c = smooth_norm_derivatives(slip(i, j, normal[r], y[r], anchor[r], q_prev, q, t), eps)
            if np.isnan(dual[r, 0]):
                start_dual(force[r], s, t, dual[r])
            outer(t, y[r], u)
            add_gradient(force[r] * s, u, i, j, g)
            dual_hessian(force[r], s, c, t, dual[r], N)
            for k in range(3):
                for m in range(3):
                    N[k, m] -= force[r] * s * normal[r, k] * normal[r, m]
            add_by_points(N, y[r], H[block[pair[r]]])
    return bodies[on], by_coordinates(H)


@compiled
def follow(bodies, pair, normal, force, y, anchor, eps, q_prev, dual, moving, q, ahead, turned):
    """Let the duals follow a Newton step from q to ahead, (n, 12) each, on which bodies (n,) have turned on circles.

    The other arguments are as in `add_energy`.
    """
    u, to = np.empty(3), np.empty(3)
    for r in range(len(pair)):
        i, j = bodies[pair[r], 0], bodies[pair[r], 1]
        if (moving[i] or moving[j]) and not np.isnan(dual[r, 0]):
            slip(i, j, normal[r], y[r], anchor[r], q_prev, ahead, to)
            s, c = smooth_norm_derivatives(slip(i, j, normal[r], y[r], anchor[r], q_prev, q, u), eps)
            for k in range(3):
                to[k] -= u[k]
            follow_dual(force[r], turned[i] or turned[j], s, c, u, to, dual[r])


@compiled
def add_changes(bodies, pair, normal, force, y, anchor, eps, q_prev, dual, moving, q, ahead, change):
    """Raise `change` (n,) to how much of μ λ a force changes from q to ahead, (n, 12) each; see `add_energy`."""
    u, to = np.empty(3), np.empty(3)
    for r in range(len(pair)):
        i, j = bodies[pair[r], 0], bodies[pair[r], 1]
        if moving[i] or moving[j]:
            slip(i, j, normal[r], y[r], anchor[r], q_prev, q, u)
            slip(i, j, normal[r], y[r], anchor[r], q_prev, ahead, to)
            b = i if moving[i] else j
            change[b] = max(change[b], force_change(u, to, eps))
