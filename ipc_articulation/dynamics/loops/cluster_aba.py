"""Forward dynamics of a robot with loops, in time linear in the number of clusters.

A body i of a cluster moves by T_i = Σ S_k G_k over the joints k between it and the node P that the cluster hangs on,
and its acceleration at ÿ = 0 exceeds that of P by b_i = Σ (c_k + S_k g_k). As in `aba.py`, leaves to root,

    U = Σ Iᴬ_i T_i,   D = Σ T_iᵀ Iᴬ_i T_i + Gᵀ rotor G,   u = τ - Σ T_iᵀ (pᴬ_i + Iᴬ_i b_i) - Gᵀ rotor g,
    Iᴬ_P += Σ Iᴬ_i - U D⁻¹ Uᵀ,     pᴬ_P += Σ (pᴬ_i + Iᴬ_i b_i) + U D⁻¹ u,

and root to leaves ÿ = D⁻¹ (u - Uᵀ a_P), a_i = a_P + b_i + T_i ÿ (Chignoli et al. 2023, «Recursive rigid-body dynamics
algorithms for systems with kinematic loops»; simpler here, because all is in one frame). A joint that is in no loop is
a cluster of one body with G = 1: trees and loops take the same path.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.dynamics.algorithms.aba import matrix_times, start
from ipc_articulation.dynamics.algorithms.compiled import compiled
from ipc_articulation.dynamics.algorithms.sweep import NODE_STATE, move, place, upward, weigh
from ipc_articulation.dynamics.algorithms.vectors import add, plus, plus_times, put, row, six

BODY = np.dtype([("I", "f8", (6, 6)), ("b", "f8", (6,))], align=True)


@compiled
def cluster_aba(tree, nodes, first, parent, ys, first_y, largest, G, g, q, v, tau, wrenches, y_ddot):
    """ÿ of a position q, velocities v = G ẏ and forces τ on the independent coordinates.

    Args:
        tree: Records.
        nodes: See `Clusters`; likewise first, parent, ys, first_y, largest.
        first: See `Clusters`.
        parent: See `Clusters`.
        ys: See `Clusters`.
        first_y: See `Clusters`.
        largest: See `Clusters`.
        G: (spanning nv, nv).
        g: (spanning nv,).
        q: (nq,).
        v: (spanning nv,).
        tau: (nv,).
        wrenches: (bodies, 6), or (0, 6).
        y_ddot: (nv,), the result.
    """
    n, count = len(tree), len(parent)
    kin, S = np.empty(n, NODE_STATE), np.empty((len(v), 6))
    bodies, T = np.empty(n, BODY), np.zeros((n, largest, 6))
    U, D, u = np.zeros((count, largest, 6)), np.zeros((count, largest, largest)), np.zeros((count, largest))
    place(tree, q, kin, S)
    move(tree, S, v, kin)
    weigh(tree, kin)
    for i in range(n):
        start(tree[i], kin[i], wrenches, bodies[i].I)
    for c in range(count):
        _spread(tree, nodes, first, parent, ys, first_y, c, G, g, S, kin, bodies, T)
    for c in range(count - 1, -1, -1):
        _eliminate(tree, nodes, first, parent, ys, first_y, c, G, g, tau, kin, bodies, T, U, D, u)
    for c in range(count):
        _advance(tree, nodes, first, parent, ys, first_y, c, kin, bodies, T, U, D, u, y_ddot)


@compiled
def _spread(tree, nodes, first, parent, ys, first_y, c, G, g, S, kin, bodies, T):
    """T and b of the bodies of a cluster, parents first."""
    for at in range(first[c], first[c + 1]):
        i = nodes[at]
        b, bias, up = tree[i], bodies[i].b, tree[i].parent
        put(bias, six(kin[i].c))
        for j in range(b.v, b.v + b.nv):
            put(bias, plus_times(six(bias), g[j], row(S, j)))
        if up != parent[c]:
            add(bias, bodies[up].b)
        for m in range(first_y[c + 1] - first_y[c]):
            y = ys[first_y[c] + m]
            total = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
            if up != parent[c]:
                total = _row3(T, up, m)
            for j in range(b.v, b.v + b.nv):
                if G[j, y] != 0.0:
                    total = plus_times(total, G[j, y], row(S, j))
            _put_row3(T, i, m, total)


@compiled
def _eliminate(tree, nodes, first, parent, ys, first_y, c, G, g, tau, kin, bodies, T, U, D, u):
    """Take a cluster's freedom out of its articulated inertia, and hand it to what the cluster hangs on."""
    size = first_y[c + 1] - first_y[c]
    for m in range(size):
        u[c, m] = tau[ys[first_y[c] + m]]
    for at in range(first[c], first[c + 1]):
        i = nodes[at]
        k, b = kin[i], tree[i]
        put(k.f, plus(six(k.f), matrix_times(bodies[i].I, six(bodies[i].b))))
        for m in range(size):
            t = _row3(T, i, m)
            x = matrix_times(bodies[i].I, t)
            u[c, m] -= _dot(t, k.f)
            _put_row3(U, c, m, plus(_row3(U, c, m), x))
            for p in range(m + 1):
                D[c, m, p] += _dot(_row3(T, i, p), x)
            for j in range(b.nv):
                turn = b.rotor[j] * G[b.v + j, ys[first_y[c] + m]]
                u[c, m] -= turn * g[b.v + j]
                for p in range(m + 1):
                    D[c, m, p] += turn * G[b.v + j, ys[first_y[c] + p]]
    _cholesky(D[c], size)
    _solve(D[c], u[c], size)
    if parent[c] >= 0:
        up = parent[c]
        for at in range(first[c], first[c + 1]):
            add(kin[up].f, kin[nodes[at]].f)
            for r in range(6):
                for s in range(6):
                    bodies[up].I[r, s] += bodies[nodes[at]].I[r, s]
        _reduce(bodies[up].I, kin[up].f, U[c], D[c], u[c], size)


@compiled
def _reduce(I, f, U, D, u, size):  # noqa: E741
    """I ← I - U D⁻¹ Uᵀ, f ← f + U u, with D factorised and u = D⁻¹ u already."""
    column = np.empty(size)
    for r in range(6):
        for m in range(size):
            column[m] = U[m, r]
            f[r] += U[m, r] * u[m]
        _solve(D, column, size)
        for s in range(6):
            for m in range(size):
                I[r, s] -= U[m, s] * column[m]


@compiled
def _advance(tree, nodes, first, parent, ys, first_y, c, kin, bodies, T, U, D, u, y_ddot):
    """ÿ of a cluster, and the accelerations of its bodies."""
    size = first_y[c + 1] - first_y[c]
    base = upward(tree) if parent[c] < 0 else six(kin[parent[c]].a)
    x = np.empty(size)
    for m in range(size):
        x[m] = _dot(_row3(U, c, m), base)
    _solve(D[c], x, size)
    for m in range(size):
        x[m] = u[c, m] - x[m]
        y_ddot[ys[first_y[c] + m]] = x[m]
    for at in range(first[c], first[c + 1]):
        i = nodes[at]
        a = plus(base, six(bodies[i].b))
        for m in range(size):
            a = plus_times(a, x[m], _row3(T, i, m))
        put(kin[i].a, a)


@compiled
def _cholesky(D, n):
    """D ← L with D = L Lᵀ, in the lower triangle."""
    for j in range(n):
        for k in range(j):
            for i in range(j, n):
                D[i, j] -= D[i, k] * D[j, k]
        D[j, j] = np.sqrt(D[j, j])
        for i in range(j + 1, n):
            D[i, j] /= D[j, j]


@compiled
def _solve(L, x, n):
    """X ← (L Lᵀ)⁻¹ x."""
    for i in range(n):
        for k in range(i):
            x[i] -= L[i, k] * x[k]
        x[i] /= L[i, i]
    for i in range(n - 1, -1, -1):
        for k in range(i + 1, n):
            x[i] -= L[k, i] * x[k]
        x[i] /= L[i, i]


@compiled
def _dot(x, y):
    return x[0] * y[0] + x[1] * y[1] + x[2] * y[2] + x[3] * y[3] + x[4] * y[4] + x[5] * y[5]


@compiled
def _row3(A, i, m):
    return A[i, m, 0], A[i, m, 1], A[i, m, 2], A[i, m, 3], A[i, m, 4], A[i, m, 5]


@compiled
def _put_row3(A, i, m, x):
    A[i, m, 0], A[i, m, 1], A[i, m, 2] = x[0], x[1], x[2]
    A[i, m, 3], A[i, m, 4], A[i, m, 5] = x[3], x[4], x[5]
