"""Joints that mimic one that does not exist, themselves, or each other in a circle."""

from __future__ import annotations

from collections.abc import Mapping

from ipc_articulation.dynamics.reading.node import XmlNode
from ipc_articulation.dynamics.reading.repairing.robot import Faults, Robot, remove
from ipc_articulation.naming import suggest

SINGLE = ("revolute", "continuous", "prismatic")  # types with one degree of freedom


def leave_out_mimics(robot: Robot) -> None:
    """Remove each `<mimic>` that determines no position: its joint is then free."""
    joints = {joint.element.get("name", "").strip(): joint for joint in robot.joints}
    leaders = {name: mimic.element.get("joint", "").strip() for name, mimic in _mimics(joints).items()}
    faults = Faults()
    for name, mimic in _mimics(joints).items():
        fault = _fault(name, mimic, leaders, joints)
        if fault:
            faults.add(name, mimic, fault, "<mimic> is left out, the joint moves freely")
            del leaders[name]
            remove(mimic)
    faults.report()


def _mimics(joints: Mapping[str, XmlNode]) -> dict[str, XmlNode]:
    found = {name: joint.child("mimic") for name, joint in joints.items()}
    return {name: mimic for name, mimic in found.items() if mimic is not None}


def _fault(name: str, mimic: XmlNode, leaders: Mapping[str, str], joints: Mapping[str, XmlNode]) -> str:
    """The reason why a joint can follow no other; empty if it can."""
    leader = leaders[name]
    if not leader:
        return '<mimic> lacks joint="…"'
    if leader not in joints:
        return f"mimics the unknown joint '{leader}'{suggest(leader, joints, 'joints')}"
    if leader == name:
        return "mimics itself"
    single = [other for other, joint in joints.items() if joint.element.get("type", "").strip() in SINGLE]
    if name not in single or leader not in single:
        return f"mimics '{leader}'; both must be joints with one degree of freedom{suggest(leader, single)}"
    seen = {name}
    while leader in leaders and leader not in seen:
        seen.add(leader)
        leader = leaders[leader]
    return f"mimics '{leaders[name]}', which mimics it in a circle" if leader == name else ""
