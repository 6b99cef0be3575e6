"""Drives of joints: the actuators of a scene together with those of the robot's own file."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

import numpy as np

from ipc_articulation.coupling.robots import Actuator


class JointDrive(NamedTuple):
    """The force kp·(target - θ) - kv·θ̇ + resting on one joint, without `resting` inside ±`max_force`.

    Without kp it is kv·(target - θ̇) + resting.
    """

    kp: float = 0.0  # [N·m/rad or N/m]
    kv: float = 0.0  # [N·m·s/rad or N·s/m]
    max_force: float = np.inf  # [N·m or N]
    targets: tuple[float, float] = (-np.inf, np.inf)  # limits of the target [rad or m; without kp per s]
    resting: float = 0.0  # [N·m or N]

    @property
    def takes_speed(self) -> bool:
        """Whether the target is a velocity, other than 0."""
        return self.kp == 0.0 < self.kv and self.targets != (0.0, 0.0)

    def plus(self, other: JointDrive) -> JointDrive:
        """Both together: forces and their limits add up; of a position and a velocity the target is the position."""
        aiming = [drive for drive in (self, other) if drive.kp > 0.0] or [self, other]
        return JointDrive(
            self.kp + other.kp,
            self.kv + other.kv,
            self.max_force + other.max_force,
            (max(drive.targets[0] for drive in aiming), min(drive.targets[1] for drive in aiming)),
            self.resting + other.resting,
        )


def joint_drives(
    actuators: Iterable[Actuator], own: Mapping[str, JointDrive], joints: Collection[str]
) -> dict[str, JointDrive]:
    """The drives by joint, in the order of `joints`.

    Args:
        actuators: Those of the scene.
        own: Those of the robot's file.
        joints: Names of all joints.
    """
    added = {actuator.joint: JointDrive(actuator.kp, actuator.kv, actuator.max_force) for actuator in actuators}
    drives = {
        name: own[name].plus(added[name]) if name in own and name in added else own.get(name, added.get(name))
        for name in joints
    }
    return {name: drive for name, drive in drives.items() if drive is not None}
