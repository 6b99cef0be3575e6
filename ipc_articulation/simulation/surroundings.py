"""The complete mechanism of a scene file: the robot as its adapter describes it, and everything that the file adds.

Adapters know nothing of this: bodies, ground and walls, stiffness and resistance of the robot's links, environments,
and who touches whom.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations_with_replacement, product
from typing import Any

from ipc_articulation.coupling.adapter import CoupledBody, CoupledRobot
from ipc_articulation.naming import suggest
from ipc_articulation.recording.scenery import Camera
from ipc_articulation.scenefile import schema
from ipc_articulation.scenefile.checks import SOFT
from ipc_articulation.scenefile.document import Document, Location, SceneProblem
from ipc_articulation.simulation.bodies import GROUND, body_of, planes_of
from ipc_articulation.simulation.contact_groups import contact_rules, names_of_sides
from ipc_articulation.simulation.materials import resistance_of, stiffness_of


def complete(mechanism: CoupledRobot, scene: schema.Scene, document: Document) -> CoupledRobot:
    """A robot's mechanism, or an empty one, with all that the file says. Bodies of the file come after the robot's.

    Raises:
        SceneFileError: A mesh is refused; a rule of contact names nothing that there is; a wall or body has the name of
            a part of the robot.
    """
    _refuse_equal_names(mechanism, scene, document)
    robot, bodies = _of_robot(mechanism, scene), list(_bodies(scene, document))
    known = replace(
        robot,
        free=(*robot.free, *(made for entry, made in bodies if not entry.fixed)),
        static=(*robot.static, *(made for entry, made in bodies if entry.fixed)),
        planes=(*robot.planes, *planes_of(scene)),
    )
    rules = (*known.contact_rules, *contact_rules(known, scene, document))
    untouchable = known.untouchable | _immovable(known) | _untouchable(known, scene, document) | _attached(scene)
    cameras = tuple(_cameras(known, scene, document))
    return replace(known, contact_rules=rules, untouchable=untouchable, cameras=cameras)


def _refuse_equal_names(mechanism: CoupledRobot, scene: schema.Scene, document: Document) -> None:
    """Bodies and planes are known by name; those of the robot's file are known only here."""
    places: dict[str, Location] = {body.name: ("bodies", index, "name") for index, body in enumerate(scene.bodies)}
    places |= {wall.name: ("walls", index, "name") for index, wall in enumerate(scene.walls)}
    for key in SOFT:
        soft = enumerate(getattr(scene, key))
        places |= {body.name: (key, index, "name") for index, body in soft}
    if scene.ground:
        places |= {GROUND: ("ground",), f"world/{GROUND}": ("ground",)}
    for part in mechanism.parts:
        if part.name in places:
            message = f"the robot's file has a body or plane '{part.name}' already"
            raise document.error([SceneProblem(places[part.name], message)])


def _bodies(scene: schema.Scene, document: Document) -> Iterator[tuple[schema.BodyEntry, CoupledBody]]:
    for index, entry in enumerate(scene.bodies):
        with document.blame("bodies", index, "shape"):
            made = body_of(scene, entry)
        yield entry, made


def _cameras(mechanism: CoupledRobot, scene: schema.Scene, document: Document) -> Iterator[Camera]:
    """Those of the file, and those of the robot's file."""
    bodies = {"", *(body.name for body in (*mechanism.links, *mechanism.free, *mechanism.static))}
    for index, entry in enumerate(scene.cameras):
        for key in ("on", "at"):
            if (name := getattr(entry, key) or "") not in bodies:
                message = f"unknown body '{name}'{suggest(name, bodies - {''}, 'bodies')}"
                raise document.error([SceneProblem(("cameras", index, key), message)])
        at = entry.on if entry.at is None else entry.at
        yield Camera(entry.name, entry.eye, entry.target, entry.on, at, angle=entry.angle)
    taken = {camera.name for camera in scene.cameras}
    yield from (camera for camera in mechanism.cameras if camera.name not in taken)


def _of_robot(mechanism: CoupledRobot, scene: schema.Scene) -> CoupledRobot:
    """With what the file says of the robot as a whole."""
    if not isinstance(scene, schema.RobotScene):
        return mechanism
    robot = scene.robot
    kappa, resistance = stiffness_of(scene, robot), resistance_of(scene, robot)
    said: dict[str, Any] = {"kappa": kappa, "resistance": resistance, "environment": robot.environment}
    bodies: dict[str, Any] = {
        key: tuple(replace(b, **said) for b in getattr(mechanism, key)) for key in ("links", "free", "static")
    }
    planes = tuple(replace(plane, environment=robot.environment) for plane in mechanism.planes)
    return replace(mechanism, **bodies, planes=planes)


def _immovable(mechanism: CoupledRobot) -> frozenset[frozenset[str]]:
    """Pairs of what never moves, which do not touch."""
    names = [body.name for body in mechanism.static] + [plane.name for plane in mechanism.planes]
    return frozenset(frozenset(pair) for pair in combinations_with_replacement(names, 2))


def _attached(scene: schema.Scene) -> frozenset[frozenset[str]]:
    """Pairs of a soft body and what holds it, unless they touch."""
    holds = ((body.name, entry.to) for body in scene.soft_bodies for entry in body.attach if not entry.contact)
    return frozenset(map(frozenset, holds))


def _untouchable(mechanism: CoupledRobot, scene: schema.Scene, document: Document) -> frozenset[frozenset[str]]:
    """Pairs of `robot.untouchable`, by name."""
    if not isinstance(scene, schema.RobotScene):
        return frozenset()
    pairs: set[frozenset[str]] = set()
    for index, sides in enumerate(scene.robot.untouchable):
        names = names_of_sides(sides, ("robot", "untouchable", index), mechanism, scene, document)
        pairs |= {frozenset({a, b}) for a, b in product(*names) if a != b}
    return frozenset(pairs)
