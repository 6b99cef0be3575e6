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

from ipc_articulation.dynamics.algorithms.aba import matrix_times, start, subtract
from ipc_articulation.dynamics.algorithms.compiled import compiled, inlined
from ipc_articulation.dynamics.algorithms.sweep import NODE_STATE, move, place, upward, weigh
from ipc_articulation.dynamics.algorithms.vectors import add, dot, plus, plus_times, put, row, six

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
    bodies, T = np.empty(n, BODY), np.empty((n, largest, 6))
    U, W = np.zeros((count, largest, 6)), np.empty((count, largest, 6))
    D, u = np.zeros((count, largest, largest)), np.empty((count, largest))
    place(tree, q, kin, S)
    move(tree, S, v, kin)
    weigh(tree, kin)
    for i in range(n):
        start(tree[i], kin[i], wrenches, bodies[i].I)
    for c in range(count):
        for at in range(first[c], first[c + 1]):
            _spread(tree, nodes[at], parent[c], ys, first_y[c], first_y[c + 1], G, g, S, kin, bodies, T)
    for c in range(count - 1, -1, -1):
        size = first_y[c + 1] - first_y[c]
        for m in range(size):
            u[c, m] = tau[ys[first_y[c] + m]]
        for at in range(first[c], first[c + 1]):
            _count_in(tree[nodes[at]], nodes[at], c, ys, first_y[c], size, G, g, kin, bodies, T, U, D, u)
        _solve(D, c, U, W, u, size)
        if parent[c] >= 0:
            for at in range(first[c], first[c + 1]):
                _hand_over(bodies[nodes[at]], kin[nodes[at]], bodies[parent[c]], kin[parent[c]])
            for m in range(size):
                _reduce(bodies[parent[c]].I, kin[parent[c]].f, _row3(U, c, m), _row3(W, c, m), u[c, m])
    for c in range(count):
        base = upward(tree) if parent[c] < 0 else six(kin[parent[c]].a)
        size = first_y[c + 1] - first_y[c]
        for m in range(size):
            u[c, m] -= dot(_row3(W, c, m), base)
            y_ddot[ys[first_y[c] + m]] = u[c, m]
        for at in range(first[c], first[c + 1]):
            i = nodes[at]
            a = plus(base, six(bodies[i].b))
            for m in range(size):
                a = plus_times(a, u[c, m], _row3(T, i, m))
            put(kin[i].a, a)


@inlined
def _spread(tree, i, parent, ys, begin, end, G, g, S, kin, bodies, T):
    """T and b of a body of the cluster that hangs on `parent` and has the independent velocities ys[begin:end]."""
    b, up = tree[i], tree[i].parent
    inside = up != parent
    bias = six(kin[i].c)
    for j in range(b.v, b.v + b.nv):
        bias = plus_times(bias, g[j], row(S, j))
    put(bodies[i].b, plus(bias, six(bodies[up].b)) if inside else bias)
    for m in range(end - begin):
        y = ys[begin + m]
        total = _row3(T, up, m) if inside else (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        for j in range(b.v, b.v + b.nv):
            total = plus_times(total, G[j, y], row(S, j))
        _put_row3(T, i, m, total)


@inlined
def _count_in(b, i, c, ys, begin, size, G, g, kin, bodies, T, U, D, u):
    """What body i adds to U, D and u of its cluster; pᴬ_i becomes pᴬ_i + Iᴬ_i b_i."""
    k, I = kin[i], bodies[i].I  # noqa: E741
    put(k.f, plus(six(k.f), matrix_times(I, six(bodies[i].b))))
    for m in range(size):
        t = _row3(T, i, m)
        x = matrix_times(I, t)
        u[c, m] -= dot(t, six(k.f))
        _put_row3(U, c, m, plus(_row3(U, c, m), x))
        for p in range(m + 1):
            D[c, m, p] += dot(_row3(T, i, p), x)
        for j in range(b.nv):
            turn = b.rotor[j] * G[b.v + j, ys[begin + m]]
            if turn != 0.0:
                u[c, m] -= turn * g[b.v + j]
                for p in range(m + 1):
                    D[c, m, p] += turn * G[b.v + j, ys[begin + p]]


@inlined
def _hand_over(body, k, parent_body, parent):
    """Add Iᴬ and pᴬ of a body to what its cluster hangs on."""
    I, A = body.I, parent_body.I  # noqa: E741
    for r in range(6):
        for s in range(6):
            A[r, s] += I[r, s]
    add(parent.f, k.f)


@compiled
def _reduce(I, f, x, w, u):  # noqa: E741
    """I ← I - x wᵀ, f ← f + u x, for one row x of U and w of W = D⁻¹ U; u is one of D⁻¹ u."""
    subtract(I, 0, x[0], w)
    subtract(I, 1, x[1], w)
    subtract(I, 2, x[2], w)
    subtract(I, 3, x[3], w)
    subtract(I, 4, x[4], w)
    subtract(I, 5, x[5], w)
    put(f, plus_times(six(f), u, x))


@inlined
def _solve(D, c, U, W, u, n):
    """W[c] ← D⁻¹ U[c] and u[c] ← D⁻¹ u[c], by D[c] = L diag(1/d) Lᵀ in its lower triangle."""
    for j in range(n):
        for k in range(j):
            x = D[c, j, k] * D[c, k, k]
            for i in range(j, n):
                D[c, i, j] -= D[c, i, k] * x
        D[c, j, j] = 1.0 / D[c, j, j]
    for i in range(n):  # from here on columns hold L d
        w, y = _row3(U, c, i), u[c, i]
        for k in range(i):
            x = D[c, i, k] * D[c, k, k]
            w, y = plus_times(w, -x, _row3(W, c, k)), y - x * u[c, k]
        _put_row3(W, c, i, w)
        u[c, i] = y
    for i in range(n - 1, -1, -1):
        x = D[c, i, i]
        w, y = _times(x, _row3(W, c, i)), x * u[c, i]
        for k in range(i + 1, n):
            x = D[c, k, i] * D[c, i, i]
            w, y = plus_times(w, -x, _row3(W, c, k)), y - x * u[c, k]
        _put_row3(W, c, i, w)
        u[c, i] = y


@inlined
def _times(s, x):
    return s * x[0], s * x[1], s * x[2], s * x[3], s * x[4], s * x[5]


@inlined
def _row3(A, i, m):
    return A[i, m, 0], A[i, m, 1], A[i, m, 2], A[i, m, 3], A[i, m, 4], A[i, m, 5]


@inlined
def _put_row3(A, i, m, x):
    A[i, m, 0], A[i, m, 1], A[i, m, 2] = x[0], x[1], x[2]
    A[i, m, 3], A[i, m, 4], A[i, m, 5] = x[3], x[4], x[5]
