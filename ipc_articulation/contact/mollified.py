"""Edges that are almost parallel: the energy κ m(z·z) B(d), z = e₁ × e₂, m the mollifier (see `barrier`).

Its second derivative by the coordinates, with d' = ∂d and B' = dB/dd, has these parts:

    κ (m B'' d' d'ᵀ + B' (d' m'ᵀ + m' d'ᵀ) + B Σ_kl ∂²m/∂z_k∂z_l z_k' z_l'ᵀ)    a Hessian by the numbers d and z
    κ B Σ_k ∂m/∂z_k ∂²z_k                                                        of z itself
    κ m B' ∂²d                                                                   of the distance, see `curvature`

Along z, together with d, the first is a 2x2 matrix, of which the projected Hessian has the positive part; across, it is
2 B dm/d(z·z). The second is left out there, because B m is small.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.compiled import compiled
from ipc_articulation.contact.barrier import cross, mollifier
from ipc_articulation.contact.stencils import NODES, ROOM, add_outer, add_point, add_rank_one


@compiled
def add_mollified(edges, of, numbers, project, H, g):
    """Add the derivatives of almost parallel edges but those of the distance itself.

    Args:
        edges: Their ends (4,), e₁, e₂ and z (3, 3), z·z and ε.
        of: The places (4,) of ends among the m nodes, these, the weights of points, the normal and the lever.
        numbers: κ, and B with its derivatives by d.
        project: Whether to project.
        H: Half of the Hessian, (3m, 3m).
        g: (N, 3).
    """
    (v, e, across, eps), (place, nodes, m, weight, n, lever), (kappa, B, slope, curvature) = edges, of, numbers
    (factor, rate), e1, e2, z = mollifier(across, eps), e[0], e[1], e[2]
    length, ends = np.sqrt(across), np.zeros((2, ROOM))
    for side in range(2):
        add_point(1.0, v[2 * side + 1], place[2 * side + 1], weight, ends[side])
        add_point(-1.0, v[2 * side], place[2 * side], weight, ends[side])
    axes, u_z, u_d = np.empty((3, 3)), np.empty(3 * NODES), np.zeros(3 * NODES)
    _basis(z, length, axes[0], axes[1], axes[2])
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
