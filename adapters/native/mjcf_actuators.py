"""Actuators of an MJCF file as drives of joints."""

from __future__ import annotations

from collections.abc import Collection

import mujoco
from ipc_articulation.adapters.native.drives import JointDrive

from ipc_articulation.dynamics.reading.mujoco.actuators import JointActuator, joint_actuators
from ipc_articulation.dynamics.reading.mujoco.names import name_of
from ipc_articulation.repairs import repair


def read_drives(model: mujoco.MjModel, file: str, joints: Collection[str]) -> dict[str, JointDrive]:
    """The drives by joint.

    Position and velocity actuators take targets. All others act as MuJoCo lets them act while their control is zero:
    dampers damp, motors rest.

    Args:
        model: The file's model.
        file: For messages.
        joints: Names of the joints that take part.
    """
    drives: dict[str, JointDrive] = {}
    actuators, others = joint_actuators(model)
    for name, reason in others.items():
        repair(f"actuator '{name}'", f"it {reason}, which adapter native does not know", "left out", at=file)
    for actuator in actuators:
        joint = name_of(model, "joint", actuator.joint)
        if joint in joints and (drive := _drive(actuator, file)) != JointDrive():
            drives[joint] = drives[joint].plus(drive) if joint in drives else drive
    return drives


def _drive(actuator: JointActuator, file: str) -> JointDrive:
    """What an actuator does at its joint."""
    part = f"actuator '{actuator.name}'"
    spring = actuator.kp if actuator.takes_target else 0.0
    if not actuator.takes_target and actuator.kp:
        fault = "its force depends on the position but its gain is not that of a position actuator"
        repair(part, fault, "left out", at=file)
        return JointDrive()
    if actuator.kv < 0.0:
        repair(part, "its force grows with the velocity", "left out", at=file)
        return JointDrive()
    resting = actuator.resting
    if not (spring or actuator.kv):
        return JointDrive(resting=resting)
    low, high = (abs(actuator.gear * limit) for limit in actuator.force)
    if low != high:
        fault = f"its force has the limits {low:g} and {high:g} in its two directions"
        repair(part, fault, "both are the smaller one", at=file)
    targets = actuator.targets if actuator.takes_target or actuator.takes_speed else (0.0, 0.0)
    return JointDrive(spring, actuator.kv, min(low, high), targets, resting)
