"""The wrenches that joints transmit to the links that they carry, by the balance of momentum.

In a step of dt the momentum h of the links changes by all wrenches on them. Those on the links that a joint carries,
directly and through other joints, are gravity g, those of contact, friction and attached parts w, and what the joint
transmits:

    F = Σ ((h⁺ - h)/dt - g - w),   the mean over the step,

for h see `momentum`; weights and contact forces are those at the end of the step. F is everything that crosses the
joint: the forces that hold its bodies together, and those of motors, springs, damping and dry friction in the joint.
What the multibody engine applies to links from elsewhere (tendons, fluids, gravity compensation, equalities between
bodies, forces of the user) is also in F.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.coupling.adapter import CoupledRobot
from ipc_articulation.coupling.readouts.jacobian import RobotTree
from ipc_articulation.errors import UnsupportedError


def require_tree(robot: CoupledRobot) -> None:
    """Refuse a robot with loops.

    Raises:
        UnsupportedError: It has joints that are not in M̂, which close loops; names the first one.
    """
    if robot.passive_joints:
        raise UnsupportedError(
            f"joint wrenches: joint '{robot.passive_joints[0].name}' is part of a loop; the motion of the links does "
            "not determine what the joints of a loop transmit. contact_force has the generalised contact force"
        )


def joint_wrenches(tree: RobotTree, rate: Array, weights: Array, contact: Array, anchors: Array) -> Array:
    """F of the joints and tied joints, (j, 6) [moment about the anchor; force], world axes [N·m; N].

    Args:
        tree: The robot.
        rate: (h⁺ - h)/dt of the links, (n, 6) about the world's origin.
        weights: Gravity on them, (n, 6).
        contact: Contact, friction and attached parts on them, (n, 6).
        anchors: Of the joints, (j, 3) [m].
    """
    needed = rate - weights - contact
    for link in reversed(tree.order):
        if (number := tree.carriers[link]) >= 0 and (parent := tree.robot.all_joints[number].parent) >= 0:
            needed[parent] += needed[link]
    F = needed[[joint.child for joint in tree.robot.articulated_joints]]
    return moved_to(F, anchors)


def moved_to(wrenches: Array, points: Array) -> Array:
    """Wrenches about the world's origin, (n, 6), about points (n, 3): m - p × f."""
    moments = wrenches[:, :3] - np.cross(points, wrenches[:, 3:])
    return np.concatenate([moments, wrenches[:, 3:]], axis=1)
