"""The Hessian of a revolute joint's angle by the coordinates of its two bodies; see `revolute` for the formulas.

By F it consists of four outer products and a part that has only two kinds of 3x3 blocks, multiples of one. Both are
carried to q one by one: outer products as vectors, blocks as 3x3 matrices of local vectors, the same for each row of A.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.articulation import vectors
from ipc_articulation.compiled import compiled


@compiled
def write_weighted(local: Array, weight: float, c: float, s: float, g: Array, p: Array, H: Array) -> None:
    """Write weight·∇²θ into H (24, 24).

    Args:
        local: Two directions in both bodies, (2, v, 4).
        weight: Factor.
        c: cosθ / 2r.
        s: sinθ / 2r.
        g: ∇θ, (24,).
        p: ∇ρ, (24,).
        H: Receives it.
    """
    for k in range(24):
        for m in range(24):
            H[k, m] = -weight * (p[k] * g[m] + g[k] * p[m])
    for k in range(3):
        n_i, b_i = local[0, 0, k], local[0, 1, k]
        for m in range(3):
            n_j, b_j = local[1, 0, m], local[1, 1, m]
            value = weight * (c * (n_i * b_j - b_i * n_j) - s * (n_i * n_j + b_i * b_j))
            for row in range(3, 12, 3):
                H[row + k, 12 + row + m] += value
                H[12 + row + m, row + k] += value


@compiled
def add_absolute(local: Array, weight: float, r: float, F: Array, t: Array, p: Array, H: Array) -> None:
    """Add weight·|∇²θ| to H (24, 24).

    Args:
        local: Two directions in both bodies, (2, v, 4).
        weight: Factor.
        r: |z|.
        F: World vectors, (4, 3).
        t: ∇θ by F, (12,).
        p: ∇ρ by F, (12,).
        H: Receives it.
    """
    a, c, N = np.empty(12), np.empty(12), 0.0
    for k in range(3):
        c[k], c[3 + k], c[6 + k], c[9 + k] = F[1, k], -F[0, k], -F[3, k], F[2, k]  # G
    for k in range(12):
        f = F[k // 3, k % 3]
        a[k] = f + 2.0 * r * p[k]
        c[k] += 2.0 * r * t[k]
        N += f * f
    scale = 1.0 / (2.0 * r * (N + 4.0 * r))
    in_q = np.empty((4, 24))
    for place, vector in enumerate((t, p, a, c)):
        vectors.gradient_to_q(local, vector, in_q[place])
    t, p, a, c = in_q
    for k in range(24):
        for m in range(24):
            H[k, m] += weight * (t[k] * t[m] + p[k] * p[m] - scale * (a[k] * a[m] + c[k] * c[m]))
    for side in range(2):
        n, b = local[side, 0], local[side, 1]
        for k in range(3):
            for m in range(3):
                value = weight * 0.5 / r * (n[k] * n[m] + b[k] * b[m])
                for row in range(12 * side + 3, 12 * side + 12, 3):
                    H[row + k, row + m] += value
