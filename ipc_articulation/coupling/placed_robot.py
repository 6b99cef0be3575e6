"""A robot in a scene: its bodies and its articulation there, and where they are at present."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ipc_articulation import affine
from ipc_articulation.arrays import Array
from ipc_articulation.coupling.adapter import CoupledBody, CoupledRobot, HalfPlane
from ipc_articulation.coupling.bodies import WORLD, PlacedBodies
from ipc_articulation.coupling.kinds import freedom_names
from ipc_articulation.coupling.lowering.placed import PlacedChains
from ipc_articulation.frontend.attributes import require


@dataclass(frozen=True)
class PlacedRobot:
    """A robot, n links with m freedoms, and what stands for it in a scene."""

    robot: CoupledRobot  # the multibody engine's description, completed
    bodies: PlacedBodies  # made from it
    articulation: Any  # geometry slot of the constraint over all joints and tied joints; None without joints
    chains: PlacedChains | None  # what stands for its ball and free joints; None: they do themselves
    own_free: tuple[CoupledBody, ...]  # the multibody engine's; `complete` may have added others after them
    shared_planes: tuple[tuple[HalfPlane, Any], ...] = ()  # with their slots, those that another robot has placed

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
        return [slot for body, slot in zip(self.own_free, self._own_slots, strict=True) if body.driven]

    @cached_property
    def jointed(self) -> list[int]:
        """Numbers of the links with a joint of the articulation."""
        ends = {link for joint in self.robot.articulated_joints for link in (joint.parent, joint.child)}
        return sorted(ends - {-1})

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
        m = len(self.joint_names)  # tied joints come after the others
        delta = np.array(self.articulation.geometry()["joint"].find("delta_theta").view())
        return delta[:m] if self.chains is None else self.chains.raised(delta, coordinates(self.bodies.links))

    @property
    def free_motion(self) -> tuple[Array, Array]:
        """Coordinates and velocities of the multibody engine's free bodies, (f, 12) each."""
        return coordinates(self._own_slots), velocities(self._own_slots)

    @property
    def body_poses(self) -> Array:
        """Transforms of the links and then of the free bodies, (n + f, 4, 4)."""
        return affine.transform_from_q(coordinates(self.bodies.links + self.bodies.free))

    def moved(self, link_poses: Array, q: Array | None = None) -> Array:
        """Coordinates of the links less those of poses (n, 4, 4), (n, 12).

        Args:
            link_poses: The poses.
            q: Coordinates of the links, (n, 12); None: those of the scene.
        """
        return (coordinates(self.bodies.links) if q is None else q) - affine.q_from_transform(link_poses)

    @property
    def _own_slots(self) -> tuple[Any, ...]:
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
