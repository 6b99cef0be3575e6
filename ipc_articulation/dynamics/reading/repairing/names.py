"""Names that are given twice, and blanks around names."""

from __future__ import annotations

from lxml import etree

from ipc_articulation.dynamics.reading.node import XmlNode
from ipc_articulation.dynamics.reading.repairing.robot import Robot, remove
from ipc_articulation.repairs import repair


def resolve_names(robot: Robot) -> None:
    """Leave out links and joints that repeat earlier ones; rename other joints with the name of an earlier one.

    Joints have no other use of their name than `<mimic>`, which then means the first.

    Raises:
        ModelError: Two links of one name differ.
    """
    for nodes in (robot.links, robot.joints):
        first: dict[str, XmlNode] = {}
        names = [node.element.get("name", "").strip() for node in nodes]
        taken, next_number = set(names), dict.fromkeys(names, 2)
        for node, name in zip(nodes, names, strict=True):
            if name and name in first:
                while (new := f"{name}_{next_number[name]}") in taken:
                    next_number[name] += 1
                taken.add(new)
                _resolve(node, first[name], new)
            first.setdefault(name, node)


def _resolve(node: XmlNode, first: XmlNode, new: str) -> None:
    fault = f"line {first.line} has the same name; give each {node.tag} its own"
    if _same(node, first):
        repair(node.owner, fault, "the repetition is left out", at=node.at)
        remove(node)
    elif node.tag == "joint":
        node.element.set("name", new)
        repair(node.owner, fault, f"renamed to '{new}'", at=node.at)
    else:
        raise node.error(fault)


def _same(one: XmlNode, other: XmlNode) -> bool:
    """Equal elements but for blanks."""
    texts = [b"".join(etree.tostring(node.element, with_tail=False).split()) for node in (one, other)]
    return texts[0] == texts[1]
