"""Solves H x = b by conjugate gradients, for meshes of thousands of vertices, whose Cholesky factors fill up.

All rows are split (see `block_matrix`). Preconditioned by a symmetric sweep of Gauss and Seidel: with the matrix
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

from typing import NamedTuple

import numpy as np

from ipc_articulation import tetrads
from ipc_articulation.arrays import Array
from ipc_articulation.compiled import compiled
from ipc_articulation.engine.linear_system.block_matrix import Matrix
from ipc_articulation.engine.linear_system.by_fronts.split_rows import by_vertices, moved_vertices
from ipc_articulation.engine.linear_system.scaled_rows import (
    multiply,
    parts_of_rows,
    scale,
    scale_step,
    scaled_rows,
    solve_lower,
    solve_upper,
    unscale,
)

FORCING = 1e-4  # of the residual
_NOTHING = 1e-12  # of the whole right side, in parts with hardly any
MOST = 150  # iterations; with more, factorising is faster
_LOOK = 50  # after which a residual shows whether that will be enough
_LARGE = 0.2


class Found(NamedTuple):
    """What conjugate gradients have found."""

    x: Array | None  # (k, 12) the solution; None if H is not definite, or more iterations are needed than are worth it
    is_definite: bool  # False if H is seen not to be positive definite


def solve_by_gradients(H: Matrix, b: Array, near: Array | None = None) -> Found:
    """The step x (k, 12) of H x = b (k, 12), all rows being split, from one that is near or from 0."""
    rows, is_definite = scaled_rows(H)
    if not is_definite:
        return Found(None, False)
    right = by_vertices(H.is_split, b).reshape(-1, 3)
    start = np.zeros_like(right) if near is None else moved_vertices(H.is_split, near).reshape(-1, 3)
    x, is_solved, is_definite = _solve(rows, right, start)
    return Found(tetrads.coordinates(x.reshape(-1, 4, 3)) if is_solved else None, is_definite)


@compiled
def _solve(rows, b, start):
    """Returns: x (n, 3), whether it solves the system to `FORCING`, and False if that is not definite."""
    matrix = rows.first, rows.cols, rows.blocks
    f, x = scale(rows.inverse, b), scale_step(rows.inverse, start)
    r = f - multiply(*matrix, x)
    solve_lower(*matrix, f)
    solve_lower(*matrix, r)
    p, t, Ap = np.zeros_like(r), np.empty_like(r), np.empty_like(r)
    whole, last = _dot(f, f), 1.0
    for iteration in range(MOST):
        square = _dot(r, r)
        if not square > FORCING * FORCING * whole and _is_solved(r, f, rows.first, rows.cols):
            return unscale(rows.inverse, x), np.isfinite(square), True
        if iteration == _LOOK and square > _LARGE * _LARGE * whole:
            break
        _turn(square / last if iteration else 0.0, r, p, t)
        solve_upper(*matrix, t)
        _subtract(p, t, Ap)
        solve_lower(*matrix, Ap)
        curvature = _curvature(p, t, Ap)
        if not curvature > 0.0:
            return x, False, False
        last = square
        _advance(square / curvature, t, Ap, x, r)
    return x, False, True


@compiled
def _is_solved(r, f, first, cols):
    """Whether the residual r (n, 3) is small beside f (n, 3) in each part of a matrix; also if it is not finite."""
    part = parts_of_rows(first, cols)
    left, right, least = np.zeros(len(part)), np.zeros(len(part)), _NOTHING * _NOTHING * _dot(f, f)
    for v in range(len(part)):
        for k in range(3):
            left[part[v]] += r[v, k] ** 2
            right[part[v]] += f[v, k] ** 2
    return not np.any(left > FORCING * FORCING * np.maximum(right, least))


@compiled(fastmath={"contract", "reassoc"})
def _dot(a, b):
    total, u, v = 0.0, a.ravel(), b.ravel()
    for k in range(len(u)):
        total += u[k] * v[k]
    return total


@compiled
def _turn(beta, r, p, t):
    """p ← r + β p, and t likewise."""
    u, v, w = r.ravel(), p.ravel(), t.ravel()
    for k in range(len(u)):
        v[k] = u[k] + beta * v[k]
        w[k] = v[k]


@compiled
def _subtract(p, t, result):
    u, v, w = p.ravel(), t.ravel(), result.ravel()
    for k in range(len(u)):
        w[k] = u[k] - v[k]


@compiled(fastmath={"contract", "reassoc"})
def _curvature(p, t, Ap):
    """Add t to Ap. Returns: pᵀAp."""
    total, u, v, w = 0.0, p.ravel(), t.ravel(), Ap.ravel()
    for k in range(len(u)):
        w[k] += v[k]
        total += u[k] * w[k]
    return total


@compiled
def _advance(alpha, t, Ap, x, r):
    """x ← x + α t, r ← r - α Ap."""
    u, v, w, z = t.ravel(), Ap.ravel(), x.ravel(), r.ravel()
    for k in range(len(u)):
        w[k] += alpha * u[k]
        z[k] -= alpha * v[k]
