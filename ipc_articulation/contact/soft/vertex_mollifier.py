"""Edges that are almost parallel, by their four ends; `contact.mollified` has the formulas, by affine coordinates."""

from __future__ import annotations

import numpy as np

from ipc_articulation.compiled import compiled
from ipc_articulation.contact.barrier import cross, mollifier
from ipc_articulation.contact.mollified import basis
from ipc_articulation.contact.soft.vertex_rows import SIZE, add_rank_one, add_symmetric, add_vector


@compiled
def add_mollified(kappa, B, slope, curvature, u, square, eps, e1, e2, z, project, g, H):
    """Add the gradient to g (12,), and the Hessian by d and z to H (12, 12): projected, or exact with that of z.

    Args:
        kappa: κ.
        B: Of the barrier.
        slope: B'.
        curvature: B''.
        u: ∂d, (12,).
        square: z·z.
        eps: ε.
        e1: e₁ (3,).
        e2: e₂ (3,).
        z: (3,).
        project: Whether the Hessian is projected.
        g: Gradient.
        H: Hessian.
    """
    m, rate = mollifier(square, eps)
    length = np.sqrt(square)
    across1, across2, along = np.empty(3), np.empty(3), np.empty(3)
    basis(z, length, along, across1, across2)
    u_z = np.empty(SIZE)
    _outer_of_edges(along, e1, e2, u_z)
    m_z = 2.0 * rate * length
    add_vector(kappa * m * slope, u, g)
    add_vector(kappa * B * m_z, u_z, g)
    zz, zd, dd = B * (4.0 / eps) * (1.0 - 3.0 * square / eps), slope * m_z, m * curvature
    if project:
        _add_projected(kappa, zz, zd, dd, u_z, u, H)
    else:
        add_rank_one(kappa * zz, u_z, H)
        add_rank_one(kappa * dd, u, H)
        add_symmetric(kappa * zd, u_z, u, H)
        _add_turn_of_edges(2.0 * rate * kappa * B, z, H)
    for across in (across1, across2):
        _outer_of_edges(across, e1, e2, u_z)
        add_rank_one(kappa * B * 2.0 * rate, u_z, H)


@compiled
def _add_projected(kappa, zz, zd, dd, u_z, u_d, H):
    """Add the positive part of the 2x2 Hessian (zz, zd; zd, dd) by |z| and d: λ₁ and λ₂ are its eigenvalues."""
    mixed = np.empty(SIZE)
    mean, half = 0.5 * (zz + dd), 0.5 * (zz - dd)
    radius = np.sqrt(half * half + zd * zd)
    angle = 0.5 * np.arctan2(zd, half)
    cos, sin = np.cos(angle), np.sin(angle)
    for i in range(SIZE):
        mixed[i] = cos * u_z[i] + sin * u_d[i]
    add_rank_one(kappa * max(mean + radius, 0.0), mixed, H)
    for i in range(SIZE):
        mixed[i] = cos * u_d[i] - sin * u_z[i]
    add_rank_one(kappa * max(mean - radius, 0.0), mixed, H)


@compiled
def _add_turn_of_edges(s, z, H):
    """Add s ∂²(z·(e₁ × e₂)) for constant z to H (12, 12): δ² = 2 z·(δe₁ × δe₂)."""
    for k in range(3):
        for turn in range(1, 3):  # z·(δe₁ × δe₂) = Σ ± δe₁ₖ δe₂ₗ zₙ
            across, axis = (k + turn) % 3, (k + 2 * turn) % 3
            t = s * z[axis] if turn == 1 else -s * z[axis]
            for a in range(2):
                for b in range(2, 4):
                    by_ends = t if a + 2 == b else -t  # e₁ = x₁ - x₀, e₂ = x₃ - x₂
                    H[3 * a + k, 3 * b + across] += by_ends
                    H[3 * b + across, 3 * a + k] += by_ends


@compiled
def _outer_of_edges(a, e1, e2, u):
    """Fill u (12,): ∂(a·(e₁ × e₂)) by the ends, ±(e₂ × a) of the first edge and ±(a × e₁) of the second."""
    n = np.empty(3)
    for side in range(2):
        if side == 0:
            cross(e2, a, n)
        else:
            cross(a, e1, n)
        for k in range(3):
            u[6 * side + 3 + k] = n[k]
            u[6 * side + k] = -n[k]
