"""Robots made apart: each in an environment of its own, but half-planes that all of them have, which exist once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import uipc

from ipc_articulation.coupling.adapter import CoupledRobot, HalfPlane
from ipc_articulation.coupling.contact_elements import (
    contact_elements_of,
    environments_of,
    make_contact_elements,
    make_environments,
)
from ipc_articulation.errors import AdapterError

Elements = tuple[dict[str, Any], dict[str, Any]]  # contact elements and subscenes by name, see `place_bodies`


def made_apart(scene: uipc.Scene, robots: Sequence[CoupledRobot]) -> list[tuple[CoupledRobot, Elements]]:
    """Each robot in its environment, and its elements in the scene.

    Raises:
        AdapterError: A part has an environment already; names it.
    """
    for robot in robots:
        for part in robot.parts:
            if part.environment:
                raise AdapterError(
                    f"couple_many: '{part.name}' is in the environment '{part.environment}'; each robot of couple_many "
                    "gets an environment of its own: leave those of its parts empty"
                )
    if len({(robot.contact_rules, robot.untouchable) for robot in robots}) > 1:
        own = [_in_environment(robot, k, frozenset()) for k, robot in enumerate(robots)]
        return [(robot, (make_contact_elements(scene, robot), make_environments(scene, robot))) for robot in own]
    shared = _shared(robots)
    own = [_in_environment(robot, k, shared) for k, robot in enumerate(robots)]
    elements = zip(contact_elements_of(scene, own), environments_of(scene, own), strict=True)
    first, *others = own
    return list(zip([first, *(_without(robot, shared) for robot in others)], elements, strict=True))


def _in_environment(robot: CoupledRobot, number: int, shared: frozenset[str]) -> CoupledRobot:
    name = f"environment {number}"
    bodies: dict[str, Any] = {
        key: tuple(replace(body, environment=name) for body in getattr(robot, key))
        for key in ("links", "free", "static")
    }
    planes = tuple(plane if plane.name in shared else replace(plane, environment=name) for plane in robot.planes)
    return replace(robot, **bodies, planes=planes)


def _without(robot: CoupledRobot, planes: frozenset[str]) -> CoupledRobot:
    return replace(robot, planes=tuple(plane for plane in robot.planes if plane.name not in planes))


def _shared(robots: Sequence[CoupledRobot]) -> frozenset[str]:
    """Names of the half-planes that are the same in all robots."""
    of_each = [{_key(plane) for plane in robot.planes} for robot in robots]
    return frozenset(name for name, *_ in set.intersection(*of_each))


def _key(plane: HalfPlane) -> tuple[Any, ...]:
    return plane.name, plane.point.tobytes(), plane.normal.tobytes(), plane.friction, plane.resistance
