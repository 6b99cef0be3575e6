"""Friction between bodies: E = Σ μ λ f₀(|u|, ε) with normal forces and tangents of the beginning of the step.

u is the tangential displacement since the beginning of the step of the two points that were closest then,
λ = -∂(κ B)/∂d their normal force, and f₀ as in `smooth_norm`
(Li et al. 2020, section 5).

Edges that are almost parallel have no friction: their closest points are arbitrary. A vertex near them has it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ipc_articulation.affine import PAIR_DOF
from ipc_articulation.arrays import Array, Bools, Ints
from ipc_articulation.compiled import compiled
from ipc_articulation.contact.barrier import barrier, cross_of_edges
from ipc_articulation.contact.closest_points import closest_points, row
from ipc_articulation.contact.pair_barrier import in_reach
from ipc_articulation.contact.pair_blocks import LEVER, add_by_points, add_gradient, by_coordinates, lever, outer
from ipc_articulation.contact.smooth_norm import smooth_norm, smooth_norm_derivatives
from ipc_articulation.contact.stencils import Stencils, pairs_of


class Friction(NamedTuple):
    """K points in touch, of P pairs of bodies, as they were at the beginning of a step."""

    bodies: Ints  # (P, 2)
    pair: Ints  # (k,)
    normal: Array  # (k, 3)
    force: Array  # (k,) μ λ
    lever: Array  # (k, 8) see `pair_blocks`
    eps: float  # ε: displacement at which friction is fully developed [m]
    q: Array  # (n, 12) coordinates at the beginning of the step


def lag(
    stencils: Stencils, points: Array, x: Array, q: Array, mu_kappa: float, d_hat: float, xi: float, eps: float
) -> Friction:
    """Friction of a step that begins at q (n, 12) with vertices at x (V, 3); μκ = mu_kappa."""
    s = stencils
    near = in_reach(s, np.ones(len(s.bodies), dtype=np.bool_), x, d_hat + xi)
    normal, force, y = np.empty((len(near), 3)), np.empty(len(near)), np.empty((len(near), LEVER))
    _lag(near, s.kind, s.vertices, s.mollified, points, x, mu_kappa, d_hat, xi, normal, force, y)
    holds = force > 0.0
    rows, pair = pairs_of(s.pair, near[holds], len(s.bodies))
    return Friction(s.bodies[rows], pair, normal[holds], force[holds], y[holds], eps, q)


def add_energy(friction: Friction, moving: Bools, q: Array, E: Array) -> None:
    """Add E of each pair with a moving body to E (n,), to that of this body."""
    f = friction
    _add_energy(f.bodies, f.pair, moving, f.normal, f.force, f.lever, f.eps, f.q, q, E)


def add_derivatives(friction: Friction, on: Bools, q: Array, g: Array) -> tuple[Ints, Array]:
    """Add the gradient to g (n, 12); returns pairs of bodies (p, 2) and their Hessian blocks (p, 24, 24)."""
    f, rows = friction, np.flatnonzero(on)
    block = np.cumsum(on) - 1
    H = np.zeros((len(rows), PAIR_DOF, PAIR_DOF))
    _add_derivatives(f.bodies, f.pair, on, block, f.normal, f.force, f.lever, f.eps, f.q, q, g, H)
    return f.bodies[rows], by_coordinates(H)


@compiled
def _lag(near, kind, vertices, mollified, points, x, mu_kappa, d_hat, xi, normal, force, y):
    w, e1, e2, z = np.empty(4), np.empty(3), np.empty(3), np.empty(3)
    for r in range(len(near)):
        s = near[r]
        v = row(vertices, s)
        d = np.sqrt(closest_points(kind[s], x, v, w, normal[r]))
        normal[r] /= d
        lever(kind[s], points, v, w, y[r])
        parallel = mollified[s] > 0.0 and cross_of_edges(x, v, e1, e2, z) < mollified[s]
        force[r] = 0.0 if parallel else -mu_kappa * barrier(d - xi, d_hat, xi)[1]


@compiled
def slip(i, j, n, y, q_prev, q, u):
    """Fill u (3,), the tangential displacement of the points of bodies i and j; returns its length."""
    along = 0.0
    for k in range(3):
        u[k] = y[0] * (q[i, k] - q_prev[i, k]) + y[4] * (q[j, k] - q_prev[j, k])
        for a in range(3):
            c = 3 + 3 * k + a
            u[k] += y[1 + a] * (q[i, c] - q_prev[i, c]) + y[5 + a] * (q[j, c] - q_prev[j, c])
        along += u[k] * n[k]
    for k in range(3):
        u[k] -= along * n[k]
    return np.sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2])


@compiled
def _add_energy(bodies, pair, moving, normal, force, y, eps, q_prev, q, E):
    u = np.empty(3)
    for r in range(len(pair)):
        i, j = bodies[pair[r], 0], bodies[pair[r], 1]
        if moving[i] or moving[j]:
            E[i if moving[i] else j] += force[r] * smooth_norm(slip(i, j, normal[r], y[r], q_prev, q, u), eps)


@compiled
def _add_derivatives(bodies, pair, on, block, normal, force, y, eps, q_prev, q, g, H):
    t, N, u = np.empty(3), np.empty((3, 3)), np.empty(PAIR_DOF)
    for r in range(len(pair)):
        if on[pair[r]]:
            i, j = bodies[pair[r], 0], bodies[pair[r], 1]
            length = slip(i, j, normal[r], y[r], q_prev, q, t)
            slope, curvature = smooth_norm_derivatives(length, eps)
            outer(t, y[r], u)
            add_gradient(force[r] * slope, u, i, j, g)
            for k in range(3):
                for m in range(3):
                    tangent = (1.0 if k == m else 0.0) - normal[r, k] * normal[r, m]
                    N[k, m] = force[r] * (slope * tangent + curvature * t[k] * t[m])
            add_by_points(N, y[r], H[block[pair[r]]])
