"""Loops of a robot as a scene file gives them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from ipc_articulation.adapters.native.chain import Array
from ipc_articulation.adapters.native.pins import Pin

from ipc_articulation.dynamics.loops import FourBar, LoopConstraint, LoopModel, gear
from ipc_articulation.dynamics.loops.explicit import Explicit
from ipc_articulation.dynamics.model import Model
from ipc_articulation.errors import AdapterError

Loop = tuple[tuple[str, ...], LoopConstraint]


def scene_loop(loop: Mapping[str, Any]) -> Loop:
    """A loop's joints and their constraint from its block in a scene file.

    Raises:
        AdapterError: An unknown type, or a driver that is not in the loop.
        ModelError: The numbers of the constraint do not fit.
    """
    match loop["type"]:
        case "four_bar":
            names = tuple(loop["joints"])
            if loop["driver"] not in names:
                raise AdapterError(f"driver '{loop['driver']}' is none of the loop's joints {list(names)}")
            return names, FourBar(loop["lengths"], loop["offset"], names.index(loop["driver"]))
        case "gear":
            return tuple(loop["joints"]), gear(loop["ratio"])
    raise AdapterError(f"adapter native knows no loop of type '{loop['type']}'; it knows four_bar and gear")


def scene_pin(pin: Mapping[str, Any]) -> Pin:
    """A pin from its block in a scene file."""
    return Pin(pin["name"], pin["first"], pin["second"], pin["on_first"], pin["on_second"], pin["axis"])


def closed_start(model: Model, loops: Sequence[Loop], q: Array) -> tuple[LoopModel, Array]:
    """The robot, and its position near a spanning position with all loops closed.

    Args:
        model: The spanning tree.
        loops: Its loops.
        q: Spanning position, (m,): exact for independent joints, a first guess for the others.

    Raises:
        ModelError: A joint is unknown, or in two loops.
        StateError: A loop cannot be closed from there.
    """
    robot = LoopModel(model, loops)
    x, bound = np.empty(robot.nx), np.zeros(robot.nx, dtype=np.bool_)
    for loop in robot.loops:
        part = q[loop.q]
        x[loop.x] = loop.constraint.independent(part) if isinstance(loop.constraint, Explicit) else part
        bound[loop.x] = True
    x[~bound] = q[robot.free_dofs]
    return robot, robot.closed(x)
