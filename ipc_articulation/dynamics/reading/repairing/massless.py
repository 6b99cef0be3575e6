"""Moving parts without mass, which would make the mass matrix singular."""

from __future__ import annotations

from copy import deepcopy

from lxml import etree

from ipc_articulation.dynamics.reading.node import XmlNode
from ipc_articulation.dynamics.reading.repairing.inertials import SMALLEST, mass_of, tensor_of, write_inertial
from ipc_articulation.dynamics.reading.repairing.numbers import number_of
from ipc_articulation.dynamics.reading.repairing.robot import Faults, Robot, remove
from ipc_articulation.dynamics.reading.repairing.solid import solid_of

NOTHING, INERTIA, MASS = range(3)
TURNING = ("revolute", "continuous", "spherical")


def give_mass_to_ends(robot: Robot) -> None:
    """Give a mass to the end of each chain that has none below a joint that moves: that of a solid with its shape.

    Massless links with massive ones below stay as they are: their joints move those. In a chain without mass, the last
    link that a moving joint carries gets one.
    """
    links = {link.element.get("name", "").strip(): link for link in robot.links}
    below: dict[str, list[XmlNode]] = {name: [] for name in links}
    for joint in robot.joints:
        ends = [joint.child(role) for role in ("parent", "child")]
        names = ["" if end is None else end.element.get("link", "").strip() for end in ends]
        if names[0] not in links or names[1] not in links:
            return  # the reader refuses it
        below[names[0]].append(joint)
    faults = Faults()
    held: dict[str, int] = {}  # what each link and those below it have
    for name in _ends_first(below):
        held[name] = _own(links[name])
        for joint in below[name]:
            child = _child(joint)
            if held[child] < _needed(joint):
                _give_mass(links[child], joint, faults)
                held[child] = MASS
            held[name] = max(held[name], held[child])
    faults.report()


def _own(link: XmlNode) -> int:
    """What a link has itself."""
    inertial = link.child("inertial")
    if inertial is None:
        return NOTHING
    tensor = tensor_of(inertial)
    if mass_of(inertial) > SMALLEST or tensor is None or inertial.child("mass") is None:
        return MASS  # or numbers that the reader refuses
    return INERTIA if tensor.any() else NOTHING


def _needed(joint: XmlNode) -> int:
    """What a joint must move for a regular mass matrix."""
    dynamics = joint.child("dynamics")
    rotor = 0.0 if dynamics is None else number_of(dynamics, "rotor_inertia")
    kind = joint.element.get("type", "").strip()
    if kind == "fixed" or rotor:
        return NOTHING
    return INERTIA if kind in TURNING else MASS


def _ends_first(below: dict[str, list[XmlNode]]) -> list[str]:
    """Links, each after those below it; without links that form a loop."""
    left = {name: len(joints) for name, joints in below.items()}
    above: dict[str, list[str]] = {}
    for name, joints in below.items():
        for joint in joints:
            above.setdefault(_child(joint), []).append(name)
    order = [name for name, count in left.items() if count == 0]
    for name in order:
        for parent in above.get(name, []):
            left[parent] -= 1
            if left[parent] == 0:
                order.append(parent)
    return order


def _child(joint: XmlNode) -> str:
    return joint.required("child").element.get("link", "").strip()


def _give_mass(link: XmlNode, joint: XmlNode, faults: Faults) -> None:
    shapes = [*link.children("collision"), *link.children("visual")]
    mass, tensor = solid_of(shapes[0] if shapes else None)
    fault = f"joint '{joint.element.get('name', '')}' moves no mass"
    remedy = f"the link is given {mass:.3g} kg, as a solid of 1000 kg/m³"
    faults.add("mass", link, fault, remedy)
    for old in link.children("inertial"):
        remove(old)
    inertial = etree.SubElement(link.element, "inertial")
    inertial.sourceline = link.line
    origin = shapes[0].child("origin") if shapes else None
    if origin is not None:
        inertial.append(deepcopy(origin.element))
    write_inertial(XmlNode(inertial, link.file, link.owner), mass, tensor)
