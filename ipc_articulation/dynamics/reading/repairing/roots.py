"""Files with several trees of links."""

from __future__ import annotations

from collections import deque

from ipc_articulation.dynamics.reading.node import XmlNode
from ipc_articulation.dynamics.reading.repairing.robot import Robot, remove
from ipc_articulation.dynamics.reading.tree import listed
from ipc_articulation.repairs import repair


def keep_largest_tree(robot: Robot) -> None:
    """Leave out all trees but the one with the most links, the first of equal ones with joints.

    The reader refuses files without any joint, and links or joints without names.
    """
    links = {link.element.get("name", "").strip(): link for link in robot.links}
    if "" in links:
        return
    below: dict[str, list[str]] = {}
    children = set()
    for joint in robot.joints:
        parent, child = (_end(joint, role) for role in ("parent", "child"))
        if parent not in links or child not in links:
            return
        below.setdefault(parent, []).append(child)
        children.add(child)
    roots = [name for name in links if name not in children]
    trees = {root: _tree(root, below) for root in roots}
    if len(roots) < 2 or not below:
        return
    largest = max(roots, key=lambda root: len(trees[root]))
    fault = f"links {listed(roots)} are no joint's child; join all but one of them to the rest"
    repair(robot.node.owner, fault, f"the tree of '{largest}' is kept, the others are left out", at=robot.node.at)
    _leave_out({name for root in roots if root != largest for name in trees[root]}, links, robot)


def _end(joint: XmlNode, role: str) -> str:
    end = joint.child(role)
    return "" if end is None else end.element.get("link", "").strip()


def _tree(root: str, below: dict[str, list[str]]) -> set[str]:
    """A link and all links below it."""
    found, waiting = {root}, deque([root])
    while waiting:
        for child in below.get(waiting.popleft(), []):
            if child not in found:
                found.add(child)
                waiting.append(child)
    return found


def _leave_out(names: set[str], links: dict[str, XmlNode], robot: Robot) -> None:
    for joint in robot.joints:
        if _end(joint, "child") in names:
            remove(joint)
    for name in names:
        remove(links[name])
