"""Forward dynamics of a robot with loops, in time linear in the number of clusters.

The motion of a body i of a cluster is T_i = Σ S_k G_k over the joints k between it and the cluster's parent node P, and
its acceleration relative to P at ÿ = 0 is b_i = Σ (c_k + S_k g_k). As in `aba.py`, from the leaves to the root,

    U = Σ Iᴬ_i T_i,   D = Σ T_iᵀ Iᴬ_i T_i + Gᵀ rotor G,   u = τ - Σ T_iᵀ (pᴬ_i + Iᴬ_i b_i) - Gᵀ rotor g,
    Iᴬ_P += Σ Iᴬ_i - U D⁻¹ Uᵀ,     pᴬ_P += Σ (pᴬ_i + Iᴬ_i b_i) + U D⁻¹ u,

and from the root to the leaves ÿ = D⁻¹ (u - Uᵀ a_P), a_i = a_P + b_i + T_i ÿ (Chignoli et al. 2023, «Recursive
rigid-body dynamics algorithms for systems with kinematic loops»; simpler here, because all vectors are in one frame). A
joint in no loop is a cluster of one body with G = 1, so that there is one algorithm for trees and loops.

Iᴬ = I + A, with I the ten numbers of a rigid body, and A a matrix for the clusters that it carries. Most bodies of
gearboxes carry none: they have no A, and their inertia is added to the parent's as that of a rigid body.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.dynamics.algorithms.solve import ROUNDING
from ipc_articulation.dynamics.algorithms.symmetric import add_body, clear, subtract_product, symmetric_times
from ipc_articulation.dynamics.kernels.kernel import inlined, kernel
from ipc_articulation.dynamics.kernels.sweep import (
    NODE_STATE,
    acceleration_of_world,
    add_inertia,
    body_inertias,
    position_kinematics,
    subtract_wrench,
    velocity_kinematics,
)
from ipc_articulation.dynamics.kernels.vectors import (
    add,
    cross_force,
    dot,
    inertia_times,
    plus,
    plus_times,
    put,
    put_row,
    row,
    six,
    size,
)

BODY = np.dtype(
    [
        ("A", "f8", (21,)),  # articulated inertia of the clusters that the body carries, a symmetric matrix
        ("f", "f8", (6,)),  # Σ (pᴬ + Iᴬ b) + U D⁻¹ u of these clusters
        ("b", "f8", (6,)),  # acceleration at ÿ = 0 relative to the cluster's parent node
        ("m", "f8"),  # mass of these clusters, first moment, and moments of inertia, as rigid bodies
        ("h", "f8", (3,)),
        ("J", "f8", (6,)),
    ],
    align=True,
)

ZERO = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@kernel
def cluster_aba(tree, clusters, steps, ys, G, g, q, v, tau, wrenches, y_ddot):
    """Compute ÿ at a position q and velocities v = G ẏ, for forces τ on the independent coordinates.

    Args:
        tree: Records of the nodes.
        clusters: Records, see `program.py`, also for steps and ys.
        steps: See clusters.
        ys: See clusters.
        G: (spanning nv, columns), a column for each independent velocity of the largest cluster.
        g: (spanning nv,).
        q: (nq,).
        v: (spanning nv,).
        tau: (nv,).
        wrenches: (bodies, 6), or (0, 6).
        y_ddot: (nv,), the result.

    Returns:
        Whether every quaternion is of length one, and every D more than rounding errors of the inertia moved.
    """
    n, count, most = len(tree), len(y_ddot), G.shape[1]
    kin, S = np.empty(n, NODE_STATE), np.empty((len(v), 6))
    bodies, T = np.empty(n, BODY), np.empty((n * most, 6))
    U, W, D, u = np.empty((count, 6)), np.empty((count, 6)), np.empty((count, most)), np.empty(count)
    good = position_kinematics(tree, q, kin, S)
    velocity_kinematics(tree, S, v, kin)
    body_inertias(tree, kin)
    for i in range(n):
        put(kin[i].f, cross_force(kin[i].v, inertia_times(kin[i], kin[i].v)))
        subtract_wrench(tree[i], wrenches, kin[i])
    for at in range(len(steps)):
        if steps[at].carries:
            clear(bodies[steps[at].node].A)
            put(bodies[steps[at].node].f, ZERO)
            put(bodies[steps[at].node].J, ZERO)
            bodies[steps[at].node].m, bodies[steps[at].node].h[:] = 0.0, 0.0
    for c in range(len(clusters) - 1, -1, -1):
        if clusters[c].size == 1:
            good &= _leave_alone(clusters[c], tree, steps, ys, G, g, S, kin, bodies, tau, T, W, u)
        else:
            good &= _leave(clusters[c], tree, steps, ys, G, g, S, kin, bodies, tau, T, U, W, D, u)
    for c in range(len(clusters)):
        _arrive(clusters[c], tree, steps, ys, kin, bodies, T, W, u, y_ddot)
    return good


@inlined
def _leave_alone(C, tree, steps, ys, G, g, S, kin, bodies, tau, T, W, u):
    """As `_leave`, for a cluster with one independent velocity, without arrays."""
    U, F, D, moved, rest = ZERO, ZERO, 0.0, 0.0, tau[ys[C.y]]
    for at in range(C.first, C.end):
        step = steps[at]
        i = step.node
        b, k, B = tree[i], kin[i], bodies[i]
        bias, t = six(k.c), ZERO
        for j in range(b.v, b.v + b.nv):
            bias, t = plus_times(bias, g[j], row(S, j)), plus_times(t, G[j, 0], row(S, j))
            turn = b.rotor[j - b.v] * G[j, 0]
            D, rest = D + turn * G[j, 0], rest - turn * g[j]
        if step.inside:
            bias, t = plus(bias, six(bodies[b.parent].b)), plus(t, row(T, b.parent * G.shape[1]))
        f, x = plus(six(k.f), inertia_times(k, bias)), inertia_times(k, t)
        if step.carries:
            f, x = plus(f, plus(six(B.f), symmetric_times(B.A, bias))), plus(x, symmetric_times(B.A, t))
            moved += size(B, t)
        moved += size(k, t)
        put(B.b, bias)
        put_row(T, i * G.shape[1], t)
        D, rest = D + dot(t, x), rest - dot(t, f)
        U, F = plus(U, x), plus(F, f)
    d = 1.0 / D
    w = d * U[0], d * U[1], d * U[2], d * U[3], d * U[4], d * U[5]
    put_row(W, C.y, w)
    u[C.y] = d * rest
    if C.parent >= 0:
        _join(C, steps, kin, bodies)
        subtract_product(bodies[C.parent].A, U, w)
        add(bodies[C.parent].f, plus_times(F, d * rest, U))
    return ROUNDING * moved < D


@kernel
def _leave(C, tree, steps, ys, G, g, S, kin, bodies, tau, T, U, W, D, u):
    """The computation for one cluster in the pass from the leaves to the root. Returns: whether D is regular."""
    first, count, most, F, moved = C.y, C.size, G.shape[1], ZERO, np.zeros(C.size)
    for m in range(count):
        u[first + m] = tau[ys[first + m]]
        put_row(U, first + m, ZERO)
        for p in range(count):
            D[first + m, p] = 0.0
    for at in range(C.first, C.end):
        step = steps[at]
        i = step.node
        b, k, B = tree[i], kin[i], bodies[i]
        _spread(b, k, step, count, most, G, g, S, bodies, T)
        f = plus(six(k.f), inertia_times(k, B.b))
        if step.carries:
            f = plus(f, plus(six(B.f), symmetric_times(B.A, six(B.b))))
        F = plus(F, f)
        for m in range(count):
            t = row(T, i * most + m)
            x = inertia_times(k, t)
            moved[m] += size(k, t)
            if step.carries:
                x = plus(x, symmetric_times(B.A, t))
                moved[m] += size(B, t)
            u[first + m] -= dot(t, f)
            put_row(U, first + m, plus(row(U, first + m), x))
            for s in range(m + 1):
                D[first + m, s] += dot(row(T, i * most + s), x)
        _count_rotors(b, first, count, G, g, D, u)
    good = _solve(D, first, U, W, u, moved)
    if C.parent >= 0:
        _join(C, steps, kin, bodies)
        for m in range(first, first + count):
            subtract_product(bodies[C.parent].A, row(U, m), row(W, m))
            F = plus_times(F, u[m], row(U, m))
        add(bodies[C.parent].f, F)
    return good


@inlined
def _join(C, steps, kin, bodies):
    """Add the inertias of a cluster's bodies to the parent body: to its own I if they carry nothing, else to its A."""
    for at in range(C.first, C.end):
        k = kin[steps[at].node]
        if steps[at].carries:
            add_body(bodies[C.parent].A, k, bodies[steps[at].node].A)
            add_inertia(k, bodies[C.parent])
            add_inertia(bodies[steps[at].node], bodies[C.parent])
        else:
            add_inertia(k, kin[C.parent])


@inlined
def _spread(b, k, step, size, most, G, g, S, bodies, T):
    """Fill T and b of a body."""
    i, up = step.node, b.parent
    bias = six(k.c)
    for j in range(b.v, b.v + b.nv):
        bias = plus_times(bias, g[j], row(S, j))
    put(bodies[i].b, plus(bias, six(bodies[up].b)) if step.inside else bias)
    for m in range(size):
        total = row(T, up * most + m) if step.inside else ZERO
        for j in range(b.v, b.v + b.nv):
            total = plus_times(total, G[j, m], row(S, j))
        put_row(T, i * most + m, total)


@inlined
def _count_rotors(b, first, size, G, g, D, u):
    """Add the reflected rotor inertias of a body's joint to D and u."""
    for j in range(b.nv):
        if b.rotor[j] != 0.0:
            for m in range(size):
                turn = b.rotor[j] * G[b.v + j, m]
                u[first + m] -= turn * g[b.v + j]
                for s in range(m + 1):
                    D[first + m, s] += turn * G[b.v + j, s]


@inlined
def _solve(D, at, U, W, u, moved):
    """W ← D⁻¹ U and u ← D⁻¹ u in rows `at` to `at + n`; D = L diag(1/d) Lᵀ is factorised in its lower triangle.

    Returns:
        Whether every 1/d is more than rounding errors of the inertia moved, (n,).
    """
    n, good = len(moved), True
    for j in range(n):
        for k in range(j):
            x = D[at + j, k] * D[at + k, k]
            for i in range(j, n):
                D[at + i, j] -= D[at + i, k] * x
        good &= ROUNDING * moved[j] < D[at + j, j]
        D[at + j, j] = 1.0 / D[at + j, j]
    for i in range(n):  # from here on columns hold L d
        w, y = row(U, at + i), u[at + i]
        for k in range(i):
            x = D[at + i, k] * D[at + k, k]
            w, y = plus_times(w, -x, row(W, at + k)), y - x * u[at + k]
        put_row(W, at + i, w)
        u[at + i] = y
    for i in range(n - 1, -1, -1):
        x = D[at + i, i]
        w, y = _times(x, row(W, at + i)), x * u[at + i]
        for k in range(i + 1, n):
            x = D[at + k, i] * D[at + i, i]
            w, y = plus_times(w, -x, row(W, at + k)), y - x * u[at + k]
        put_row(W, at + i, w)
        u[at + i] = y
    return good


@inlined
def _times(s, x):
    return s * x[0], s * x[1], s * x[2], s * x[3], s * x[4], s * x[5]


@inlined
def _arrive(C, tree, steps, ys, kin, bodies, T, W, u, y_ddot):
    """Compute ÿ of a cluster, and the accelerations of its bodies that carry other clusters."""
    base = acceleration_of_world(tree) if C.parent < 0 else six(kin[C.parent].a)
    most = len(T) // len(tree)
    for m in range(C.y, C.y + C.size):
        u[m] -= dot(row(W, m), base)
        y_ddot[ys[m]] = u[m]
    for at in range(C.first, C.end):
        if steps[at].carries:
            i = steps[at].node
            a = plus(base, six(bodies[i].b))
            for m in range(C.size):
                a = plus_times(a, u[C.y + m], row(T, i * most + m))
            put(kin[i].a, a)
