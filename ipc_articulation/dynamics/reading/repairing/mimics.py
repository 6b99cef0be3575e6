"""Joints that mimic one that does not exist, themselves, or each other in a circle."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import partial

from ipc_articulation.dynamics.reading.node import XmlNode
from ipc_articulation.dynamics.reading.repairing.numbers import number_of
from ipc_articulation.dynamics.reading.repairing.robot import Faults, Robot, remove
from ipc_articulation.naming import suggest

LEFT_OUT = "<mimic> is left out, the joint moves freely"
SINGLE = ("revolute", "continuous", "prismatic")  # types with one degree of freedom


def leave_out_mimics(robot: Robot) -> None:
    """Remove each `<mimic>` that determines no position: its joint is then free, or fixed if it follows a fixed one."""
    joints = {joint.element.get("name", "").strip(): joint for joint in robot.joints}
    mimics = {name: mimic for name, joint in joints.items() if (mimic := joint.child("mimic")) is not None}
    leaders = {name: mimic.element.get("joint", "").strip() for name, mimic in mimics.items()}
    kinds = {name: joint.element.get("type", "").strip() for name, joint in joints.items()}
    still = {name for name, leader in leaders.items() if kinds.get(leader) == "fixed" and not _offset(mimics[name])}
    circles = _circles(leaders)
    single = {name for name, kind in kinds.items() if kind in SINGLE}
    faults = Faults()
    for name, mimic in mimics.items():
        leader = leaders[name]
        if name in still and kinds[name] != "fixed":
            faults.add("still", mimic, f"mimics '{leader}', which is fixed", "the joint is fixed, too")
            joints[name].element.set("type", "fixed")
        elif not leader:
            faults.add("none", mimic, '<mimic> lacks joint="…"', LEFT_OUT)
        elif leader not in kinds:
            unknown = partial(_unknown, leader, kinds)
            faults.add("unknown", mimic, unknown, LEFT_OUT)
        elif leader == name:
            faults.add("itself", mimic, "mimics itself", LEFT_OUT)
        elif not {name, leader} <= single:
            faults.add("degrees", mimic, partial(_several, leader, single), LEFT_OUT)
        elif name in circles:
            faults.add("circle", mimic, f"mimics '{leader}', which mimics it in a circle", LEFT_OUT)
        else:
            continue
        remove(mimic)
    faults.report()


def _offset(mimic: XmlNode) -> float:
    return number_of(mimic, "offset") or 0.0


def _unknown(leader: str, kinds: Mapping[str, str]) -> str:
    return f"mimics the unknown joint '{leader}'{suggest(leader, kinds, 'joints')}"


def _several(leader: str, single: Collection[str]) -> str:
    return f"mimics '{leader}'; both must be joints with one degree of freedom{suggest(leader, single)}"


def _circles(leaders: Mapping[str, str]) -> set[str]:
    """The first joint of each circle of joints that mimic each other; without its mimic there is none."""
    found: set[str] = set()
    visited: dict[str, str] = {}  # joint -> the joint from which it was reached first
    for start in leaders:
        name = start
        while name in leaders and name not in visited:
            visited[name] = start
            name = leaders[name]
        if visited.get(name) == start:
            found.add(name)
    return found
