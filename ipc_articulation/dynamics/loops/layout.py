"""Indices of joints and loops among the positions x and independent velocities ẏ of a robot, in the tree's order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ipc_articulation.arrays import Ints
from ipc_articulation.dynamics.loops.clusters import Loop
from ipc_articulation.dynamics.loops.constraint import LoopConstraint
from ipc_articulation.errors import ModelError

Loops = Sequence[tuple[Sequence[int], LoopConstraint]]


class SpanningJoints(NamedTuple):
    """The n joints of a spanning tree, and the indices of their first coordinates."""

    names: tuple[str, ...]
    q: Ints  # (n + 1,) first position coordinate of each, and nq
    v: Ints  # (n + 1,) first velocity coordinate of each, and nv


class FreeJoint(NamedTuple):
    """A joint in no loop: its coordinates in the spanning tree and in the robot."""

    joint: int
    q: range
    dofs: range
    x: range
    y: range


class Layout(NamedTuple):
    """The indices of all joints and loops."""

    loops: list[Loop]
    free: list[FreeJoint]
    nx: int
    nv: int


def laid_out(joints: SpanningJoints, loops: Loops) -> Layout:
    """Assign indices to every joint and loop.

    Args:
        joints: Joints of the spanning tree.
        loops: For each loop the indices of its joints, and the constraint on them.

    Raises:
        ModelError: A joint has a quaternion or is in two loops, or the number of coordinates does not fit the
            constraint.
    """
    owner, placed, nx, ny = _owners(joints, loops), dict[int, Loop](), 0, 0
    free: list[FreeJoint] = []
    for joint in range(len(joints.names)):
        number = owner.get(joint)
        if number is None:
            q, dofs = (range(*map(int, at[joint : joint + 2])) for at in (joints.q, joints.v))
            free.append(FreeJoint(joint, q, dofs, range(nx, nx + len(q)), range(ny, ny + len(dofs))))
            nx, ny = free[-1].x.stop, free[-1].y.stop
        elif number not in placed:
            members, constraint = loops[number]
            x, y = slice(nx, nx + constraint.position_size), slice(ny, ny + constraint.ndof)
            names = [joints.names[member] for member in members]
            at_q, at_v = (np.array([i for m in members for i in range(*at[m : m + 2])]) for at in (joints.q, joints.v))
            coordinates = [c for m in members for c in numbered(joints.names[m], int(np.diff(joints.v)[m]))]
            placed[number] = Loop(_listed(names), tuple(coordinates), constraint, at_v, at_q, x, y)
            nx, ny = x.stop, y.stop
    return Layout(list(placed.values()), free, nx, ny)


def _owners(joints: SpanningJoints, loops: Loops) -> dict[int, int]:
    """The loop of each joint that is in one."""
    owner: dict[int, int] = {}
    freedoms = np.diff(joints.v)
    for number, (members, constraint) in enumerate(loops):
        what, count = _listed([joints.names[member] for member in members]), int(sum(freedoms[m] for m in members))
        if count != constraint.size:
            raise ModelError(f"{what}: the constraint is on {constraint.size} coordinates; the joints have {count}")
        for member in members:
            name = joints.names[member]
            if joints.q[member + 1] - joints.q[member] != freedoms[member]:
                raise ModelError(f"{what}: joint '{name}' has a quaternion; in loops joints turn about axes and slide")
            if member in owner:
                raise ModelError(f"joint '{name}' is in two loops; make them one constraint")
            owner[member] = number
    return owner


def numbered(joint: str, count: int) -> list[str]:
    """Names of a joint's coordinates: its own, with a number if it has several."""
    return [joint] if count == 1 else [f"{joint}[{k}]" for k in range(count)]


def _listed(names: Sequence[str]) -> str:
    return "the loop of joints " + ", ".join(f"'{name}'" for name in names)
