"""The matrix of a body's velocity products, shared by the Coriolis matrix and the derivatives.

    2B = (v×*) I - I (v×) + (I v)×̄*,     h ×̄* x = x ×* h

(Echeandia, Wensing 2021, «Numerical methods to compute the Coriolis matrix and Christoffel symbols for rigid-body
systems»). 2B v = 2 v ×* I v, and B + Bᵀ = dI/dt.
"""

from __future__ import annotations

from ipc_articulation.dynamics.kernels.kernel import kernel
from ipc_articulation.dynamics.kernels.vectors import cross, cross_force, dot, inertia_times, plus, plus_times, row


@kernel
def fill_products(tree, kin, B):
    """B ← 2B of every node, (n, 6, 6); kin is taken after `velocity_kinematics` and `body_inertias`."""
    for i in range(len(tree)):
        k = kin[i]
        h = inertia_times(k, k.v)
        for c in range(6):
            e = _unit(c)
            column = plus(cross_force(k.v, inertia_times(k, e)), cross_force(e, h))
            column = plus_times(column, -1.0, inertia_times(k, cross(k.v, e)))
            for r in range(6):
                B[i, r, c] = column[r]


@kernel
def accumulate_matrices(tree, B):
    """Add up B: that of each node becomes the sum over the node and all nodes that it carries."""
    for i in range(len(tree) - 1, -1, -1):
        if tree[i].parent >= 0:
            up = tree[i].parent
            for r in range(6):
                for c in range(6):
                    B[up, r, c] += B[i, r, c]


@kernel
def times(B, x):
    """B x, (6, 6)."""
    return (
        dot(row(B, 0), x),
        dot(row(B, 1), x),
        dot(row(B, 2), x),
        dot(row(B, 3), x),
        dot(row(B, 4), x),
        dot(row(B, 5), x),
    )


@kernel
def transpose_times(B, x):
    """Bᵀ x, (6, 6)."""
    y = (x[0] * B[0, 0], x[0] * B[0, 1], x[0] * B[0, 2], x[0] * B[0, 3], x[0] * B[0, 4], x[0] * B[0, 5])
    for r in range(1, 6):
        y = plus_times(y, x[r], row(B, r))
    return y


@kernel
def _unit(c):
    return (
        1.0 if c == 0 else 0.0,
        1.0 if c == 1 else 0.0,
        1.0 if c == 2 else 0.0,
        1.0 if c == 3 else 0.0,
        1.0 if c == 4 else 0.0,
        1.0 if c == 5 else 0.0,
    )
