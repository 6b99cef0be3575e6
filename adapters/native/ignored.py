"""Links that a scene leaves out."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from ipc_articulation.dynamics.model import Mechanism, PlacedJoint
from ipc_articulation.dynamics.model.parts import WORLD
from ipc_articulation.dynamics.reading.tree import joints_below
from ipc_articulation.errors import AdapterError, UnsupportedError
from ipc_articulation.naming import matching


def leave_out(mechanism: Mechanism, patterns: Sequence[str]) -> None:
    """Leave out links: of a static one its shapes, of a moving one all that moves with it.

    Args:
        mechanism: The robot.
        patterns: Regular expressions for names of links.

    Raises:
        AdapterError: An expression matches no link.
        UnsupportedError: A loop connects what is left out with what is not.
    """
    names = [link.name for link in mechanism.links]
    ignored = [names[index] for pattern in patterns for index in matching(pattern, names, "body", AdapterError)]
    above = {joint.child: joint for joint in mechanism.joints}
    trees = {_tree_of(name, above) for name in ignored}
    for link in mechanism.links:
        if link.name in ignored:
            link.collision = ()
    take_off(mechanism, {name for name in names if (tree := _tree_of(name, above)) and tree in trees})


def keep_trees(mechanism: Mechanism, moving: Collection[str]) -> None:
    """Remove the trees of moving links whose first link is not one of some names."""
    above = {joint.child: joint for joint in mechanism.joints}
    trees = {link.name: _tree_of(link.name, above) for link in mechanism.links}
    take_off(mechanism, {name for name, tree in trees.items() if tree and tree not in moving})


def take_off(mechanism: Mechanism, gone: Collection[str]) -> None:
    """Remove links with their joints and frames.

    Raises:
        UnsupportedError: A loop connects them with other links.
    """
    joints = {joint.name for joint in mechanism.joints if joint.child in gone}
    for names, _ in mechanism.loops:
        if 0 < len(joints & set(names)) < len(set(names)):
            raise UnsupportedError(f"a loop of joints {', '.join(names)} connects what is left out with what is not")
    mechanism.loops = [(names, constraint) for names, constraint in mechanism.loops if not joints & set(names)]
    mechanism.links = [link for link in mechanism.links if link.name not in gone]
    mechanism.joints = [joint for joint in mechanism.joints if joint.child not in gone]
    mechanism.frames = [frame for frame in mechanism.frames if frame.link not in gone]


def _tree_of(link: str, above: Mapping[str, PlacedJoint]) -> str:
    """The first moving link on the way from the world to a link; empty for a static one."""
    if link == WORLD:
        return ""
    moving = [joint.child for joint in joints_below(link, above) if joint.joint.ndof]
    return moving[-1] if moving else ""
