"""The robot model for the dynamics. It does not change after it is built. A tree is a robot without loops.

A robot with loops has a spanning tree of joints, and constraints that close the loops. Its positions, velocities and
forces are the independent ones, x, ẏ and τ in formulas; those of the spanning tree are q, q̇ = G ẏ and q̈ = G ÿ + g.
Joints in no loop are independent, so that for a tree x is q and G is 1.

Indices are as in RaiSim. Links joined rigidly make one body. Every body has one joint, with the same index. Links fixed
to the world, if there are any, are body 0, without degrees of freedom. Each joint has a range of velocity coordinates
(degrees of freedom) and one of position coordinates. Every link has a frame of its own, fixed to its body; the name of
a joint is an alias of its child link's frame.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ipc_articulation.arguments import Wanted, checked, shown
from ipc_articulation.arrays import Array, Ints
from ipc_articulation.dynamics.loops.closure import Closure
from ipc_articulation.dynamics.loops.clusters import Loop
from ipc_articulation.dynamics.loops.constraint import LoopConstraint
from ipc_articulation.dynamics.loops.kinds import BAD, OPEN, SINGULAR
from ipc_articulation.dynamics.loops.motion import Motion, unrolled, vector
from ipc_articulation.dynamics.model import loop_positions
from ipc_articulation.dynamics.model.body import Body
from ipc_articulation.dynamics.model.coordinates import Coordinates
from ipc_articulation.dynamics.model.mimic import Followers
from ipc_articulation.dynamics.model.names import coordinate_names, find, find_coordinates, find_in_list
from ipc_articulation.dynamics.model.quaternions import other_coordinates, quaternion_coordinates
from ipc_articulation.dynamics.model.shapes_of_arrays import shapes_of_arrays
from ipc_articulation.errors import ModelError


def _are_loops(value: Any) -> bool:
    """Whether a value is a list of pairs: names of joints and the constraint on them."""
    return isinstance(value, list | tuple) and all(
        isinstance(pair, list | tuple)
        and len(pair) == 2
        and isinstance(pair[0], Collection)
        and all(isinstance(name, str) for name in pair[0])
        and isinstance(pair[1], LoopConstraint)
        for pair in value
    )


LOOPS = Wanted("a list of pairs (names of joints, LoopConstraint)", _are_loops)


@dataclass(frozen=True, eq=False)
class Model:
    """A robot in the form for compiled code. `Mechanism.build` makes it."""

    name: str
    gravity: Array  # (3,) [m/s²] in the world
    bodies: tuple[Body, ...]
    frame_names: tuple[str, ...]
    frame_body: Ints  # (nf,)
    frame_node: Ints  # (nf,) into tree, -1: the world
    frame_pose: Array  # (nf, 4, 4) in the node's frame
    body_node: Ints  # (nb,) into tree, -1: fixed to the world
    body_frame: Ints  # (nb,) frame of each body
    body_q: Ints  # (nb + 1,) first position coordinate of each joint in the spanning tree, and their number
    body_v: Ints  # (nb + 1,) first velocity coordinate of each joint in the spanning tree, and their number
    tree: NDArray  # (nodes,) records, see kernels/tree.py
    coordinates: Coordinates  # of the spanning tree
    followers: Followers
    aliases: MappingProxyType[str, int] = field(repr=False)  # names of frames and joints -> frame
    shapes: dict[str, tuple[int, ...]] = field(repr=False)  # shapes of algorithms' arguments and results
    closure: Closure = field(repr=False)  # the motion of the spanning tree with the robot
    loops: tuple[Loop, ...] = ()  # none: a tree
    defaults: dict[str, float] = field(
        default_factory=dict
    )  # by coordinate, in the order of an OpenSim file [rad or m]
    _tree: Model | None = field(default=None, repr=False)

    def __getstate__(self) -> dict[str, Any]:
        """For pickle, which does not know proxies."""
        return {**vars(self), "aliases": dict(self.aliases)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """What pickle read, read-only again."""
        vars(self).update(state, aliases=MappingProxyType(state["aliases"]))
        freeze(self)

    @property
    def nq(self) -> int:
        """Number of position coordinates."""
        return self.closure.nx

    @property
    def nv(self) -> int:
        """Number of velocity coordinates: degrees of freedom."""
        return self.closure.nv

    @property
    def spanning_tree(self) -> Model:
        """The model without its loops; for a tree, the model itself."""
        return self if self._tree is None else self._tree

    @checked(ModelError, loops=LOOPS)
    def with_loops(self, loops: Sequence[tuple[Sequence[str], LoopConstraint]]) -> Model:
        """The robot whose spanning tree this model is.

        Args:
            loops: Joint names and the constraint on their coordinates, in the constraint's order.

        Raises:
            ModelError: The model has loops already, or joints that mimic others; a joint is unknown, has a quaternion,
                or is in two loops; or the number of coordinates does not fit the constraint.
        """
        if self.loops:
            raise ModelError(f"model '{self.name}' has loops already; give all of them to its spanning tree at once")
        if loops and len(self.followers):
            name = self.dof_names[int(self.followers.dofs[0])]
            raise ModelError(
                f"joint '{name}' of model '{self.name}', which has loops, mimics another one; make it a gear, or read "
                "the file with read_robot"
            )
        members = [([self.joint(name) for name in names], constraint) for names, constraint in loops]
        closure = Closure(self.name, self.tree, self.closure.joints, members)
        shapes = shapes_of_arrays(closure.nx, closure.nv, len(self.bodies), len(self.frame_names))
        return replace(self, shapes=shapes, closure=closure, loops=closure.loops, _tree=self if loops else None)

    @cached_property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the bodies' joints, in the order of the bodies."""
        return tuple(body.joint_name for body in self.bodies)

    @cached_property
    def body_names(self) -> tuple[str, ...]:
        """Names of the bodies."""
        return tuple(body.name for body in self.bodies)

    @cached_property
    def dof_names(self) -> tuple[str, ...]:
        """A name for each velocity coordinate, (nv,): the joint's, with a number if it has several coordinates."""
        return coordinate_names(self.closure, "y")

    @cached_property
    def q_names(self) -> tuple[str, ...]:
        """A name for each position coordinate, (nq,)."""
        return coordinate_names(self.closure, "x")

    @property
    def mass(self) -> float:
        """Mass of all moving bodies [kg]."""
        return float(self.tree["mass"].sum())

    @property
    def neutral(self) -> Array:
        """The position with all joints at zero, (nq,); loops that do not close there are closed near it.

        Raises:
            StateError: A loop cannot be closed.
        """
        return self._neutral.copy() if self.loops else self.coordinates.neutral.copy()

    @property
    def start(self) -> Array:
        """`neutral`, but for the default values of an OpenSim file's coordinates, (nq,)."""
        return np.array([self.defaults.get(*pair) for pair in zip(self.q_names, self.neutral, strict=True)])

    @cached_property
    def _neutral(self) -> Array:
        return loop_positions.nearest_position(self.closure, self.coordinates.neutral)

    def frame(self, name: str | int) -> int:
        """Index of the frame of a link, joint or fixed frame; a valid index is returned unchanged.

        Raises:
            ModelError: There is no frame of that name or index.
        """
        if isinstance(name, str):
            return find(self.aliases, name, "frame", self.name)
        if not isinstance(name, int | np.integer) or not 0 <= name < len(self.frame_names):
            raise ModelError(f"model '{self.name}' has frames 0 to {len(self.frame_names) - 1}, not {shown(name)}")
        return int(name)

    def body(self, name: str) -> int:
        """Index of a link's body.

        Raises:
            ModelError: There is no link of that name.
        """
        links = {link: i for i, body in enumerate(self.bodies) for link in body.links}
        return find(links, name, "link", self.name)

    def joint(self, name: str) -> int:
        """Index of a moving joint, which is that of its body.

        Raises:
            ModelError: There is no moving joint of that name.
        """
        return find_in_list(self.joint_names, name, "joint", self.name)

    def dofs(self, joint: str) -> slice:
        """Range of a joint's velocity coordinates.

        Raises:
            ModelError: There is no moving joint of that name, or it is in a loop.
        """
        return find_coordinates(self.closure, joint, "y")

    def positions(self, joint: str) -> slice:
        """Range of a joint's position coordinates; errors are those of `dofs`."""
        return find_coordinates(self.closure, joint, "x")

    @cached_property
    def rotations(self) -> tuple[tuple[slice, slice], ...]:
        """Position and velocity coordinates of every quaternion, (4,) and (3,)."""
        return quaternion_coordinates(self.tree, self.closure)

    @cached_property
    def turning(self) -> Ints:
        """First position and first velocity coordinate of every quaternion, (k, 2)."""
        return np.array([(q.start, v.start) for q, v in self.rotations], dtype=np.int64).reshape(-1, 2)

    @cached_property
    def plain_q(self) -> Ints:
        """Position coordinates that belong to no quaternion."""
        return other_coordinates(self.nq, (q for q, _ in self.rotations))

    @cached_property
    def plain_v(self) -> Ints:
        """Velocity coordinates that belong to no quaternion; for a tree in the order of `plain_q`."""
        return other_coordinates(self.nv, (v for _, v in self.rotations))

    @cached_property
    def place(self) -> Ints:
        """Of a tree: position coordinate of each velocity, (nv,), -1 for those of a rotation."""
        place = np.full(self.nv, -1)
        place[self.plain_v] = self.plain_q
        return place

    def spanning(self, x: ArrayLike, check: bool = True) -> Array:
        """Positions of the spanning tree's joints: (..., nq) -> (..., spanning nq).

        Args:
            x: Positions of the robot.
            check: Refuse positions that do not close the loops.

        Raises:
            StateError: A wrong length, or a loop is open; the message has its gap.
        """
        if not self.loops:
            return np.array(vector(x, self.nq, "x"))
        return unrolled(self.closure, x, np.zeros(self.nv), BAD | OPEN if check else BAD).q

    def motion(self, x: ArrayLike, v: ArrayLike) -> Motion:
        """The motion of the spanning tree: position, velocity, G and g at x (..., nq) and v (..., nv).

        Raises:
            StateError: A wrong length, a number that is not finite, an open or singular loop.
        """
        return unrolled(self.closure, x, v, BAD | OPEN | SINGULAR)

    def closed(self, x: ArrayLike) -> Array:
        """The position with all loops closed and the same independent coordinates: (nq,) -> (nq,).

        Raises:
            StateError: A loop cannot be closed from here.
        """
        return loop_positions.closed(self.closure, x)

    def position(self, q: ArrayLike) -> Array:
        """The position of the robot whose independent coordinates are those of a spanning position: -> (nq,).

        Args:
            q: Position of the spanning tree, (spanning nq,); loops may be open.

        Raises:
            StateError: A wrong length, or a loop cannot be closed from there.
        """
        return loop_positions.position(self.closure, q)

    def G(self, x: ArrayLike) -> Array:
        """∂q̇/∂ẏ, (..., spanning nv, nv), read-only.

        Raises:
            StateError: A wrong length, or a loop is singular.
        """
        return unrolled(self.closure, x, np.zeros(self.nv), BAD | SINGULAR).G

    def g(self, x: ArrayLike, v: ArrayLike) -> Array:
        """Ġ ẏ, (..., spanning nv).

        Raises:
            StateError: A wrong length, or a loop is singular.
        """
        return unrolled(self.closure, x, v, BAD | SINGULAR).g

    def K(self, q: ArrayLike) -> Array:
        """∂φ/∂q of all loops, by velocities: (spanning nq,) -> (constraints, spanning nv)."""
        return loop_positions.constraint_jacobian(self.closure, q)

    def k(self, q: ArrayLike, q_dot: ArrayLike) -> Array:
        """-K̇ q̇ of all loops: (spanning nq,), (spanning nv,) -> (constraints,)."""
        return loop_positions.constraint_bias(self.closure, q, q_dot)


def freeze(model: Model) -> None:
    """Make the arrays of a model read-only."""
    for part in (model, model.coordinates, model.followers, *model.bodies):
        for value in vars(part).values():
            if isinstance(value, np.ndarray):
                value.setflags(write=False)
