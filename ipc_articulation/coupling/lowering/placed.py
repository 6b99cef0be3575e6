"""The chains of a robot in a scene: what the coupling writes for them in each step, and reads back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import uipc

from ipc_articulation import affine
from ipc_articulation.arrays import Array
from ipc_articulation.coupling.adapter import CoupledRobot
from ipc_articulation.coupling.bodies import Elements, PlacedBodies
from ipc_articulation.coupling.lowering.chain import LOWERED
from ipc_articulation.coupling.lowering.lowering import LoweredStep, Lowering
from ipc_articulation.coupling.lowering.placing import place_chain_joints, place_ghosts, pull
from ipc_articulation.coupling.stiffness import Stiffness, robot_size

HOLD_RATIO = 1e4  # S of pins and holds in units of the robot's largest inertia; M̂ makes up for it, see `lowering`


class PlacedChains:
    """The chains of one robot, with the slots of its bodies and ghosts."""

    def __init__(self, lowering: Lowering, slots: tuple[Any, ...], places: list[tuple[Any, int]]) -> None:
        """Take the chains.

        Args:
            lowering: The chains.
            slots: Geometry slots of the links, then of the ghosts.
            places: Geometry slot and row of the joints, those of the articulation first.
        """
        self.places, self.slots = places, slots
        self.articulated, self.joints = lowering.articulated, lowering.joints
        self._lowering = lowering
        self._ghosts = slots[len(slots) - len(lowering.ghosts) :]
        self._q_ref = np.zeros((0, 12))  # of the links at the last prediction

    def lower(self, mass: Array, tilde: Array, springs: Array | None, link_poses: Array) -> LoweredStep:
        """The articulation's input of that of the robot's joints; arguments as of `Lowering.lower`."""
        step = self._lowering.lower(mass, tilde, springs, link_poses)
        for slot, pose in zip(self._ghosts, step.ghost_poses, strict=True):
            pull(slot, pose)
        self._q_ref = affine.q_from_transform(link_poses)
        return step

    def ghost_poses(self, link_poses: Sequence[Array] | Array) -> dict[int, Array]:
        """Poses (4, 4) of the ghosts by geometry id where the links stand at `link_poses` (n, 4, 4)."""
        poses = (pose for chain in self._lowering.chains for pose in chain.ghost_poses(link_poses[chain.joint.child]))
        return {slot.id(): pose for slot, pose in zip(self._ghosts, poses, strict=True)}

    def raised(self, delta: Array, q: Array) -> Array:
        """δθ (m,) of the robot's own freedoms; arguments as of `Lowering.raised`."""
        return self._lowering.raised(delta, q, self._q_ref)


def place_chains(
    scene: uipc.Scene, robot: CoupledRobot, bodies: PlacedBodies, elements: Elements, stiffness: Stiffness
) -> PlacedChains | None:
    """Create the chains' ghosts and all joints of a robot; nothing where none is to be lowered.

    Args:
        scene: The scene.
        robot: The robot.
        bodies: Slots of its bodies.
        elements: As for `place_body`.
        stiffness: Of its joints.

    Raises:
        UnsupportedError: A joint cannot be lowered; names it.
    """
    hold = HOLD_RATIO * stiffness.scale
    pin = hold / robot_size(robot) ** 2
    lowering = Lowering(robot, hold, pin)
    if not any(joint.kind in LOWERED for joint in robot.joints):
        return None
    slots = (*bodies.links, *place_ghosts(scene, lowering, elements, stiffness))
    places = place_chain_joints(scene, robot, lowering, replace(bodies, links=slots), stiffness, pin)
    return PlacedChains(lowering, slots, places)
