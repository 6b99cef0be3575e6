"""Solves H x = b with the factor of a matrix H₀ that is near H, from an x that is near the solution.

Conjugate gradients preconditioned by H₀: where H - H₀ has the rank r, as after a change of a few barriers, no more than
r + 1 iterations are needed, however large the change is. An iteration takes a tenth of a factorisation of a cloth of a
thousand vertices. What is still missing, z = H₀⁻¹ (b - H x), is an estimate of the error of x.

Source: Nocedal & Wright, «Numerical Optimization», 2nd ed., algorithm 5.3.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.affine import DOF
from ipc_articulation.compiled import compiled
from ipc_articulation.engine.linear_system.by_fronts.fronts import solution
from ipc_articulation.engine.linear_system.by_fronts.split_rows import by_vertices, moved_vertices

SMALL = 1e-3  # error of x, beside the largest number in x of the same part of H
_NOTHING = 1e-12  # of the largest number in x, in parts that hardly move
MOST = 6  # iterations; with more, factorising is faster


@compiled
def refined(pattern, U, H, parts, b, x):
    """The solution, from x (k, 12) on.

    Args:
        pattern: Of the factor of H₀, see `front_pattern`.
        U: The factor.
        H: A `Matrix` of the same rows; it may have other blocks than H₀.
        parts: Labels (k,) of the parts of H, not connected with each other.
        b: The right side, (k, 12).
        x: Where to start, (k, 12).

    Returns:
        x (k, 12), and whether it solves the system; if not, H is seen not to be definite, or is not near H₀.
    """
    x, r, p, last = x.copy(), by_vertices(pattern.is_split, b), np.zeros_like(x), 1.0
    subtract_product(H, moved_vertices(pattern.is_split, x), 1.0, r)
    for iteration in range(MOST + 1):
        z = solution(pattern, U, r)
        if _is_small(parts, z, x):
            return x, True
        square = _dot(r, moved_vertices(pattern.is_split, z))
        if iteration:
            z += square / last * p
        p, last = z, square
        moved, Hp = moved_vertices(pattern.is_split, p), np.zeros_like(x)
        subtract_product(H, moved, -1.0, Hp)
        curvature = _dot(Hp, moved)
        if iteration == MOST or not curvature > 0.0:
            return x, False
        x += square / curvature * p
        r -= square / curvature * Hp
    return x, False


@compiled
def _is_small(parts, z, x):
    """Whether z (k, 12) is small beside x in each of the parts (k,)."""
    of_z, of_x = np.zeros(len(parts)), np.zeros(len(parts))
    for i in range(len(parts)):
        for c in range(DOF):
            if not np.isfinite(z[i, c]):
                return False
            of_z[parts[i]] = max(of_z[parts[i]], abs(z[i, c]))
            of_x[parts[i]] = max(of_x[parts[i]], abs(x[i, c]))
    return np.all(of_z <= np.maximum(SMALL * of_x, _NOTHING * np.max(of_x))) if len(parts) else True


@compiled
def subtract_product(H, x, factor, r):
    """Subtract a factor times H x from r, both (k, 12) by the vertices of split rows."""
    for i in range(len(r)):
        _subtract_block(H.diagonal[i], x[i], factor, r[i])
    for m in range(len(H.rows)):
        i, j = H.rows[m], H.cols[m]
        _subtract_block(H.blocks[m], x[j], factor, r[i])
        _subtract_block(H.blocks[m].T, x[i], factor, r[j])


@compiled
def _subtract_block(block, x, factor, r):
    for a in range(DOF):
        s = 0.0
        for b in range(DOF):
            s += block[a, b] * x[b]
        r[a] -= factor * s


@compiled
def _dot(a, b):
    total, u, v = 0.0, a.ravel(), b.ravel()
    for k in range(len(u)):
        total += u[k] * v[k]
    return total
