"""Edges that are almost parallel: the energy κ m(z·z) B(d), z = e₁ × e₂, m the mollifier (see `barrier`).

Its second derivative by the coordinates, with d' = ∂d and B' = dB/dd, has these parts:

    κ (m B'' d' d'ᵀ + B' (d' m'ᵀ + m' d'ᵀ) + B Σ_kl ∂²m/∂z_k∂z_l z_k' z_l'ᵀ)    a Hessian by the numbers d and z
    κ B Σ_k ∂m/∂z_k ∂²z_k                                                        of z itself
    κ m B' ∂²d                                                                   of the distance, see `curvature`

Along z, together with d, the first is a 2x2 matrix; across, it is 2 B dm/d(z·z).
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.affine import PAIR_DOF
from ipc_articulation.compiled import compiled
from ipc_articulation.contact.barrier import cross, mollifier
from ipc_articulation.contact.pair_blocks import HALF, LEVER, add_gradient, add_rank_one


@compiled
def add_mollified(kappa, B, slope, curvature, u, square, eps, e1, e2, z, points, v, i, j, project, g, H):
    """Add the gradient to g (n, 12), and the Hessian by d and z to H (24, 24): projected, or exact with that of z.

    Args:
        kappa: κ.
        B: Of the barrier.
        slope: B'.
        curvature: B''.
        u: ∂d, (24,).
        square: z·z.
        eps: ε.
        e1: e₁ (3,).
        e2: e₂ (3,).
        z: (3,).
        points: Local positions of vertices, (V, 3) [m].
        v: The ends of both edges, (4,).
        i: The first body.
        j: The second body.
        project: Whether the Hessian is projected.
        g: (n, 12).
        H: (24, 24).
    """
    m, rate = mollifier(square, eps)
    length = np.sqrt(square)
    across1, across2, along = np.empty(3), np.empty(3), np.empty(3)
    basis(z, length, along, across1, across2)
    u_z = np.empty(PAIR_DOF)
    _outer_of_edges(along, e1, e2, points, v, u_z)
    m_z = 2.0 * rate * length
    add_gradient(kappa * m * slope, u, i, j, g)
    add_gradient(kappa * B * m_z, u_z, i, j, g)
    zz, zd, dd = B * (4.0 / eps) * (1.0 - 3.0 * square / eps), slope * m_z, m * curvature
    if project:
        _add_projected(kappa, zz, zd, dd, u_z, u, H)
    else:
        add_rank_one(kappa * zz, u_z, H)
        add_rank_one(kappa * dd, u, H)
        _add_symmetric(kappa * zd, u_z, u, H)
        _add_turn_of_edges(2.0 * rate * kappa * B, z, points, v, H)
    for across in (across1, across2):
        _outer_of_edges(across, e1, e2, points, v, u_z)
        add_rank_one(kappa * B * 2.0 * rate, u_z, H)


@compiled
def _add_projected(kappa, zz, zd, dd, u_z, u_d, H):
    """Add the positive part of the 2x2 Hessian (zz, zd; zd, dd) by |z| and d: λ₁ and λ₂ are its eigenvalues."""
    mixed = np.empty(PAIR_DOF)
    mean, half = 0.5 * (zz + dd), 0.5 * (zz - dd)
    radius = np.sqrt(half * half + zd * zd)
    angle = 0.5 * np.arctan2(zd, half)
    cos, sin = np.cos(angle), np.sin(angle)
    for a in range(PAIR_DOF):
        mixed[a] = cos * u_z[a] + sin * u_d[a]
    add_rank_one(kappa * max(mean + radius, 0.0), mixed, H)
    for a in range(PAIR_DOF):
        mixed[a] = cos * u_d[a] - sin * u_z[a]
    add_rank_one(kappa * max(mean - radius, 0.0), mixed, H)


@compiled
def _add_symmetric(s, u, w, H):
    """H (24, 24) += s (u wᵀ + w uᵀ)."""
    for a in range(PAIR_DOF):
        for b in range(PAIR_DOF):
            H[a, b] += s * (u[a] * w[b] + w[a] * u[b])


@compiled
def _add_turn_of_edges(s, z, points, v, H):
    """Add s ∂²(z·(e₁ × e₂)) for constant z to H (24, 24): δ² = 2 z·(δe₁ × δe₂)."""
    for k in range(3):
        for turn in range(1, 3):  # z·(δe₁ × δe₂) = Σ ± δe₁ₖ δe₂ₗ zₙ
            across, axis = (k + turn) % 3, (k + 2 * turn) % 3
            t = s * z[axis] if turn == 1 else -s * z[axis]
            for m in range(3):
                a = LEVER * k + 1 + m
                for p in range(3):
                    b = LEVER * across + HALF + 1 + p
                    by_ends = t * (points[v[1], m] - points[v[0], m]) * (points[v[3], p] - points[v[2], p])
                    H[a, b] += by_ends
                    H[b, a] += by_ends


@compiled
def basis(z, length, along, across1, across2):
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
