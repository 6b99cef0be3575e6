"""A robot as the dynamics sees it, fixed once built: state goes in, results come out.

Indices are RaiSim's. Links joined rigidly make one body, and every body hangs by one joint, so a body and its joint
share an index; links fixed to the world are body 0, without degrees of freedom. Each joint has a range of velocity
coordinates (degrees of freedom) and one of position coordinates. Every link keeps a frame of its own, fixed to its
body; a joint's name finds its child link's frame too.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from ipc_articulation.dynamics.algorithms.tree import ROTATION
from ipc_articulation.dynamics.joints import Joint
from ipc_articulation.dynamics.model.coordinates import Coordinates
from ipc_articulation.dynamics.model.mimic import Followers
from ipc_articulation.dynamics.model.shapes import Shape
from ipc_articulation.errors import ModelError
from ipc_articulation.naming import suggest

Array = NDArray[np.float64]
Indices = NDArray[np.int64]


@dataclass(frozen=True)
class Body:
    """What moves as one."""

    name: str  # of the link that its joint moves
    joint_name: str
    joint: Joint
    parent: int  # body, or -1
    links: tuple[str, ...]  # joined rigidly
    mass: float  # [kg]
    centre: Array  # (3,) centre of mass in the body's frame [m]
    inertia: Array  # (3, 3) about the centre [kg·m²]
    collision: tuple[Shape, ...]  # placed in the body's frame
    visual: tuple[Shape, ...]


@dataclass(frozen=True, eq=False)
class Model:
    """Links and joints, compiled. Make one with `Mechanism.build`."""

    name: str
    gravity: Array  # (3,) [m/s²] in the world
    bodies: tuple[Body, ...]
    frame_names: tuple[str, ...]
    frame_body: Indices  # (nf,)
    frame_node: Indices  # (nf,) into tree, -1: the world
    frame_pose: Array  # (nf, 4, 4) in the node's frame
    body_node: Indices  # (nb,) into tree, -1: fixed to the world
    body_frame: Indices  # (nb,) frame of each body
    body_q: Indices  # (nb + 1,) first position coordinate of each joint, and nq
    body_v: Indices  # (nb + 1,) first velocity coordinate of each joint, and nv
    tree: NDArray  # (nodes,) records, see tree.py
    coordinates: Coordinates
    followers: Followers
    aliases: MappingProxyType[str, int] = field(repr=False)  # names of frames and joints -> frame
    shapes: dict[str, tuple[int, ...]] = field(repr=False)  # of the arrays that algorithms take and give

    @property
    def nq(self) -> int:
        """Number of position coordinates."""
        return int(self.body_q[-1])

    @property
    def nv(self) -> int:
        """Number of velocity coordinates: degrees of freedom."""
        return int(self.body_v[-1])

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
        """A name for each velocity coordinate, (nv,): the joint's, with a number where it has several."""
        return tuple(
            body.joint_name if body.joint.ndof == 1 else f"{body.joint_name}[{k}]"
            for body in self.bodies
            for k in range(body.joint.ndof)
        )

    @cached_property
    def q_names(self) -> tuple[str, ...]:
        """A name for each position coordinate, (nq,)."""
        return tuple(
            body.joint_name if body.joint.nq == 1 else f"{body.joint_name}[{k}]"
            for body in self.bodies
            for k in range(body.joint.nq)
        )

    @property
    def mass(self) -> float:
        """Mass of all that moves [kg]."""
        return float(self.tree["mass"].sum())

    @property
    def neutral(self) -> Array:
        """The position at which all joints are at zero, (nq,)."""
        return self.coordinates.neutral.copy()

    def frame(self, name: str | int) -> int:
        """Index of the frame of a link, joint or fixed frame; an index stays what it is.

        Raises:
            ModelError: There is none of that name or index.
        """
        if isinstance(name, str):
            return self._find(self.aliases, name, "frame")
        if not isinstance(name, int | np.integer) or not 0 <= name < len(self.frame_names):
            raise ModelError(f"model '{self.name}' has frames 0 to {len(self.frame_names) - 1}, not {name!r:.80}")
        return int(name)

    def body(self, name: str) -> int:
        """Index of the body that a link belongs to.

        Raises:
            ModelError: There is no link of that name.
        """
        links = {link: i for i, body in enumerate(self.bodies) for link in body.links}
        return self._find(links, name, "link")

    def joint(self, name: str) -> int:
        """Index of a moving joint, which is its body's.

        Raises:
            ModelError: There is no moving joint of that name.
        """
        return self._find({name: i for i, name in enumerate(self.joint_names)}, name, "joint")

    def dofs(self, joint: str) -> slice:
        """Range of a joint's velocity coordinates."""
        i = self.joint(joint)
        return slice(int(self.body_v[i]), int(self.body_v[i + 1]))

    def positions(self, joint: str) -> slice:
        """Range of a joint's position coordinates."""
        i = self.joint(joint)
        return slice(int(self.body_q[i]), int(self.body_q[i + 1]))

    def _find(self, known: dict | MappingProxyType, name: str, what: str) -> int:
        if name not in known:
            raise ModelError(f"model '{self.name}' has no {what} '{name}'{suggest(name, known)}")
        return int(known[name])

    @cached_property
    def rotations(self) -> tuple[tuple[slice, slice], ...]:
        """Position and velocity coordinates of every quaternion, (4,) and (3,)."""
        nodes = self.tree[self.tree["kind"] == ROTATION]
        return tuple((slice(q, q + 4), slice(v, v + 3)) for q, v in zip(nodes["q"], nodes["v"], strict=True))

    @cached_property
    def plain_q(self) -> Indices:
        """Position coordinates that are no quaternion's."""
        taken = [np.arange(self.nq)[q] for q, _ in self.rotations]
        return np.setdiff1d(np.arange(self.nq), np.concatenate([np.zeros(0, np.int64), *taken]))

    @cached_property
    def plain_v(self) -> Indices:
        """Velocity coordinates of the same, in the same order."""
        taken = [np.arange(self.nv)[v] for _, v in self.rotations]
        return np.setdiff1d(np.arange(self.nv), np.concatenate([np.zeros(0, np.int64), *taken]))
