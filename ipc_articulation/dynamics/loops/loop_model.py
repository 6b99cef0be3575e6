"""A robot whose joints are related by loops: a tree that spans it, and the constraints that close it.

The spanning tree has positions q and velocities q̇. Loops leave independent velocities ẏ, with q̇ = G ẏ and q̈ = G ÿ + g;
coordinates that are in no loop are independent themselves. The position x of the robot is, in the same order, what each
loop keeps its position as, and q elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from math import isfinite
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ipc_articulation.dynamics.arguments import finite_number, numbers
from ipc_articulation.dynamics.loops.clusters import Clusters, Loop, find_clusters
from ipc_articulation.dynamics.loops.constraint import Array, LoopConstraint
from ipc_articulation.dynamics.loops.implicit import Implicit
from ipc_articulation.dynamics.loops.layout import laid_out
from ipc_articulation.dynamics.loops.motion import Motion, ask, unrolled
from ipc_articulation.dynamics.loops.program import Records, program_of, records_of
from ipc_articulation.dynamics.loops.unroll import BAD, OPEN, SINGULAR
from ipc_articulation.errors import StateError

if TYPE_CHECKING:
    from ipc_articulation.dynamics.model.model import Model


class LoopModel:
    """A model with loops.

    Args:
        model: The spanning tree.
        loops: Joint names and the constraint on them, in the constraint's order.

    Raises:
        ModelError: A joint is unknown, has not one degree of freedom, or is in two loops; or their number does not fit.
    """

    def __init__(self, model: Model, loops: Sequence[tuple[Sequence[str], LoopConstraint]]) -> None:
        self.model = model
        layout = laid_out(model, loops)
        self.loops: list[Loop] = layout.loops
        self.nx, self.nv = layout.nx, layout.nv
        self.free_q = [i for joint in layout.free for i in joint.q]
        self.free_x = [i for joint in layout.free for i in joint.x]
        self.free_dofs = [i for joint in layout.free for i in joint.dofs]
        self.free_y = [i for joint in layout.free for i in joint.y]
        self.program = program_of(self.loops, layout.free, model.nv)

    def spanning(self, x: ArrayLike, check: bool = True) -> Array:
        """Spanning position q of a position: (nx,) -> (nq,).

        Args:
            x: Position of the robot.
            check: Refuse positions that do not close the loops.

        Raises:
            StateError: A wrong length, or a loop is open; says by how much.
        """
        return unrolled(self, x, np.zeros(self.nv), BAD | OPEN if check else BAD).q

    def motion(self, x: ArrayLike, y_dot: ArrayLike) -> Motion:
        """What the spanning tree does: position, velocity, G and g at x (nx,) and ẏ (nv,); G is not to be written to.

        Raises:
            StateError: A wrong length, a number that is not finite, an open or singular loop.
        """
        return unrolled(self, x, y_dot, BAD | OPEN | SINGULAR)

    def closed(self, x: ArrayLike) -> Array:
        """The position with all loops closed, their independent coordinates kept: (nx,) -> (nx,).

        Raises:
            StateError: A loop cannot be closed from here.
        """
        x = self.vector(x, self.nx, "x").copy()
        for loop in self.loops:
            if isinstance(loop.constraint, Implicit):
                x[loop.x] = ask(loop, loop.constraint.closed, x[loop.x])
        return x

    def G(self, x: ArrayLike) -> Array:
        """∂q̇/∂ẏ, (spanning nv, nv), not to be written to.

        Raises:
            StateError: A wrong length, or a loop is singular.
        """
        return unrolled(self, x, np.zeros(self.nv), BAD | SINGULAR).G

    def g(self, x: ArrayLike, y_dot: ArrayLike) -> Array:
        """Ġ ẏ, (spanning nv,).

        Raises:
            StateError: A wrong length, or a loop is singular.
        """
        return unrolled(self, x, y_dot, BAD | SINGULAR).g

    def K(self, q: ArrayLike) -> Array:
        """All loops' ∂φ/∂q, by velocities, (constraints, spanning nv)."""
        q = self.vector(q, self.model.nq, "q")
        rows = [np.zeros((0, self.model.nv))]
        for loop in self.loops:
            block = np.zeros((loop.constraint.size - loop.constraint.ndof, self.model.nv))
            block[:, loop.dofs] = loop.constraint.K(q[loop.q])
            rows.append(block)
        return np.concatenate(rows)

    def k(self, q: ArrayLike, q_dot: ArrayLike) -> Array:
        """All loops' -K̇ q̇, (constraints,)."""
        q, v = self.vector(q, self.model.nq, "q"), self.vector(q_dot, self.model.nv, "q_dot")
        return np.concatenate([np.zeros(0), *(loop.constraint.k(q[loop.q], v[loop.dofs]) for loop in self.loops)])

    def integrate(self, x: ArrayLike, y_dot: ArrayLike, dt: float = 1.0) -> Array:
        """The position after moving with constant independent velocities for dt [s], loops closed: -> (nx,).

        Raises:
            StateError: A loop cannot be closed.
        """
        from ipc_articulation.dynamics.algorithms.manifold import integrate

        dt = finite_number("dt", dt)
        x, y_dot = self.vector(x, self.nx, "x"), self.vector(y_dot, self.nv, "velocity")
        v = np.zeros(self.model.nv)
        v[self.free_dofs] = y_dot[self.free_y]
        end = np.empty(self.nx)
        end[self.free_x] = integrate(self.model, self.spanning(x, check=False), v, dt)[self.free_q]
        for loop in self.loops:
            end[loop.x] = ask(loop, loop.constraint.integrate, x[loop.x], y_dot[loop.y], dt)
        return end

    def random_position(self, rng: np.random.Generator) -> Array:
        """A position with all loops closed.

        Raises:
            StateError: None was found for a loop.
        """
        from ipc_articulation.dynamics.algorithms.manifold import random_position

        q, x = random_position(self.model, rng), np.empty(self.nx)
        x[self.free_x] = q[self.free_q]
        for loop in self.loops:
            if isinstance(loop.constraint, Implicit):
                x[loop.x] = ask(loop, loop.constraint.random, rng)
            else:
                x[loop.x] = rng.uniform(-1.0, 1.0, loop.constraint.position_size)
        return x

    @cached_property
    def clusters(self) -> Clusters:
        """The nodes of the tree by clusters, found from the loops."""
        return find_clusters(self.model, self.loops, self.free_dofs, self.free_y)

    @cached_property
    def records(self) -> Records:
        """All of the robot as compiled code reads it."""
        return records_of(self.model.tree, self.program, self.clusters)

    @staticmethod
    def vector(value: ArrayLike, count: int, what: str) -> Array:
        """Numbers from a user, (count,).

        Raises:
            StateError: Another number of numbers, or one that is not finite.
        """
        x = np.ascontiguousarray(numbers(what, value))
        if x.shape != (count,):
            raise StateError(f"{what} has shape {x.shape}; give ({count},)")
        if not isfinite(x.dot(x)) and not np.isfinite(x).all():  # the product is quick, but may overflow
            raise StateError(f"{what} must be finite; it is {x.tolist()}")
        return x
