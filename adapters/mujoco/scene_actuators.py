"""Actuators of a scene in a spec, without the properties that the robot's file gives its own by default classes."""

from __future__ import annotations

from collections.abc import Iterable

import mujoco
import numpy as np

from ipc_articulation.coupling.robots import Actuator

_OWN = (  # properties that default classes may set, except those of `set_to_position`
    "gear",
    "ctrllimited",
    "ctrlrange",
    "forcelimited",
    "forcerange",
    "actlimited",
    "actrange",
    "actearly",
    "lengthrange",
    "cranklength",
    "group",
    "armature",
    "damping",
    "delay",
    "nsample",
    "interp",
    "actdim",
    "dynprm",
    "gainprm",
    "biasprm",
)


def add_actuators(spec: mujoco.MjSpec, actuators: Iterable[Actuator]) -> None:
    """Add position actuators: their controls are the targets of their joints, whatever the file's defaults are."""
    blank = mujoco.MjSpec()
    usual = blank.add_actuator()
    for wanted in actuators:
        actuator = spec.add_actuator(target=wanted.joint, trntype=mujoco.mjtTrn.mjTRN_JOINT)
        for name in _OWN:
            if hasattr(actuator, name):
                setattr(actuator, name, getattr(usual, name))
        actuator.set_to_position(kp=wanted.kp, kv=wanted.kv)
        if np.isfinite(wanted.max_force):
            actuator.forcelimited, actuator.forcerange = True, [-wanted.max_force, wanted.max_force]
