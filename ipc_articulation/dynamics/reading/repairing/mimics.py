"""Joints that mimic one that does not exist, themselves, or each other in a circle."""

from __future__ import annotations

from collections.abc import Mapping

from ipc_articulation.dynamics.reading.node import XmlNode
from ipc_articulation.dynamics.reading.repairing.numbers import number_of
from ipc_articulation.dynamics.reading.repairing.robot import Faults, Robot, remove
from ipc_articulation.naming import suggest

SINGLE = ("revolute", "continuous", "prismatic")  # types with one degree of freedom


def leave_out_mimics(robot: Robot) -> None:
    """Remove each `<mimic>` that determines no position: its joint is then free, or fixed if it follows a fixed one."""
    joints = {joint.element.get("name", "").strip(): joint for joint in robot.joints}
    mimics = {name: mimic for name, joint in joints.items() if (mimic := joint.child("mimic")) is not None}
    leaders = {name: mimic.element.get("joint", "").strip() for name, mimic in mimics.items()}
    kinds = {name: joint.element.get("type", "").strip() for name, joint in joints.items()}
    still = {name for name, leader in leaders.items() if kinds.get(leader) == "fixed" and not _offset(mimics[name])}
    faults = Faults()
    for name, mimic in mimics.items():
        kind, fault = _fault(name, leaders, kinds)
        if not fault:
            continue
        if name in still and kinds[name] != "fixed":
            faults.add("still", mimic, fault, "the joint is fixed, too")
            joints[name].element.set("type", "fixed")
        else:
            faults.add(kind, mimic, fault, "<mimic> is left out, the joint moves freely")
        del leaders[name]
        remove(mimic)
    faults.report()


def _offset(mimic: XmlNode) -> float:
    return number_of(mimic, "offset") or 0.0


def _fault(name: str, leaders: Mapping[str, str], kinds: Mapping[str, str]) -> tuple[str, str]:
    """The reason why a joint can follow no other, after its kind; both are empty if it can."""
    leader = leaders[name]
    if not leader:
        return "none", '<mimic> lacks joint="…"'
    if leader not in kinds:
        return "unknown", f"mimics the unknown joint '{leader}'{suggest(leader, kinds, 'joints')}"
    if leader == name:
        return "itself", "mimics itself"
    single = [other for other, kind in kinds.items() if kind in SINGLE]
    if kinds[leader] == "fixed":
        return "fixed", f"mimics '{leader}', which is fixed"
    if name not in single or leader not in single:
        listed = suggest(leader, single)
        return "degrees", f"mimics '{leader}'; both must be joints with one degree of freedom{listed}"
    seen = {name}
    while leader in leaders and leader not in seen:
        seen.add(leader)
        leader = leaders[leader]
    return ("circle", f"mimics '{leaders[name]}', which mimics it in a circle") if leader == name else ("", "")
