"""Whether a URDF file leaves its robot's base loose: a trunk that nothing connects to the world.

URDF has no word for it. Files of arms begin with a link called «world», or have one chain of joints on their base.
Files of legged, wheeled and flying robots begin with a trunk that has mass and carries several chains, or a single one
that is lighter than the trunk; the names of their links then say that they drive or fly, since arms on a heavy pedestal
look the same.
"""

from __future__ import annotations

import re
from pathlib import Path

from ipc_articulation.dynamics.model.parts import WORLD
from ipc_articulation.dynamics.reading.node import XmlNode
from ipc_articulation.dynamics.reading.repairing.document import document

_VEHICLE = re.compile(r"wheel|caster|chassis|propeller|rotor|thruster|flying|drone|fuselage", re.IGNORECASE)


def loose_base(file: Path) -> str | None:
    """The root link of a URDF file if it has mass, is not called «world» and carries at least two moving joints.

    Links that are welded to the root count as part of it. A robot with names of vehicles, such as «wheel» or
    «propeller», needs only one such joint, and a root that is heavier than all that moves on it.

    Raises:
        ModelError: The file is not well-formed.
    """
    robot = document(file)
    links = {link.element.get("name", ""): link for link in robot.children("link")}
    joints = [(joint.element.get("type"), _end(joint, "parent"), _end(joint, "child")) for joint in _tree(robot)]
    roots = [name for name in links if name not in {child for _, _, child in joints}]
    if len(roots) != 1 or roots[0] == WORLD:
        return None
    base = {roots[0]}
    welded = [(parent, child) for kind, parent, child in joints if kind == "fixed"]
    while found := [child for parent, child in welded if parent in base and child not in base]:
        base.update(found)
    moving = sum(kind != "fixed" and parent in base for kind, parent, _ in joints)
    own = sum(_mass(links[name]) for name in base if name in links)
    rest = sum(_mass(link) for name, link in links.items() if name not in base)
    is_vehicle = moving == 1 and own > rest and any(map(_VEHICLE.search, links))
    return roots[0] if own > 0.0 and (moving > 1 or is_vehicle) else None


def _tree(robot: XmlNode) -> list[XmlNode]:
    return [joint for joint in robot.children("joint") if joint.children("parent") and joint.children("child")]


def _end(joint: XmlNode, side: str) -> str:
    return str(joint.children(side)[0].element.get("link", ""))


def _mass(link: XmlNode) -> float:
    """The mass that is written [kg]; 0 where there is none, or no number."""
    masses = [mass for inertial in link.children("inertial") for mass in inertial.children("mass")]
    try:
        return sum(float(mass.element.get("value", "0")) for mass in masses)
    except ValueError:
        return 0.0
