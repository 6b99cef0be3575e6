"""Solves H x = b by conjugate gradients, for meshes of thousands of vertices, whose Cholesky factors fill up.

Each active row has one node. Preconditioned by a symmetric sweep of Gauss and Seidel: with the matrix
L + 1 + Lᵀ of `scaled_rows` the preconditioner is (1 + L)(1 + Lᵀ), and conjugate gradients solve

    A y = f,   A = (1 + L)⁻¹ (L + 1 + Lᵀ) (1 + Lᵀ)⁻¹,   f = (1 + L)⁻¹ b,   x = (1 + Lᵀ)⁻¹ y,

of which a product takes no more than the two sweeps: A p = t + (1 + L)⁻¹ (p - t) with t = (1 + Lᵀ)⁻¹ p. They end when
the residual is 1e-4 of f in each part of the matrix, not connected with others: a light body that nothing connects with
a heavy one would else seem to be at rest while that moves. From x = 0 every x is the lowest point of ½ xᵀHx - bᵀx in a
space that grows, so the step is one of descent however early this ends.

Source: Nocedal & Wright, «Numerical Optimization», 2nd ed., algorithm 5.2; Eisenstat, «Efficient implementation of a
class of preconditioned conjugate gradient methods», SIAM J. Sci. Stat. Comput. 2 (1981).
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.compiled import compiled
from ipc_articulation.linear_system.scaled_rows import scale, solve_lower, solve_upper, unscale

FORCING = 1e-4  # of the residual
_EPSILON = np.finfo(float).eps
MOST = 150  # iterations; with more, factorising is faster


@compiled
def by_gradients(rows, b, part):
    """Returns: H⁻¹ b (n, 3), whether it is that to `FORCING` of b in each part, False if H is not definite."""
    f = scale(rows.inverse, b).ravel()
    solve_lower(rows, f)
    r = f.copy()
    x, p, t, Ap = np.zeros_like(f), np.zeros_like(f), np.empty_like(f), np.empty_like(f)
    whole, last = _dot(f, f), 1.0
    for _ in range(MOST):
        square = _dot(r, r)
        if not square > FORCING * FORCING * whole and _is_solved(r, f, part):
            return unscale(rows.inverse, x.reshape(b.shape)), np.isfinite(square), True
        beta = square / last
        for k in range(len(p)):
            p[k] = r[k] + beta * p[k]
            t[k] = p[k]
        solve_upper(rows, t)
        for k in range(len(p)):
            Ap[k] = p[k] - t[k]
        solve_lower(rows, Ap)
        for k in range(len(p)):
            Ap[k] += t[k]
        curvature = _dot(p, Ap)
        if not curvature > 0.0:
            return b, False, False
        alpha, last = square / curvature, square
        for k in range(len(p)):
            x[k] += alpha * t[k]
            r[k] -= alpha * Ap[k]
    return b, False, True


@compiled
def _is_solved(r, f, part):
    """Whether the residual r (3 n,) is small beside f (3 n,) in each part (n,); also if it is not finite.

    Beside all of f, a part with hardly any of it has none.
    """
    left, right = np.zeros(len(part)), np.full(len(part), _EPSILON * _EPSILON * _dot(f, f))
    for k in range(len(r)):
        left[part[k // 3]] += r[k] ** 2
        right[part[k // 3]] += f[k] ** 2
    return not np.any(left > FORCING * FORCING * right)


@compiled(fastmath={"contract", "reassoc"})
def _dot(a, b):
    total = 0.0
    for k in range(len(a)):
        total += a[k] * b[k]
    return total
