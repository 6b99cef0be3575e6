"""Pins for the loops in a robot's file, at the points where two links meet.

Two links that a loop connects at a point have the relative angular velocity (J_1 - J_2) G ẏ. If it is along one axis
for all ẏ at the present position, the loop is a hinge about this axis in the scene.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
from ipc_articulation.adapters.native.pins import WORLD

from ipc_articulation import spatial
from ipc_articulation.arrays import Array
from ipc_articulation.coupling.robots import Pin
from ipc_articulation.dynamics import frame_poses, jacobian
from ipc_articulation.dynamics.model import Model
from ipc_articulation.dynamics.model.parts import Meeting
from ipc_articulation.errors import AdapterError

SAME = 1e-9  # angular velocity across the axis, relative to that along it


def file_pins(robot: Model, x: Array, meetings: Sequence[Meeting], static: Collection[str]) -> list[Pin]:
    """A pin for each point where links meet.

    Args:
        robot: The robot.
        x: Its position, (nx,), loops closed.
        meetings: The places.
        static: Links that are fixed to the world.

    Raises:
        AdapterError: The relative rotation of the two links is about several axes, or there is none.
        StateError: A loop is open or singular.
    """
    return [_pin(robot, x, meeting, static, f"closing {number}") for number, meeting in enumerate(meetings, 1)]


def _pin(robot: Model, x: Array, meeting: Meeting, static: Collection[str], name: str) -> Pin:
    still = {WORLD, *static}
    (first, at), (second, there) = meeting if meeting[1][0] not in still else (meeting[1], meeting[0])
    q, G = robot.spanning(x), robot.G(x)
    H, H_second = _pose(robot, q, first), _pose(robot, q, second)
    spin = (_spin(robot, q, first) - _spin(robot, q, second)) @ G
    axes, rates, _ = np.linalg.svd(spin)
    if rates[0] == 0.0 or rates[1:].max(initial=0.0) > SAME * rates[0]:
        ways = "do not turn" if rates[0] == 0.0 else "turn about several axes"
        raise AdapterError(
            f"the loop that closes where links '{first}' and '{second}' meet cannot be coupled: they {ways} relative "
            "to each other there, and the scene has hinges only"
        )
    holders = WORLD if first in still else _holder(robot, first), _holder(robot, second)
    bases = [_pose(robot, q, name) for name in holders]
    ends = [
        (spatial.inverse(base) @ pose @ np.append(point, 1.0))[:3]
        for base, pose, point in zip(bases, (H, H_second), (at, there), strict=True)
    ]
    return Pin(name, *holders, ends[0], ends[1], bases[0][:3, :3].T @ axes[:, 0])


def _pose(robot: Model, q: Array, link: str) -> Array:
    """The pose of a link, (4, 4); the world's is the identity."""
    return np.eye(4) if link == WORLD else frame_poses(robot.spanning_tree, q, [link])[0]


def _spin(robot: Model, q: Array, link: str) -> Array:
    """Angular velocity of a link per unit of q̇: (3, spanning nv); the world's is zero."""
    return np.zeros((3, robot.spanning_tree.nv)) if link == WORLD else jacobian(robot.spanning_tree, q, link)[:3]


def _holder(robot: Model, link: str) -> str:
    """The moving link that a link is, or is joined to rigidly."""
    return robot.bodies[int(robot.tree["body"][robot.frame_node[robot.frame(link)]])].name
