"""Dry friction and joint limits of robots with loops, within an implicit step.

    minimise ½ ẏᵀ M̂_y ẏ - pᵀ ẏ + dt Σ f_k |G_k ẏ|   so that   low_k ≤ q_k + dt G_k ẏ ≤ high_k

over the spanning joints k, G at the beginning of the step. Where the row G_k has one entry, in column c, a joint's
friction is friction |G_kc| f_k of ẏ_c, and its limits are limits of ẏ_c: the problem is that of a tree
(`integrators/constrained.py`). So it is for joints in no loop, gears, and all of a loop with one degree of freedom;
the driven joints of a differential have rows with more entries, and may have neither friction nor limits.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ipc_articulation.dynamics.integrators.constrained import SWEEPS, descend
from ipc_articulation.dynamics.loops.constraint import Array
from ipc_articulation.dynamics.loops.motion import Motion
from ipc_articulation.dynamics.model.model import Model
from ipc_articulation.errors import SolverError, UnsupportedError


def hindered_velocity(robot: Model, motion: Motion, mass: Array, momentum: Array, dt: float) -> Array:
    """ẏ at the end of the step.

    Args:
        robot: The robot.
        motion: Of its spanning tree, at the beginning.
        mass: M̂_y, (nv, nv).
        momentum: p, (nv,).
        dt: Time step [s].

    Returns:
        (nv,).

    Raises:
        SolverError: Not converged.
        UnsupportedError: A joint with friction or limits moves with several independent coordinates.
    """
    y_dot = np.asarray(np.linalg.solve(mass, momentum), dtype=float)
    dofs = hindered_dofs(robot)
    if not len(dofs):
        return y_dot
    low, high, friction = _bounds(robot, motion, dofs, dt)
    if friction.any() or (y_dot < low).any() or (y_dot > high).any():
        y_dot = np.clip(y_dot, low, high)
        if not descend(mass, momentum, friction, low, high, y_dot):
            raise SolverError(
                f"dry friction and joint limits of model '{robot.name}' did not converge in {SWEEPS} sweeps; use "
                "a smaller time step"
            )
    return y_dot


def hindered_dofs(robot: Model) -> NDArray[np.int64]:
    """Degrees of freedom of the spanning tree that have dry friction or limits."""
    c = robot.coordinates
    return np.flatnonzero((c.friction > 0.0) | np.isfinite(c.lower) | np.isfinite(c.upper))


def require_one_column(robot: Model) -> None:
    """Refuse friction and limits of joints that several independent coordinates move together.

    Raises:
        UnsupportedError: There is such a joint.
    """
    hindered, names = set(hindered_dofs(robot).tolist()), robot.spanning_tree.dof_names
    for loop in robot.loops:
        for place, dof in enumerate(loop.dofs.tolist()):
            if dof in hindered and not loop.constraint.moves_with_one(place):
                raise UnsupportedError(
                    f"joint '{names[dof]}' has dry friction or a position limit, and moves with "
                    f"several independent coordinates of {loop.name}; only joints that move with one may have them"
                )


def _bounds(robot: Model, motion: Motion, dofs: NDArray[np.int64], dt: float) -> tuple[Array, Array, Array]:
    """Low and high of ẏ and dt times its friction, (nv,) each; the narrowest where several joints ask."""
    c, friction = robot.coordinates, np.zeros(robot.nv)
    low, high = np.full(robot.nv, -np.inf), np.full(robot.nv, np.inf)
    positions = np.zeros(robot.spanning_tree.nv)
    positions[robot.spanning_tree.plain_v] = motion.q[robot.spanning_tree.plain_q]
    for dof in dofs:
        column = int(np.abs(motion.G[dof]).argmax())
        rate = motion.G[dof, column]
        friction[column] += dt * c.friction[dof] * abs(rate)
        if rate != 0.0:
            ends = (np.array([c.lower[dof], c.upper[dof]]) - positions[dof]) / (dt * rate)
            low[column], high[column] = max(low[column], ends.min()), min(high[column], ends.max())
    return low, high, friction
