"""Actuators of a scene in a spec, without the properties that the robot's file gives its own by default classes."""

from __future__ import annotations

from collections.abc import Iterable

import mujoco
import numpy as np

from ipc_articulation.coupling.robots import Actuator

_OF_ITSELF = {"classname", "compiler", "id", "info", "name", "plugin", "refsite", "signature", "slidersite", "target"}
_OF_ITSELF |= {"trntype", "type", "userdata"}  # what default classes do not give, or `add_actuators` does


def add_actuators(spec: mujoco.MjSpec, actuators: Iterable[Actuator]) -> None:
    """Add position actuators, or of velocity: controls are targets of joints, whatever the file's defaults are."""
    blank = mujoco.MjSpec()
    usual = blank.add_actuator()
    for wanted in actuators:
        actuator = spec.add_actuator(target=wanted.joint, trntype=mujoco.mjtTrn.mjTRN_JOINT)
        for name in dir(usual):
            if not (name.startswith("_") or name in _OF_ITSELF or callable(getattr(usual, name))):
                setattr(actuator, name, getattr(usual, name))
        if wanted.kp:
            actuator.set_to_position(kp=wanted.kp, kv=wanted.kv)
        else:
            actuator.set_to_velocity(kv=wanted.kv)
        if np.isfinite(wanted.max_force):
            actuator.forcelimited, actuator.forcerange = True, [-wanted.max_force, wanted.max_force]
