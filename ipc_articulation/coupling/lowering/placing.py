"""Creation of the ghosts and joints of chains in a libuipc scene."""

from __future__ import annotations

from typing import Any

import uipc

from ipc_articulation import affine
from ipc_articulation.arrays import Array
from ipc_articulation.coupling.adapter import CoupledJoint, CoupledRobot
from ipc_articulation.coupling.bodies import (
    FIXED_KAPPA,
    STAND_IN_INERTIA,
    STAND_IN_MASS,
    Elements,
    PlacedBodies,
    body_mass,
    place_body,
)
from ipc_articulation.coupling.joints import place_joints
from ipc_articulation.coupling.lowering.chain import Ghost
from ipc_articulation.coupling.lowering.lowering import Lowering
from ipc_articulation.coupling.stiffness import Stiffness
from ipc_articulation.frontend.attributes import writable
from ipc_articulation.frontend.reference import REF_DOF_PREV

PULL_RATIO = 1e6  # how many times a contact moves the joints more than a ghost that a soft transform pulls


def place_ghosts(scene: uipc.Scene, lowering: Lowering, elements: Elements, stiffness: Stiffness) -> tuple[Any, ...]:
    """Create the ghosts as bodies without surface and inertia; returns their geometry slots."""
    return tuple(_place_ghost(scene, ghost, elements, stiffness.scale) for ghost in lowering.ghosts)


def place_chain_joints(
    scene: uipc.Scene, robot: CoupledRobot, lowering: Lowering, bodies: PlacedBodies, stiffness: Stiffness, pin: float
) -> list[tuple[Any, int]]:
    """Create the joints that stand for a robot's joints.

    Args:
        scene: The scene.
        robot: The robot.
        lowering: Its chains.
        bodies: Slots of its bodies, with the ghosts after the links.
        stiffness: Of the robot's own joints.
        pin: Stiffness of the ghosts' pins [kg].

    Returns:
        Geometry slot and row of each joint: those of the articulation in their order, then others.
    """
    masses = [body_mass(body) for body in (*robot.links, *(ghost.body for ghost in lowering.ghosts))]
    count, joints = len(robot.links), lowering.joints

    def strength(joint: CoupledJoint) -> float:
        both = masses[joint.child] + (STAND_IN_MASS if joint.parent < 0 else masses[joint.parent])
        if max(joint.parent, joint.child) < count:
            return stiffness.joint_strength(both)
        return pin / both if joint in lowering.pins else 0.0  # what only measures holds nothing

    return place_joints(scene, joints, bodies, [strength(joint) for joint in joints])


def pull(slot: Any, pose: Array) -> None:
    """Set the attitude and place (4, 4) of a ghost in the next step, if a soft transform pulls it."""
    aim = slot.geometry().instances().find("aim_transform")
    if aim is not None:
        writable(aim)[0] = pose


def _place_ghost(scene: uipc.Scene, ghost: Ghost, elements: Elements, scale: float) -> Any:
    """A ghost's soft transform has the stiffness η I for an angle, and holds a place only where no joint does.

    Without that, the place would move nothing and nothing would move it: singular blocks, which CUDA's engine inverts.
    """
    slot = place_body(scene, ghost.body, elements, "driven" if ghost.pulled else "link", FIXED_KAPPA)
    instances = slot.geometry().instances()
    instances.create(REF_DOF_PREV, affine.q_from_transform(ghost.body.pose))
    if ghost.pulled:
        uipc.view(instances.find("strength_ratio"))[0, :, 0] = (
            0.0 if ghost.pinned else 1.0,
            PULL_RATIO * scale / STAND_IN_INERTIA[0, 0],
        )
    return slot
