"""Where joints and loops of a robot are among its positions x and independent velocities ẏ: in the tree's order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ipc_articulation.dynamics.loops.clusters import Loop
from ipc_articulation.dynamics.loops.constraint import LoopConstraint
from ipc_articulation.errors import ModelError

if TYPE_CHECKING:
    from ipc_articulation.dynamics.model.model import Model


class FreeJoint(NamedTuple):
    """A joint in no loop: its coordinates in the spanning tree and in the robot."""

    q: range
    dofs: range
    x: range
    y: range


class Layout(NamedTuple):
    """All of them."""

    loops: list[Loop]
    free: list[FreeJoint]
    nx: int
    nv: int


def laid_out(model: Model, loops: Sequence[tuple[Sequence[str], LoopConstraint]]) -> Layout:
    """Give every joint and loop its places.

    Args:
        model: The spanning tree.
        loops: Joint names and the constraint on them.

    Raises:
        ModelError: A joint is unknown, has not one degree of freedom, or is in two loops; or their number does not fit.
    """
    owner, placed, nx, ny = _owners(model, loops), dict[int, Loop](), 0, 0
    free: list[FreeJoint] = []
    for joint, name in enumerate(model.joint_names):
        number = owner.get(name)
        if number is None:
            q, dofs = (range(*map(int, at[joint : joint + 2])) for at in (model.body_q, model.body_v))
            free.append(FreeJoint(q, dofs, range(nx, nx + len(q)), range(ny, ny + len(dofs))))
            nx, ny = free[-1].x.stop, free[-1].y.stop
        elif number not in placed:
            names, constraint = loops[number]
            x, y = slice(nx, nx + constraint.position_size), slice(ny, ny + constraint.ndof)
            placed[number] = _loop(model, names, constraint, x, y)
            nx, ny = x.stop, y.stop
    return Layout(list(placed.values()), free, nx, ny)


def _owners(model: Model, loops: Sequence[tuple[Sequence[str], LoopConstraint]]) -> dict[str, int]:
    """Of each joint in a loop, which."""
    owner: dict[str, int] = {}
    for number, (names, constraint) in enumerate(loops):
        what = _name(names)
        if len(names) != constraint.size:
            raise ModelError(f"{what}: the constraint is on {constraint.size} joints, not {len(names)}")
        for name in names:
            index = model.joint(name)
            if model.body_v[index + 1] - model.body_v[index] != 1:
                raise ModelError(f"{what}: joint '{name}' must have one degree of freedom")
            if name in owner:
                raise ModelError(f"joint '{name}' is in two loops; make them one constraint")
            owner[name] = number
    return owner


def _loop(model: Model, names: Sequence[str], constraint: LoopConstraint, x: slice, y: slice) -> Loop:
    dofs = np.array([model.dofs(name).start for name in names], dtype=np.int64)
    positions = np.array([model.positions(name).start for name in names], dtype=np.int64)
    return Loop(_name(names), constraint, dofs, positions, x, y)


def _name(names: Sequence[str]) -> str:
    return "the loop of joints " + ", ".join(f"'{name}'" for name in names)
