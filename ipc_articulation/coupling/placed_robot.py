"""A robot in a scene: its bodies and its articulation there, and where they are at present."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import uipc

from ipc_articulation import affine
from ipc_articulation.arrays import Array, Ints
from ipc_articulation.coupling.adapter import CoupledBody, CoupledJoint, CoupledRobot, HalfPlane
from ipc_articulation.coupling.bodies import WORLD, PlacedBodies
from ipc_articulation.coupling.constraint import ExternalArticulationConstraint
from ipc_articulation.coupling.kinds import freedom_names
from ipc_articulation.coupling.lowering.placed import PlacedChains
from ipc_articulation.frontend.attributes import require


@dataclass(frozen=True)
class PlacedRobot:
    """A robot, n links with m freedoms, and what stands for it in a scene."""

    robot: CoupledRobot  # the multibody engine's description, completed
    bodies: PlacedBodies  # made from it
    carrier: Any  # the object of its articulation
    articulation: Any  # geometry slot of the constraint over all joints and tied joints; None without joints
    chains: PlacedChains | None  # what stands for its ball and free joints; None: they do themselves
    own_free: tuple[CoupledBody, ...]  # the multibody engine's; `complete` may have added others after them
    shared_planes: tuple[tuple[HalfPlane, Any], ...] = ()  # with their slots, those that another robot has placed
    label: str = ""  # what the names of its objects begin with

    @cached_property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the freedoms, (m,)."""
        return freedom_names(self.robot.joints)

    @cached_property
    def link_names(self) -> tuple[str, ...]:
        """Names of the links, (n,)."""
        return tuple(link.name for link in self.robot.links)

    @property
    def planes(self) -> tuple[tuple[HalfPlane, Any], ...]:
        """All half-planes that it may touch, with their geometry slots."""
        return (*zip(self.robot.planes, self.bodies.planes, strict=True), *self.shared_planes)

    @property
    def link_ids(self) -> frozenset[int]:
        """Ids of the links' geometries."""
        return frozenset(slot.id() for slot in self.bodies.links)

    @property
    def named_slots(self) -> list[tuple[str, Any]]:
        """Names and geometry slots of the links, then of the free bodies."""
        bodies, slots = (*self.robot.links, *self.robot.free), (*self.bodies.links, *self.bodies.free)
        return [(body.name, slot) for body, slot in zip(bodies, slots, strict=True)]

    @property
    def holding(self) -> dict[str, Any]:
        """Geometry slots of what parts are attached to, by name."""
        return dict(zip(self.link_names, self.bodies.links, strict=True)) | {WORLD: self.bodies.world}

    @cached_property
    def driven(self) -> list[Any]:
        """Geometry slots of the multibody engine's free bodies that follow an aim."""
        return [slot for body, slot in zip(self.own_free, self.own_slots, strict=True) if body.driven]

    @property
    def articulated(self) -> Sequence[CoupledJoint]:
        """The joints of the articulation: joints and tied joints, or those of its chains."""
        return self.robot.articulated_joints if self.chains is None else self.chains.articulated

    @property
    def articulated_names(self) -> list[str]:
        """Their names in messages."""
        return [f"{self.label}joint '{joint.name}'" for joint in self.articulated]

    def constraint(self, scene: uipc.Scene) -> ExternalArticulationConstraint | None:
        """The constraint of the articulation in the scene; None without joints."""
        if self.articulation is None:
            return None
        return ExternalArticulationConstraint.from_geometry(self.articulation.geometry(), scene, self.articulated_names)

    @cached_property
    def jointed(self) -> Ints:
        """Numbers of the bodies with a joint of the articulation: of links, then of ghosts, (k,)."""
        ends = {body for joint in self.articulated for body in (joint.parent, joint.child)}
        return np.array(sorted(ends - {-1}), dtype=np.int64)

    @cached_property
    def jointed_slots(self) -> list[Any]:
        """Their geometry slots."""
        slots = self.bodies.links if self.chains is None else self.chains.slots
        return [slots[body] for body in self.jointed]

    @cached_property
    def joined(self) -> list[tuple[int, int]]:
        """Ids of the bodies of each of the robot's joints in the scene, those of its chains included."""
        chains, world = self.chains, self.bodies.world
        joints = self.robot.all_joints if chains is None else chains.joints
        ids = [slot.id() for slot in (*(self.bodies.links if chains is None else chains.slots), world)]
        return [(ids[joint.parent], ids[joint.child]) for joint in joints]  # parent -1 is the world

    @property
    def delta_theta(self) -> Array:
        """δθ of the step that the world has taken, (m,) [rad or m]."""
        if self.articulation is None:
            return np.zeros(0)
        delta = np.array(self.articulation.geometry()["joint"].find("delta_theta").view())
        return self.own_freedoms(delta, coordinates(self.bodies.links))

    def own_freedoms(self, delta: Array, q: Array) -> Array:
        """δθ of the robot's own freedoms, (m,) [rad or m].

        Args:
            delta: That of the articulation's, (f,); tied joints come after the others.
            q: Coordinates of the links, (n, 12); more may follow.
        """
        return delta[: len(self.joint_names)] if self.chains is None else self.chains.raised(delta, q)

    @property
    def free_motion(self) -> tuple[Array, Array]:
        """Coordinates and velocities of the multibody engine's free bodies, (f, 12) each."""
        return coordinates(self.own_slots), velocities(self.own_slots)

    @property
    def body_poses(self) -> Array:
        """Transforms of the links and then of the free bodies, (n + f, 4, 4)."""
        return affine.transform_from_q(coordinates(self.bodies.links + self.bodies.free))

    @property
    def own_slots(self) -> tuple[Any, ...]:
        """Geometry slots of the multibody engine's free bodies."""
        return self.bodies.free[: len(self.own_free)]


def coordinates(slots: tuple[Any, ...]) -> Array:
    """Present coordinates of the bodies' geometries, (n, 12)."""
    transforms = [require(slot.geometry().instances(), "transform", "body")[0] for slot in slots]
    return affine.q_from_transform(np.reshape(transforms, (-1, 4, 4)))


def velocities(slots: tuple[Any, ...]) -> Array:
    """Present velocities of the free bodies' geometries, (n, 12)."""
    rates = [require(slot.geometry().instances(), "velocity", "free body")[0] for slot in slots]
    return affine.qdot_from_transform_rate(np.reshape(rates, (-1, 4, 4)))


def largest_displacement(link: CoupledBody, dq: Array) -> float:
    """That of a link's surface, or of its origin if it has none, where its coordinates change by dq (12,) [m]."""
    points = np.zeros((1, 3)) if link.mesh is None else link.mesh.vertices
    return float(np.linalg.norm(affine.world_points(dq, points), axis=-1).max())
