"""The Newton system of a step without contact: the places of its blocks are known before."""

from __future__ import annotations

import numpy as np

from ipc_articulation.affine import DOF
from ipc_articulation.arrays import Array, Bools, Ints
from ipc_articulation.articulation.evaluation import Articulations
from ipc_articulation.compiled import compiled
from ipc_articulation.engine import rows
from ipc_articulation.engine.linear_system import block_cholesky
from ipc_articulation.engine.linear_system.block_matrix import BlockMatrix, Blocks
from ipc_articulation.engine.linear_system.factor_pattern import Pattern, factor_pattern
from ipc_articulation.engine.linear_system.linear_system import step_from


def make_system(movable: Bools, joints: Ints, articulations: Articulations) -> tuple[Blocks, Pattern, Array]:
    """The system of n bodies.

    Args:
        movable: Which of them have unknowns, (n,).
        joints: Pairs that joints couple, (m, 2).
        articulations: Each couples all its bodies.

    Returns:
        H, made of zeros; the pattern of its factor; and room for that.
    """
    H = BlockMatrix(len(movable))
    H.choose(movable)
    H.add_pairs(joints, np.zeros((len(joints), 2 * DOF, 2 * DOF)))
    H.add_pairs(articulations.joints.bodies, np.zeros((len(articulations.joints.bodies), 2 * DOF, 2 * DOF)))
    for begin, end in zip(articulations.starts[:-1], articulations.starts[1:], strict=True):
        size = end - begin
        H.add_coupled(articulations.bodies[begin:end], np.zeros((size, 2 * DOF)), np.ones((size, size)))
    pattern = factor_pattern(len(H.bodies), *H.upper[:2])
    return H.as_arrays(), pattern, np.empty(pattern.starts[-1])


@compiled
def clear(H, moving):
    """Forget everything added; bodies that do not move, of a mask (n,), have no unknowns until the next time."""
    H.diagonal[:] = 0.0
    H.upper.blocks[: H.number] = 0.0
    for i in range(len(H.bodies)):
        H.place[H.bodies[i]] = i if moving[H.bodies[i]] else -1


@compiled
def solve(problem, g):
    """The step -H⁻¹ g (n, 12), zero for bodies without unknowns; and whether H is definite and the step finite."""
    H, n = problem.H, len(g)
    b = np.zeros((len(H.bodies), DOF))
    for i in range(len(b)):
        for k in range(DOF):
            if H.place[H.bodies[i]] >= 0:
                b[i, k] = g[H.bodies[i], k]
            else:
                for m in range(DOF):
                    H.diagonal[i, k, m] = 1.0 if k == m else 0.0
    x, is_definite = block_cholesky.solve(problem.pattern, H.diagonal, H.upper.blocks[: H.number], 0.0, b, problem.U)
    return step_from(x, H.bodies, n), is_definite and rows.are_finite(x)
