"""Joints that contradict themselves: names of types, axes of length zero, limits."""

from __future__ import annotations

import numpy as np

from ipc_articulation.dynamics.reading.joint import TYPES
from ipc_articulation.dynamics.reading.node import XmlNode
from ipc_articulation.dynamics.reading.repairing.numbers import number_of
from ipc_articulation.dynamics.reading.repairing.robot import Faults, Robot
from ipc_articulation.naming import suggest

SYNONYMS = {"ball": "spherical", "free": "floating", "hinge": "revolute", "slide": "prismatic", "weld": "fixed"}
AXIAL = ("revolute", "continuous", "prismatic", "planar")
DEFAULT_AXIS = "1 0 0"  # URDF's


def repair_joints(robot: Robot) -> None:
    """Repair type, axis and limits of every joint."""
    faults = Faults()
    for joint in robot.joints:
        _type(joint, faults)
        _axis(joint, faults)
        for limit in joint.children("limit"):
            _limits(joint, limit, faults)
        for dynamics in joint.children("dynamics"):
            _losses(dynamics, faults)
    faults.report()


def _type(joint: XmlNode, faults: Faults) -> None:
    kind = joint.element.get("type", "").strip()
    meant = kind.lower() if kind.lower() in TYPES else SYNONYMS.get(kind.lower())
    if meant is not None and kind not in TYPES:
        faults.add(kind, joint, f"unknown type '{kind}'{suggest(kind, TYPES)}", f"read as '{meant}'")
        joint.element.set("type", meant)


def _axis(joint: XmlNode, faults: Faults) -> None:
    """Replace an axis of length zero by URDF's default."""
    axis = joint.child("axis")
    if axis is None or joint.element.get("type", "").strip() not in AXIAL:
        return
    if axis.has("xyz") and not np.any(axis.numbers("xyz", 3)):
        fault = "a joint axis must be three finite numbers, not all zero; it is [0.0, 0.0, 0.0]"
        faults.add("axis", axis, fault, f"URDF's default, {DEFAULT_AXIS}, is used")
        axis.element.set("xyz", DEFAULT_AXIS)


def _limits(joint: XmlNode, limit: XmlNode, faults: Faults) -> None:
    """Remove position limits that are equal or in the wrong order, and limits of effort and velocity below zero."""
    lower, upper = (number_of(limit, name) or 0.0 for name in ("lower", "upper"))
    is_limited = joint.element.get("type", "").strip() in ("revolute", "prismatic")
    is_given = limit.has("lower") and limit.has("upper")
    if is_limited and (lower > upper or (lower == upper and is_given)):
        fault = f"lower limit [{lower}] above upper limit [{upper}]" if lower > upper else "equal limits of position"
        as_in = "Bullet and MuJoCo" if lower > upper else "RaiSim"
        faults.add(("position", as_in), limit, fault, f"the joint has no limits of position, as in {as_in}")
        for name in ("lower", "upper"):
            limit.element.attrib.pop(name, None)
    for name in ("effort", "velocity"):
        number = number_of(limit, name)
        if number is not None and number <= 0.0 and joint.element.get("type", "").strip() != "fixed":
            faults.add(name, limit, f'<limit> has {name}="{limit.text(name)}"', f"the joint has no limit of {name}")
            del limit.element.attrib[name]


def _losses(dynamics: XmlNode, faults: Faults) -> None:
    """Remove damping and friction below zero, which would drive the joint."""
    for name in ("damping", "friction"):
        number = number_of(dynamics, name)
        if number is not None and number < 0.0:
            faults.add(name, dynamics, f'<dynamics> has {name}="{dynamics.text(name)}"', f"the joint has no {name}")
            del dynamics.element.attrib[name]
