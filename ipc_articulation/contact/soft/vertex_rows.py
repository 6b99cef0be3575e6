"""Vectors and matrices by the four vertices of a stencil, three numbers each, for numba."""

from __future__ import annotations

from ipc_articulation.compiled import compiled

SIZE = 12  # four vertices, three axes


@compiled
def outer(w, n, u):
    """Fill u (12,): w_a n for the weights w (4,) and a vector n (3,)."""
    for a in range(4):
        for k in range(3):
            u[3 * a + k] = w[a] * n[k]


@compiled
def add_vector(s, u, g):
    """g (12,) += s u."""
    for i in range(SIZE):
        g[i] += s * u[i]


@compiled
def add_rank_one(s, u, H):
    """H (12, 12) += s u uᵀ."""
    for i in range(SIZE):
        t = s * u[i]
        for j in range(SIZE):
            H[i, j] += t * u[j]


@compiled
def add_symmetric(s, u, w, H):
    """H (12, 12) += s (u wᵀ + w uᵀ)."""
    for i in range(SIZE):
        for j in range(SIZE):
            H[i, j] += s * (u[i] * w[j] + w[i] * u[j])


@compiled
def add_by_weights(N, w, H):
    """H (12, 12) += w_a w_b N, for N (3, 3) by points of space and the weights w (4,)."""
    for a in range(4):
        for b in range(4):
            t = w[a] * w[b]
            for k in range(3):
                for m in range(3):
                    H[3 * a + k, 3 * b + m] += t * N[k, m]


@compiled(nogil=True)
def add_gradients(vertices, g_v, body, points, g):
    """Add derivatives (k, 3 v) by the vertices (k, v) of stencils to those by coordinates, g (n, 12): x = A x̄ + p."""
    for s in range(len(vertices)):
        for a in range(vertices.shape[1]):
            v = vertices[s, a]
            for k in range(3):
                g[body[v], k] += g_v[s, 3 * a + k]
                for m in range(3):
                    g[body[v], 3 + 3 * k + m] += g_v[s, 3 * a + k] * points[v, m]
