"""The order of a mechanism's joints, and the check that they make a tree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from ipc_articulation.dynamics.model.parts import WORLD, FixedFrame, Link, PlacedJoint
from ipc_articulation.errors import ModelError
from ipc_articulation.naming import suggest


def ordered_joints(
    links: Sequence[Link],
    joints: Sequence[PlacedJoint],
    frames: Sequence[FixedFrame],
    order: Sequence[str] | None,
    where: str,
) -> list[PlacedJoint]:
    """All joints, each after the joint that moves its parent; those that fix links to the world come first.

    Args:
        links: Links of a mechanism.
        joints: Its joints.
        frames: Its frames.
        order: Names of all moving joints; None: the order in which they were added.
        where: Beginning of messages.

    Raises:
        ModelError: A name that is unknown or not unique, a link that is the child of no joint or of two, joints that
            close a loop, an order that leaves out a joint or puts one before its parent's.
    """
    _check_names({"link": links, "joint": joints, "frame": frames}, where)
    _check_one_joint_a_link([link.name for link in links], joints, where)
    waiting = list(joints) if order is None else _in_given_order(joints, order, where)
    placed, result = {WORLD}, []
    while waiting:
        ready = next((joint for joint in waiting if joint.parent in placed), None)
        if ready is None:
            names = ", ".join(f"'{joint.name}'" for joint in waiting)
            raise ModelError(
                f"{where}: joints {names} form a loop that no joint connects to the world; a tree has none: remove one"
            )
        if order is not None and ready.joint.ndof and ready is not _first_moving(waiting):
            late = _first_moving(waiting)
            raise ModelError(
                f"{where}: joint order puts '{late.name}' before the joints that move its parent link '{late.parent}'; "
                "list those first"
            )
        waiting.remove(ready)
        placed.add(ready.child)
        result.append(ready)
    grounded = {WORLD}
    for joint in result:
        if joint.parent in grounded and not joint.joint.ndof:
            grounded.add(joint.child)
    return sorted(result, key=lambda joint: joint.child not in grounded)


def _first_moving(joints: Iterable[PlacedJoint]) -> PlacedJoint:
    return next(joint for joint in joints if joint.joint.ndof)


def _in_given_order(joints: Sequence[PlacedJoint], order: Sequence[str], where: str) -> list[PlacedJoint]:
    """Joints in the given order; each fixed joint comes as soon as its parent is placed."""
    moving = {joint.name: joint for joint in joints if joint.joint.ndof}
    for name in order:
        if name not in moving:
            raise ModelError(f"{where}: joint order names '{name}', which is no moving joint{suggest(name, moving)}")
    left_out = [name for name in moving if name not in order]
    if left_out or len(set(order)) != len(order):
        raise ModelError(
            f"{where}: joint order must name each moving joint once; left out: {', '.join(left_out) or '-'}"
        )
    return [joint for joint in joints if not joint.joint.ndof] + [moving[name] for name in order]


def _check_names(kinds: dict[str, Sequence], where: str) -> None:
    for kind, things in kinds.items():
        names = [thing.name for thing in things]
        repeated = [name for name, count in Counter(names).items() if count > 1]
        if repeated:
            raise ModelError(f"{where}: two {kind}s are called '{repeated[0]}'")
    if any(link.name == WORLD for link in kinds["link"]):
        raise ModelError(f"{where}: no link may be called '{WORLD}': that is the world itself")


def _check_one_joint_a_link(links: list[str], joints: Sequence[PlacedJoint], where: str) -> None:
    holder: dict[str, str] = {}
    for joint in joints:
        for role, name in (("parent", joint.parent), ("child", joint.child)):
            if name not in links and not (role == "parent" and name == WORLD):
                raise ModelError(f"{where}: joint '{joint.name}': {role} '{name}' is no link{suggest(name, links)}")
        if joint.child in holder:
            raise ModelError(
                f"{where}: link '{joint.child}' is the child of joints '{holder[joint.child]}' and '{joint.name}'; "
                "that closes a loop, and a tree has none: leave one joint out"
            )
        holder[joint.child] = joint.name
    for name in links:
        if name not in holder:
            raise ModelError(
                f"{where}: link '{name}' is the child of no joint; add a joint from another link or from '{WORLD}'"
            )
