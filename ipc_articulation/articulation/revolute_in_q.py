"""The Hessian of a revolute joint's angle by the coordinates of its two bodies; see `revolute` for the formulas.

∇θ, ∇ρ, F and G are carried to q row by row of the two matrices A, which the local vectors n̄ and b̄ multiply. By F the
Hessian is outer products of these, and a part that has only two kinds of 3x3 blocks, multiples of one: by q these are
3x3 matrices of local vectors, the same for each row of A. With d = ∇θ - sign(w) ∇ρ the projection has one outer product
less than |H| alone:

    ½(w H + |w| |H|) = ½|w| (d dᵀ - (a aᵀ + c cᵀ)/(2r (N + 4r)) + I/2r + sign(w) P).

Loops over a row of H ask for its length: of one that is known, 24, LLVM writes out every step, one number at a time, in
four times the time.
"""

from __future__ import annotations

from ipc_articulation.arrays import Array
from ipc_articulation.compiled import compiled


@compiled
def row(local: Array, q: Array, a: int) -> tuple[float, float]:
    """Component a of the world vectors n̂ and b̂ of local ones (v, 4) in a body at q (12,)."""
    n = b = 0.0
    for k in range(3):
        n += local[0, k] * q[3 + 3 * a + k]
        b += local[1, k] * q[3 + 3 * a + k]
    return n, b


@compiled
def put(local: Array, a: int, by_n: float, by_b: float, g: Array) -> None:
    """Write what a derivative by component a of n̂ and b̂ is by q to a body's part of g, (12,)."""
    g[a] = 0.0
    for k in range(3):
        g[3 + 3 * a + k] = local[0, k] * by_n + local[1, k] * by_b


@compiled
def put_slope(
    local: Array, a: int, left: tuple[float, float], right: tuple[float, float], c: float, s: float, g: Array
) -> None:
    """Write the part of ∇θ by row a of the two matrices A, in which the world vectors (n̂, b̂) are left and right."""
    (n_i, b_i), (n_j, b_j) = left, right
    put(local[0], a, c * b_j - s * n_j, -(c * n_j + s * b_j), g[:12])
    put(local[1], a, -(c * b_i + s * n_i), c * n_i - s * b_i, g[12:])


@compiled
def carry(local: Array, q_i: Array, q_j: Array, c: float, s: float, carried: Array) -> float:
    """Write ∇θ, ∇ρ, F and G by q into `carried` (4, 24).

    Args:
        local: Two directions in both bodies, (2, v, 4).
        q_i: Coordinates of the left body, (12,).
        q_j: Coordinates of the right body, (12,).
        c: cosθ / 2r.
        s: sinθ / 2r.
        carried: Receives them.

    Returns:
        N = |F|².
    """
    N = 0.0
    for a in range(3):
        left, right = row(local[0], q_i, a), row(local[1], q_j, a)
        (n_i, b_i), (n_j, b_j) = left, right
        N += n_i * n_i + b_i * b_i + n_j * n_j + b_j * b_j
        put_slope(local, a, left, right, c, s, carried[0])
        put(local[0], a, c * n_j + s * b_j, c * b_j - s * n_j, carried[1, :12])
        put(local[1], a, c * n_i - s * b_i, c * b_i + s * n_i, carried[1, 12:])
        put(local[0], a, n_i, b_i, carried[2, :12])
        put(local[1], a, n_j, b_j, carried[2, 12:])
        put(local[0], a, b_i, -n_i, carried[3, :12])
        put(local[1], a, -b_j, n_j, carried[3, 12:])
    return N


@compiled
def write_weighted(local: Array, weight: float, c: float, s: float, carried: Array, H: Array) -> None:
    """Write weight·∇²θ into H (24, 24); the other arguments are those of `carry`."""
    g, p = carried[0], carried[1]
    for k in range(24):
        for m in range(H.shape[1]):
            H[k, m] = -weight * (p[k] * g[m] + g[k] * p[m])
    _add_mixed(local, weight, c, s, H)


@compiled
def write_projected(
    local: Array, weight: float, c: float, s: float, r: float, N: float, carried: Array, H: Array
) -> None:
    """Write the positive semidefinite part of weight·∇²θ into H (24, 24).

    Args:
        local: Two directions in both bodies, (2, v, 4).
        weight: Factor.
        c: cosθ / 2r.
        s: sinθ / 2r.
        r: |z|.
        N: |F|².
        carried: See `carry`; overwritten.
        H: Receives it.
    """
    half, scale = 0.5 * abs(weight), 1.0 / (2.0 * r * (N + 4.0 * r))
    d, p, a, G = carried
    for k in range(24):
        g = d[k]
        d[k] = g - p[k] if weight > 0.0 else g + p[k]
        a[k] += 2.0 * r * p[k]
        G[k] += 2.0 * r * g
    for k in range(24):
        for m in range(H.shape[1]):
            H[k, m] = half * (d[k] * d[m] - scale * (a[k] * a[m] + G[k] * G[m]))
    for side in range(2):
        n, b = local[side, 0], local[side, 1]
        for k in range(3):
            for m in range(3):
                value = half * 0.5 / r * (n[k] * n[m] + b[k] * b[m])
                for first in range(12 * side + 3, 12 * side + 12, 3):
                    H[first + k, first + m] += value
    _add_mixed(local, 0.5 * weight, c, s, H)


@compiled
def _add_mixed(local: Array, weight: float, c: float, s: float, H: Array) -> None:
    """Add weight·P, which has blocks of the left by the right body, and their transposes."""
    for k in range(3):
        n_i, b_i = local[0, 0, k], local[0, 1, k]
        for m in range(3):
            n_j, b_j = local[1, 0, m], local[1, 1, m]
            value = weight * (c * (n_i * b_j - b_i * n_j) - s * (n_i * n_j + b_i * b_j))
            for first in range(3, 12, 3):
                H[first + k, 12 + first + m] += value
                H[12 + first + m, first + k] += value
