"""A robot whose joints are related by loops: a tree that spans it, and the constraints that close it.

The spanning tree has positions q and velocities q̇. Loops leave independent velocities ẏ, with q̇ = G ẏ and q̈ = G ÿ + g;
coordinates that are in no loop are independent themselves. The position x of the robot is, in the same order, what each
loop keeps its position as, and q elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from math import isfinite
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ipc_articulation.dynamics.loops.clusters import Clusters, Loop, find_clusters
from ipc_articulation.dynamics.loops.constraint import LoopConstraint
from ipc_articulation.dynamics.loops.explicit import Static
from ipc_articulation.dynamics.loops.implicit import Implicit
from ipc_articulation.errors import ModelError, StateError

if TYPE_CHECKING:
    from ipc_articulation.dynamics.model.model import Model

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

MANIFOLD = 1e-6  # |φ| beyond which a position is refused


class Motion(NamedTuple):
    """Of a spanning tree with n velocities, m of them independent."""

    q: Array  # (nq,)
    v: Array  # (n,) q̇ = G ẏ
    G: Array  # (n, m)
    g: Array  # (n,) q̈ = G ÿ + g


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
        owner = _owners(model, loops)
        self.loops: list[Loop] = []
        self._free_q: list[int] = []
        self._free_x: list[int] = []
        self.free_dofs: list[int] = []
        self.free_y: list[int] = []
        nx = ny = 0
        placed: set[int] = set()
        for joint in range(len(model.bodies)):
            q, v = _span(model.body_q, joint), _span(model.body_v, joint)
            number = owner.get(model.joint_names[joint])
            if number is None:
                self._free_q += q
                self.free_dofs += v
                self._free_x += range(nx, nx + len(q))
                self.free_y += range(ny, ny + len(v))
                nx, ny = nx + len(q), ny + len(v)
            elif number not in placed:
                placed.add(number)
                names, constraint = loops[number]
                x, y = slice(nx, nx + constraint.position_size), slice(ny, ny + constraint.ndof)
                self.loops.append(_loop(model, names, constraint, x, y))
                nx, ny = x.stop, y.stop
        self.nx, self.nv = nx, ny
        self._Q, self._G = self._constant_parts()
        self._moving = [loop for loop in self.loops if not isinstance(loop.constraint, Static)]

    def _constant_parts(self) -> tuple[Array, Array]:
        """∂q/∂x and G where they are the same everywhere: free coordinates, gears and belts; zero elsewhere."""
        Q, G = np.zeros((self.model.nq, self.nx)), np.zeros((self.model.nv, self.nv))
        Q[self._free_q, self._free_x] = 1.0
        G[self.free_dofs, self.free_y] = 1.0
        for loop in self.loops:
            if isinstance(loop.constraint, Static):
                Q[loop.q, loop.x] = G[loop.dofs, loop.y] = loop.constraint.matrix
        for matrix in (Q, G):
            matrix.setflags(write=False)
        return Q, G

    def spanning(self, x: ArrayLike, check: bool = True) -> Array:
        """Spanning position q of a position: (nx,) -> (nq,).

        Args:
            x: Position of the robot.
            check: Refuse positions that do not close the loops.

        Raises:
            StateError: A wrong length, or a loop is open; says by how much.
        """
        return self._spanning(self.vector(x, self.nx, "x"), check)

    def _spanning(self, x: Array, check: bool) -> Array:
        q = self._Q @ x
        for loop in self._moving:
            part = loop.constraint.spanning(x[loop.x])
            q[loop.q] = part
            if check and isinstance(loop.constraint, Implicit):
                gap = np.abs(loop.constraint.phi(part)).max()
                if not gap <= MANIFOLD:
                    raise StateError(f"{loop.name} is open: |φ| = {gap:.6g}; close it with LoopModel.closed")
        return q

    def motion(self, x: ArrayLike, y_dot: ArrayLike) -> Motion:
        """What the spanning tree does: position, velocity, G and g at x (nx,) and ẏ (nv,).

        Raises:
            StateError: A wrong length, a number that is not finite, an open or singular loop.
        """
        x, y_dot = self.vector(x, self.nx, "x"), self.vector(y_dot, self.nv, "velocity")
        G = self._tangent(x)
        return Motion(self._spanning(x, check=True), G @ y_dot, G, self._drift(x, y_dot))

    def closed(self, x: ArrayLike) -> Array:
        """The position with all loops closed, their independent coordinates kept: (nx,) -> (nx,).

        Raises:
            StateError: A loop cannot be closed from here.
        """
        x = self.vector(x, self.nx, "x").copy()
        for loop in self.loops:
            if isinstance(loop.constraint, Implicit):
                x[loop.x] = self._ask(loop, loop.constraint.closed, x[loop.x])
        return x

    def G(self, x: ArrayLike) -> Array:
        """∂q̇/∂ẏ, (spanning nv, nv), not to be written to.

        Raises:
            StateError: A loop is singular.
        """
        return self._tangent(self.vector(x, self.nx, "x"))

    def _tangent(self, x: Array) -> Array:
        if not self._moving:
            return self._G
        G = self._G.copy()
        for loop in self._moving:
            G[loop.dofs, loop.y] = self._ask(loop, loop.constraint.G, x[loop.x])
        return G

    def g(self, x: ArrayLike, y_dot: ArrayLike) -> Array:
        """Ġ ẏ, (spanning nv,).

        Raises:
            StateError: A loop is singular.
        """
        return self._drift(self.vector(x, self.nx, "x"), self.vector(y_dot, self.nv, "velocity"))

    def _drift(self, x: Array, y_dot: Array) -> Array:
        g = np.zeros(self.model.nv)
        for loop in self._moving:
            g[loop.dofs] = self._ask(loop, loop.constraint.g, x[loop.x], y_dot[loop.y])
        return g

    def K(self, q: ArrayLike) -> Array:
        """All loops' ∂φ/∂q, by velocities, (constraints, spanning nv)."""
        q = np.asarray(q, dtype=float)
        rows = [np.zeros((0, self.model.nv))]
        for loop in self.loops:
            block = np.zeros((loop.constraint.size - loop.constraint.ndof, self.model.nv))
            block[:, loop.dofs] = loop.constraint.K(q[loop.q])
            rows.append(block)
        return np.concatenate(rows)

    def k(self, q: ArrayLike, q_dot: ArrayLike) -> Array:
        """All loops' -K̇ q̇, (constraints,)."""
        q, v = np.asarray(q, dtype=float), np.asarray(q_dot, dtype=float)
        return np.concatenate([np.zeros(0), *(loop.constraint.k(q[loop.q], v[loop.dofs]) for loop in self.loops)])

    def integrate(self, x: ArrayLike, y_dot: ArrayLike, dt: float = 1.0) -> Array:
        """The position after moving with constant independent velocities for dt [s], loops closed: -> (nx,).

        Raises:
            StateError: A loop cannot be closed.
        """
        from ipc_articulation.dynamics.algorithms.manifold import integrate

        x, y_dot = self.vector(x, self.nx, "x"), self.vector(y_dot, self.nv, "velocity")
        v = np.zeros(self.model.nv)
        v[self.free_dofs] = y_dot[self.free_y]
        end = np.empty(self.nx)
        end[self._free_x] = integrate(self.model, self.spanning(x, check=False), v, dt)[self._free_q]
        for loop in self.loops:
            end[loop.x] = self._ask(loop, loop.constraint.integrate, x[loop.x], y_dot[loop.y], dt)
        return end

    def random_position(self, rng: np.random.Generator) -> Array:
        """A position with all loops closed.

        Raises:
            StateError: None was found for a loop.
        """
        from ipc_articulation.dynamics.algorithms.manifold import random_position

        q, x = random_position(self.model, rng), np.empty(self.nx)
        x[self._free_x] = q[self._free_q]
        for loop in self.loops:
            if isinstance(loop.constraint, Implicit):
                x[loop.x] = self._ask(loop, loop.constraint.random, rng)
            else:
                x[loop.x] = rng.uniform(-1.0, 1.0, loop.constraint.position_size)
        return x

    @staticmethod
    def _ask(loop: Loop, function: Callable[..., Array], *arguments: Any) -> Array:
        """A constraint's answer; its errors name the loop."""
        try:
            return function(*arguments)
        except StateError as error:
            raise StateError(f"{loop.name}: {error}") from error

    @cached_property
    def clusters(self) -> Clusters:
        """The nodes of the tree by clusters, found from the loops."""
        return find_clusters(self.model, self.loops, self.free_dofs, self.free_y)

    @staticmethod
    def vector(value: ArrayLike, count: int, what: str) -> Array:
        """Numbers from a user, (count,).

        Raises:
            StateError: Another number of numbers, or one that is not finite.
        """
        x = np.ascontiguousarray(value, dtype=float)
        if x.shape != (count,):
            raise StateError(f"{what} has shape {x.shape}; give ({count},)")
        if not isfinite(x.dot(x)) and not np.isfinite(x).all():  # the product is quick, but may overflow
            raise StateError(f"{what} must be finite; it is {x.tolist()}")
        return x


def _span(starts: Indices, joint: int) -> list[int]:
    return list(range(int(starts[joint]), int(starts[joint + 1])))


def _owners(model: Model, loops: Sequence[tuple[Sequence[str], LoopConstraint]]) -> dict[str, int]:
    """Of each joint in a loop, which."""
    owner: dict[str, int] = {}
    for number, (names, constraint) in enumerate(loops):
        what = _name(names)
        if len(names) != constraint.size:
            raise ModelError(f"{what}: the constraint is on {constraint.size} joints, not {len(names)}")
        for name in names:
            index = model.joint(name)
            if model.body_v[index + 1] - model.body_v[index] != 1:
                raise ModelError(f"{what}: joint '{name}' must have one degree of freedom")
            if name in owner:
                raise ModelError(f"joint '{name}' is in two loops; make them one constraint")
            owner[name] = number
    return owner


def _loop(model: Model, names: Sequence[str], constraint: LoopConstraint, x: slice, y: slice) -> Loop:
    dofs = np.array([model.dofs(name).start for name in names], dtype=np.int64)
    positions = np.array([model.positions(name).start for name in names], dtype=np.int64)
    return Loop(_name(names), constraint, dofs, positions, x, y)


def _name(names: Sequence[str]) -> str:
    return "the loop of joints " + ", ".join(f"'{name}'" for name in names)
