"""Checks that links and joints make a tree."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from ipc_articulation.dynamics.model.parts import WORLD, Link, PlacedJoint
from ipc_articulation.dynamics.reading.node import XmlNode
from ipc_articulation.naming import suggest

Links = Mapping[str, tuple[XmlNode, Link]]
Joints = Mapping[str, tuple[XmlNode, PlacedJoint]]

LISTED = 10  # names in a message


def root_of(robot: XmlNode, links: Links, joints: Joints) -> str:
    """The root link, the ancestor of all others.

    Args:
        robot: The outermost element, for messages.
        links: Links by name, with their elements.
        joints: Joints by name, with their elements.

    Raises:
        ModelError: A link or joint is unknown, there is a loop or not exactly one root, or a link «world» is not the
            root.
    """
    above: dict[str, PlacedJoint] = {}
    for node, joint in joints.values():
        _check_names(node, joint, links, joints)
        if joint.child in above:
            raise node.error(
                f"link '{joint.child}' is the child of joint '{above[joint.child].name}' too; "
                "a tree is needed: leave one of them out"
            )
        above[joint.child] = joint
    circle = _circle(above)
    if circle:
        raise joints[above[circle[0]].name][0].error(
            f"links {listed(circle)} form a loop; a tree is needed: remove a joint"
        )
    root = only_root(robot, links, above)
    if WORLD in links and root != WORLD:
        raise links[WORLD][0].error(f"only the root link can be the world, and that is '{root}'; give another name")
    return root


def only_root(robot: XmlNode, links: Iterable[str], children: Collection[str]) -> str:
    """The only one of some links that is no joint's child.

    Raises:
        ModelError: There are several.
    """
    root, *others = [name for name in links if name not in children]
    if others:
        raise robot.error(f"links {listed([root, *others])} are no joint's child; join all but one of them to the rest")
    return root


def joints_below(link: str, above: Mapping[str, PlacedJoint]) -> Iterator[PlacedJoint]:
    """The joints from a link to the world; `above` has each link's joint."""
    while link != WORLD:
        yield above[link]
        link = above[link].parent


def _check_names(node: XmlNode, joint: PlacedJoint, links: Links, joints: Joints) -> None:
    for role, name in (("parent", joint.parent), ("child", joint.child)):
        if name not in links:
            raise node.required(role).error(f"unknown {role} link '{name}'{suggest(name, links, 'links')}")
    if joint.mimic is not None and joint.mimic.joint not in joints:
        name = joint.mimic.joint
        raise node.required("mimic").error(f"mimics the unknown joint '{name}'{suggest(name, joints, 'joints')}")


def _circle(above: dict[str, PlacedJoint]) -> list[str]:
    """The links of one loop of joints; empty if there is none."""
    ends_at_root: set[str] = set()
    for name in above:
        path: dict[str, None] = {}
        while name in above and name not in path and name not in ends_at_root:
            path[name] = None
            name = above[name].parent
        if name in path:
            return list(path)[list(path).index(name) :]
        ends_at_root.update(path)
    return []


def listed(names: list[str]) -> str:
    """Names for messages, the first ten of many."""
    more = f" and {len(names) - LISTED} more" if len(names) > LISTED else ""
    return ", ".join(f"'{name}'" for name in names[:LISTED]) + more
