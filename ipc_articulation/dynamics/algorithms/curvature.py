"""The curvature of a robot's loops: γ'' and γ''' of the spanning position q(y), where q̇ = G ẏ and G = γ'.

The acceleration at ÿ = 0 is quadratic in ẏ, g(y, ẏ) = γ''[ẏ, ẏ], so that γ'' is exact by polarisation,

    γ''[u, w] = (g(u + w) - g(u - w))/4,

and γ'''[ẏ, ẏ, w] is the derivative of g along w at constant ẏ, by differences of eighth order. Their error is mostly
rounding: relative to the largest entry it is commonly 1e-11, and up to 1e-7 for linkages of millimetres or near a
singular position (G up to 30). At the knots of splines the result is the mean of both sides. g is also defined off the
manifold, so that x may move along its tangent. Loops are independent of each other, so one evaluation of g gives one
direction of each. Loops with constant G have no curvature.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.dynamics.loops.clusters import Loop
from ipc_articulation.dynamics.loops.explicit import Affine, Explicit
from ipc_articulation.dynamics.loops.motion import over
from ipc_articulation.dynamics.model.model import Model

WEIGHTS = (4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0)  # for f(h) - f(-h), f(2h) - f(-2h), ...
STEP = 2e-4  # displacement of the fastest coordinate of a loop [rad or m]


def G_rate(model: Model, x: Array, y_dot: Array) -> Array:
    """Ġ of a robot: (..., nq), (..., nv) -> (..., spanning nv, nv).

    Raises:
        StateError: A loop is singular.
    """
    shape = model.spanning_tree.nv, model.nv
    return over(lambda at, rate: Curvature(model, at).along(rate), x, y_dot, shape=shape)


class Curvature:
    """γ'' and γ''' at a position.

    Args:
        robot: The robot.
        x: Position, (nq,).

    Raises:
        StateError: A loop is singular.
    """

    def __init__(self, robot: Model, x: Array) -> None:
        self._robot, self._x = robot, x
        self._loops = [loop for loop in robot.loops if not isinstance(loop.constraint, Affine)]
        count = max((loop.constraint.ndof for loop in self._loops), default=0)
        self._directions = np.zeros((count, robot.nv))  # row r has a one at the r-th independent velocity of each loop
        for loop in self._loops:
            self._directions[: loop.constraint.ndof, loop.y] = np.eye(loop.constraint.ndof)
        self._second = self._polarised()

    def _polarised(self) -> Array:
        """γ'' for each pair of directions, (count, count, spanning nv)."""
        e, x, g = self._directions, self._x, self._robot.g
        second = np.empty((len(e), len(e), self._robot.spanning_tree.nv))
        for r in range(len(e)):
            for s in range(r + 1):
                second[r, s] = second[s, r] = (g(x, e[r] + e[s]) - g(x, e[r] - e[s])) / 4.0
        return second

    def along(self, u: Array) -> Array:
        """γ''[u, ·], the derivative of G u by the position: (nv,) -> (spanning nv, nv)."""
        result = np.zeros((self._robot.spanning_tree.nv, self._robot.nv))
        for loop in self._loops:
            result[loop.dofs, loop.y] = np.tensordot(u[loop.y], self._of(loop), 1).T
        return result

    def weighted(self, forces: Array) -> Array:
        """Σ f_k γ''_k, the derivative of Gᵀ f by the position: (spanning nv,) -> (nv, nv), symmetric."""
        result = np.zeros((self._robot.nv, self._robot.nv))
        for loop in self._loops:
            result[loop.y, loop.y] = self._of(loop) @ forces[loop.dofs]
        return result

    def third(self, y_dot: Array) -> Array:
        """γ'''[ẏ, ẏ, ·], the derivative of g by the position: (nv,) -> (spanning nv, nv)."""
        result, tangents = np.zeros((self._robot.spanning_tree.nv, self._robot.nv)), self._tangents()
        for r in range(len(self._directions)):
            steps, move = np.ones(self._robot.spanning_tree.nv), np.zeros(self._robot.nq)
            for loop, tangent, step in tangents:
                if r < loop.constraint.ndof:
                    move[loop.x], steps[loop.dofs] = step * tangent[:, r], step
            change = self._difference(move, y_dot) / steps
            for loop in self._loops:
                if r < loop.constraint.ndof:
                    result[loop.dofs, loop.y.start + r] = change[loop.dofs]
        return result

    def _tangents(self) -> list[tuple[Loop, Array, float]]:
        """The loops, each with ∂x/∂y (position_size, m) and the step of y [rad or m]."""
        G, result = self._robot.G(self._x), list[tuple[Loop, Array, float]]()
        for loop in self._loops:
            block = G[loop.dofs, loop.y]
            tangent = np.eye(loop.constraint.ndof) if isinstance(loop.constraint, Explicit) else block
            result.append((loop, tangent, STEP / max(1.0, float(np.abs(block).max()))))
        return result

    def _difference(self, move: Array, y_dot: Array) -> Array:
        """The change of g along a displacement of x, by differences of eighth order."""
        x, g = self._x, self._robot.g
        pairs = (g(x + n * move, y_dot) - g(x - n * move, y_dot) for n in range(1, 5))
        return np.asarray(sum(weight * pair for weight, pair in zip(WEIGHTS, pairs, strict=True)), dtype=float)

    def _of(self, loop: Loop) -> Array:
        """γ'' of a loop, (m, m, n)."""
        m = loop.constraint.ndof
        return self._second[:m, :m, loop.dofs]
