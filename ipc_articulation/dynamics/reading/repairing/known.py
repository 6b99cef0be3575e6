"""Names of elements and attributes: unknown ones are ignored, unless they look like a misspelt name."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from typing import NamedTuple

from ipc_articulation.dynamics.reading.node import XmlNode
from ipc_articulation.dynamics.reading.repairing.robot import Faults, Robot, remove
from ipc_articulation.naming import suggest

SHAPES = ("box", "sphere", "cylinder", "capsule", "mesh")
PRODUCTS = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")

# Names of other tools, which the dynamics does not need.
UNUSED_IN_JOINT = ("calibration", "safety_controller")
UNUSED_FLAGS_OF_JOINT = ("dont_collapse", "independent")
UNUSED_IN_DYNAMICS = ("D", "K", "mu_coulomb", "mu_viscous")
UNUSED_IN_LIMIT = ("acceleration", "command_effort", "current", "deceleration", "gear_velocity", "jerk")


class Content(NamedTuple):
    """What an element may have. In an open one, elements of other tools belong to the format; attributes, too."""

    attributes: tuple[str, ...] = ()
    elements: tuple[str, ...] = ()
    open: bool = False
    several: tuple[str, ...] = ()  # elements of which there may be more than one


KNOWN = {
    "robot": Content(elements=("link", "joint"), open=True, several=("link", "joint")),
    "link": Content(elements=("inertial", "visual", "collision"), open=True, several=("visual", "collision")),
    "joint": Content(
        ("name", "type", *UNUSED_FLAGS_OF_JOINT),
        ("origin", "parent", "child", "axis", "limit", "dynamics", "mimic", *UNUSED_IN_JOINT),
    ),
    "visual": Content(elements=("origin", "geometry", "material"), open=True),
    "collision": Content(elements=("origin", "geometry", "material"), open=True),
    "geometry": Content(("name",), SHAPES),
    "box": Content(("size",)),
    "sphere": Content(("radius",)),
    "cylinder": Content(("radius", "length")),
    "capsule": Content(("radius", "height", "length")),
    "mesh": Content(("filename", "scale")),
    "inertial": Content(elements=("origin", "mass", "inertia")),
    "mass": Content(("value",)),
    "inertia": Content(PRODUCTS),
    "origin": Content(("xyz", "rpy", "quat_xyzw")),
    "parent": Content(("link",)),
    "child": Content(("link",)),
    "axis": Content(("xyz",)),
    "limit": Content(("lower", "upper", "effort", "velocity", *UNUSED_IN_LIMIT)),
    "dynamics": Content(("damping", "friction", "stiffness", "rotor_inertia", "spring_mount", *UNUSED_IN_DYNAMICS)),
    "mimic": Content(("joint", "multiplier", "offset")),
}


def read_elements(node: XmlNode) -> Iterator[XmlNode]:
    """An element and those below it that are read, each with its owner."""
    yield node
    for child in node.children():
        if child.tag in KNOWN[node.tag].elements and child.tag in KNOWN:
            yield from read_elements(child.named()[1] if _owns(child) else child)


def _owns(node: XmlNode) -> bool:
    return node.tag in ("link", "joint") and bool(node.element.get("name", "").strip())


def ignore_unknown(robot: Robot) -> None:
    """Remove unknown attributes and elements.

    Raises:
        ModelError: One looks like a misspelt known name.
    """
    robot.node.refuse_misspelt(KNOWN["robot"].elements)
    faults = Faults()
    for node in read_elements(robot.node):
        content = KNOWN[node.tag]
        if content.open:
            node.refuse_misspelt(content.elements)
            continue
        for name in [name for name in node.element.attrib if not name.startswith("{")]:
            if name not in content.attributes:
                _ignore(node, node, "attribute", name, content.attributes, faults)
                del node.element.attrib[name]
        for child in node.children():
            if child.tag not in content.elements:
                _ignore(node, child, "element", child.tag, content.elements, faults)
                remove(child)
    faults.report()


def _ignore(node: XmlNode, at: XmlNode, what: str, name: str, known: tuple[str, ...], faults: Faults) -> None:
    """Note that a name is ignored.

    Raises:
        ModelError: It looks like a known one.
    """
    shown = f"<{name}>" if what == "element" else f"'{name}'"
    fault = f"<{node.tag}> has the unknown {what} {shown}{suggest(name, known)}"
    if difflib.get_close_matches(name, known):
        raise at.error(fault)
    faults.add((node.tag, what, name), at, fault, f"the {what} is ignored")


def keep_first(robot: Robot) -> None:
    """Remove all but the first of elements of which there can be one, as urdfdom does."""
    faults = Faults()
    for node in read_elements(robot.node):
        content = KNOWN[node.tag]
        for tag in content.elements if content.elements != SHAPES else ():
            for surplus in node.children(tag)[1:] if tag not in content.several else ():
                fault = f"<{node.tag}> has more than one <{tag}>; give one"
                faults.add((node.tag, tag), surplus, fault, "the first is used")
                remove(surplus)
    faults.report()
