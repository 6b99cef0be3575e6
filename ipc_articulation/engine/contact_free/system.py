"""The Newton system of a step without contact; the positions of its blocks do not change."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ipc_articulation.affine import DOF
from ipc_articulation.arrays import Array, Bools, Ints
from ipc_articulation.compiled import compiled
from ipc_articulation.engine import rows
from ipc_articulation.engine.linear_system.block_matrix import BlockMatrix, Blocks
from ipc_articulation.engine.linear_system.by_fronts import front_cholesky
from ipc_articulation.engine.linear_system.by_fronts.front_pattern import FrontPattern, front_pattern
from ipc_articulation.engine.linear_system.hessian import coupled
from ipc_articulation.engine.linear_system.linear_system import step_from


def make_system(movable: Bools, blocks: Sequence[Ints]) -> tuple[Blocks, FrontPattern, Array]:
    """The system of n bodies.

    Args:
        movable: Which of them have unknowns, (n,).
        blocks: Pairs of bodies, (m, 2); all bodies of one array are coupled with each other.

    Returns:
        H, made of zeros; the pattern of its factor; and a scratch array for that factor.
    """
    H = BlockMatrix(len(movable))
    H.choose(movable)
    for bodies in blocks:
        H.add_coupled(coupled(bodies, np.zeros((len(bodies), 2 * DOF)), np.ones((len(bodies), len(bodies)))))
    pattern = front_pattern(*H.matrix.pattern)
    return H.as_arrays(), pattern, np.empty(pattern.starts[-1])


@compiled
def clear(H, moving):
    """Remove everything that was added. Until the next call, bodies that do not move, a mask (n,), have no unknowns."""
    H.diagonal[:] = 0.0
    H.upper.blocks[: H.number] = 0.0
    for i in range(len(H.bodies)):
        H.place[H.bodies[i]] = i if moving[H.bodies[i]] else -1


@compiled
def solve(problem, g):
    """Returns: the step -H⁻¹ g (n, 12), zero for bodies without unknowns; whether H is definite and the step finite."""
    H, n = problem.H, len(g)
    b = np.zeros((len(H.bodies), DOF))
    for i in range(len(b)):
        for k in range(DOF):
            if H.place[H.bodies[i]] >= 0:
                b[i, k] = g[H.bodies[i], k]
            else:
                for m in range(DOF):
                    H.diagonal[i, k, m] = 1.0 if k == m else 0.0
    x, is_definite = front_cholesky.solve(problem.pattern, H.diagonal, H.upper.blocks[: H.number], b, problem.U)
    return step_from(x, H.bodies, n), is_definite and rows.are_finite(x)


@compiled
def solve_again(problem, loads):
    """H⁻¹ of s loads (s, n, 12), with H as `solve` has factorised it; zero for bodies without unknowns."""
    H, b, moved = problem.H, np.zeros((len(loads), len(problem.H.bodies), DOF)), np.zeros(loads.shape)
    for i in range(len(H.bodies)):
        if H.place[H.bodies[i]] >= 0:
            b[:, i] = loads[:, H.bodies[i]]
    x = front_cholesky.solve_each(problem.pattern, problem.U, b)
    for i in range(len(H.bodies)):
        moved[:, H.bodies[i]] = x[:, i]
    return moved
