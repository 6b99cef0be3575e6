"""Friction between bodies: E = Σ μ λ f₀(|u|, ε) with normal forces and tangents from the beginning of the step.

u is the relative tangential displacement, since the beginning of the step, of the two points that were closest then,
λ = -∂(κ B)/∂d is their normal force, and `smooth_norm` has f₀ (Li et al. 2020, section 5).

Edges that are almost parallel have no friction: their closest points are arbitrary. A vertex near them has it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ipc_articulation.affine import PAIR_DOF
from ipc_articulation.arrays import Array, Ints
from ipc_articulation.compiled import compiled
from ipc_articulation.contact.barrier import barrier, cross_of_edges
from ipc_articulation.contact.closest_points import closest_points, row
from ipc_articulation.contact.pair_blocks import HALF, LEVER, add_by_points, add_gradient, by_coordinates, lever, outer
from ipc_articulation.contact.smooth_norm import (
    dual_hessian,
    follow_dual,
    set_dual,
    smooth_norm,
    smooth_norm_derivatives,
)
from ipc_articulation.contact.stencils import Stencils, pairs_of


class Friction(NamedTuple):
    """The k contact points of P pairs of bodies at the beginning of a step."""

    bodies: Ints  # (P, 2)
    pair: Ints  # (k,)
    normal: Array  # (k, 3)
    force: Array  # (k,) μ λ
    lever: Array  # (k, 8) see `pair_blocks`
    eps: float  # ε: displacement at which friction is fully developed [m]
    q: Array  # (n, 12) coordinates at the beginning of the step
    dual: Array  # (k, 3) p, see `smooth_norm`; NaN before the first derivatives; changes from iteration to iteration


def lag(
    touching: Stencils, points: Array, x: Array, q: Array, mu_kappa: Array, d_hat: float, xi: float, eps: float
) -> Friction:
    """Friction for a step that begins at q (n, 12) with vertices at x (V, 3); mu_kappa (P,) is μκ."""
    normal, force, y = _lag(*touching.columns[1:], points, x, mu_kappa, d_hat, xi)
    holds = np.flatnonzero(force)
    rows, pair = pairs_of(touching.pair, holds, len(touching.bodies))
    dual = np.full((len(holds), 3), np.nan)
    return Friction(touching.bodies[rows], pair, normal[holds], force[holds], y[holds], eps, q, dual)


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
def slip(i, j, n, y, q_prev, q, u):
    """Fill u (3,), the tangential displacement of the points of bodies i and j; returns its length."""
    along = 0.0
    for k in range(3):
        u[k] = y[0] * (q[i, k] - q_prev[i, k]) + y[HALF] * (q[j, k] - q_prev[j, k])
        for a in range(1, HALF):
            c = 2 + 3 * k + a
            u[k] += y[a] * (q[i, c] - q_prev[i, c]) + y[HALF + a] * (q[j, c] - q_prev[j, c])
        along += u[k] * n[k]
    for k in range(3):
        u[k] -= along * n[k]
    return np.sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2])


@compiled
def add_energy(bodies, pair, normal, force, y, eps, q_prev, dual, moving, q, E):
    """Add the energy of each pair with a moving body to that body's E (n,).

    Args:
        bodies: This and the next seven are the fields of `Friction`.
        pair: (k,).
        normal: (k, 3).
        force: (k,).
        y: (k, 8).
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
            E[i if moving[i] else j] += force[r] * smooth_norm(slip(i, j, normal[r], y[r], q_prev, q, u), eps)


@compiled
def add_derivatives(bodies, pair, normal, force, y, eps, q_prev, dual, moving, q, g):
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
            s, c = smooth_norm_derivatives(slip(i, j, normal[r], y[r], q_prev, q, t), eps)
            if np.isnan(dual[r, 0]):
                set_dual(force[r], s, t, dual[r])
            outer(t, y[r], u)
            add_gradient(force[r] * s, u, i, j, g)
            dual_hessian(force[r], s, c, t, dual[r], N)
            for k in range(3):
                for m in range(3):
                    N[k, m] -= force[r] * s * normal[r, k] * normal[r, m]
            add_by_points(N, y[r], H[block[pair[r]]])
    return bodies[on], by_coordinates(H)


@compiled
def follow(bodies, pair, normal, force, y, eps, q_prev, dual, moving, q, ahead):
    """Let the duals follow a Newton step from q to ahead, (n, 12) each; arguments as in `add_energy`."""
    u, to = np.empty(3), np.empty(3)
    for r in range(len(pair)):
        i, j = bodies[pair[r], 0], bodies[pair[r], 1]
        if (moving[i] or moving[j]) and not np.isnan(dual[r, 0]):
            slip(i, j, normal[r], y[r], q_prev, ahead, to)
            s, c = smooth_norm_derivatives(slip(i, j, normal[r], y[r], q_prev, q, u), eps)
            for k in range(3):
                to[k] -= u[k]
            follow_dual(force[r], s, c, u, to, dual[r])
