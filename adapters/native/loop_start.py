"""Where a robot with loops begins."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from ipc_articulation.adapters.native.chain import Array

from ipc_articulation.dynamics.loops import LoopConstraint, LoopModel
from ipc_articulation.dynamics.loops.explicit import Explicit
from ipc_articulation.dynamics.model import Model


def closed_start(
    model: Model, loops: Sequence[tuple[tuple[str, ...], LoopConstraint]], q: Array
) -> tuple[LoopModel, Array]:
    """The robot, and its position near a spanning position with all loops closed.

    Args:
        model: The spanning tree.
        loops: Names of joints, and the constraint between them.
        q: Spanning position, (m,): exact for independent joints, a first guess for the others.

    Raises:
        ModelError: A joint is unknown, or in two loops.
        StateError: A loop cannot be closed from there.
    """
    robot = LoopModel(model, loops)
    x, bound = np.empty(robot.nx), np.zeros(robot.nx, dtype=np.bool_)
    for loop in robot.loops:
        part = q[loop.q]
        x[loop.x] = loop.constraint.independent(part) if isinstance(loop.constraint, Explicit) else part
        bound[loop.x] = True
    x[~bound] = q[robot.free_dofs]
    return robot, robot.closed(x)
