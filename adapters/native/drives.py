"""Drives of joints: the actuators of a scene together with those of the robot's own file."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

import numpy as np

from ipc_articulation.coupling.robots import Actuator


class JointDrive(NamedTuple):
    """The force kp·(target - θ) - kv·θ̇ + resting on one joint, without `resting` inside ±`max_force`."""

    kp: float = 0.0  # [N·m/rad or N/m]
    kv: float = 0.0  # [N·m·s/rad or N·s/m]
    max_force: float = np.inf  # [N·m or N]
    targets: tuple[float, float] = (-np.inf, np.inf)  # limits of the target [rad or m]
    resting: float = 0.0  # [N·m or N]

    def plus(self, other: JointDrive) -> JointDrive:
        """Both together: their forces add up, and so do the limits."""
        return JointDrive(
            self.kp + other.kp,
            self.kv + other.kv,
            self.max_force + other.max_force,
            (max(self.targets[0], other.targets[0]), min(self.targets[1], other.targets[1])),
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
