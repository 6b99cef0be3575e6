"""The Newton step of an iteration: sums of derivatives, and their solution."""

from __future__ import annotations

import numpy as np

from ipc_articulation.compiled import compiled
from ipc_articulation.engine.newton import touching
from ipc_articulation.engine.newton.work import points_at
from ipc_articulation.engine.terms import articulations, usual
from ipc_articulation.linear_system.system import (
    analysed,
    cleared,
    factorise,
    is_of,
    solve_by_gradients,
    with_room,
)
from ipc_articulation.linear_system.system import solve as solve_by_factor

SHIFT = 1e-9  # of the largest diagonal entry of a part: far above rounding, far below stiffness
SOLVED, REFUSED, NOT_FINITE = 0, 1, 2  # results of `solve`


@compiled
def clear(work):
    """Begin sums of nothing of the rows that are free now, with room for blocks that all terms add."""
    sums, rows, (blocks, numbers) = work.sums, work.scene.rows, work.spare
    sums.moving = work.moving
    for r in range(len(rows.body)):
        sums.is_free[r] = work.moving[rows.body[r]] and not rows.is_fixed[r]
    count = 6 * (len(work.now.some.of) + len(work.friction.force))
    sums.matrix = with_room(sums.matrix, count + blocks, 144 * count + numbers)
    cleared(sums.matrix)
    sums.g[:] = 0.0


@compiled
def gradient(work):
    """The sum of gradients (N, 3)."""
    return work.sums.g.copy()


@compiled
def assemble(work):
    """Begin the sums of gradient and Hessian with the usual terms; those of refused bodies are projected."""
    clear(work)
    sums, rows = work.sums, work.scene.rows
    for b in range(len(work.refused)):
        sums.projected[b] = work.refused[b] or not work.scene.projects
    for r in range(len(rows.body)):
        if not sums.is_free[r]:
            size, own = 3 * (rows.first[r + 1] - rows.first[r]), sums.matrix.own[r]
            for a in range(size):
                sums.matrix.numbers[own + (size + 1) * a] = 1.0
    usual.add_derivatives(work.usual, work.now.x, sums)


@compiled
def keep_blocks(work, blocks, numbers):
    """Let the blocks that there are be those with which each step begins, to which terms may add so many."""
    work.blocks, work.spare = work.sums.matrix.used[0], (blocks, numbers)


@compiled
def solve(work, by_gradients, restrains, may_fail):
    """Write the Newton step -H⁻¹ g, restrained by articulations, and look at all of it; its forces are foreseen.

    Returns:
        SOLVED; REFUSED if H is not definite and this may be: the bodies of parts that are not are projected from now
        on, else it is shifted; or NOT_FINITE.
    """
    sums, body = work.sums, work.scene.rows.body
    if not np.isfinite(np.sum(sums.g)):
        return NOT_FINITE
    is_solved, definite = _solved(work, by_gradients, may_fail and not np.all(sums.projected | ~work.moving))
    if not is_solved:
        for r in range(len(body)):
            if not definite[r] and sums.is_free[r]:
                work.refused[body[r]] = True
        return REFUSED
    if restrains and not by_gradients:
        articulations.restrain(work.usual.articulations, work.dx, work.pattern, sums.matrix, sums.is_free, work.U)
    if not np.isfinite(np.sum(work.dx)):
        return NOT_FINITE
    work.at = work.now.x + work.dx
    work.y_at = points_at(work, work.at)
    if len(work.now.stencils.kind):
        touching.foresee(work, by_gradients)
    work.y_ahead = work.y_at
    return SOLVED


@compiled
def _solved(work, by_gradients, may_fail):
    """Write -H⁻¹ g; whether H is definite, and which rows (R,) are in definite parts."""
    sums, dx = work.sums, np.empty_like(work.dx)
    matrix, is_free = sums.matrix, sums.is_free
    work.dx = dx
    if by_gradients:
        is_solved, is_definite = solve_by_gradients(matrix, is_free, work.scene.rows.body, sums.g, dx)
        if is_solved:
            _negate(dx)
            return True, is_free
        if may_fail and not is_definite:
            return False, ~is_free
    analyse(work)
    definite = factorise(work.pattern, matrix.numbers, is_free, work.U)
    is_solved = np.all(definite)
    if not is_solved and not may_fail:
        _shift(matrix, definite)
        definite = factorise(work.pattern, matrix.numbers, is_free, work.U)
        is_solved = True
    if is_solved:
        solve_by_factor(work.pattern, matrix, is_free, work.U, sums.g, dx)
        _negate(dx)
    return is_solved, definite


@compiled
def analyse(work):
    """Have a pattern of the matrix as it is."""
    if not is_of(work.pattern, work.sums.matrix):
        work.pattern = analysed(work.sums.matrix)
        if len(work.U) < work.pattern.starts[-1]:
            work.U = np.empty(2 * work.pattern.starts[-1])


@compiled
def _negate(dx):
    for k in range(len(dx)):
        for c in range(3):
            dx[k, c] = -dx[k, c]


@compiled
def _shift(matrix, definite):
    """Shift the diagonal of rows that are not in definite parts."""
    for r in range(len(definite)):
        size, at = 3 * (matrix.first[r + 1] - matrix.first[r]), matrix.own[r]
        largest = 0.0
        for a in range(size):
            largest = max(largest, matrix.numbers[at + a * size + a])
        for a in range(size):
            matrix.numbers[at + a * size + a] += 0.0 if definite[r] else SHIFT * largest
