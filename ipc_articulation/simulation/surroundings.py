"""What a scene file says of bodies and contact, put into a mechanism before it becomes a libuipc scene.

No multibody engine needs to know it: walls, initial velocities of free bodies, stiffness, resistance, environments, and
who touches whom.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from itertools import product

import numpy as np

from ipc_articulation import spatial
from ipc_articulation.coupling.adapter import Array, Body, HalfPlane, Mechanism, Mesh
from ipc_articulation.scenefile import schema
from ipc_articulation.scenefile.document import Document, Location, Problem
from ipc_articulation.simulation.contact_groups import GROUND, contact_pairs, names_of
from ipc_articulation.simulation.materials import friction_of, resistance_of, stiffness_of
from ipc_articulation.simulation.surfaces import triangles


def complete(mechanism: Mechanism, scene: schema.Scene, document: Document) -> Mechanism:
    """A mechanism with all that the file says of it.

    Raises:
        SceneFileError: A rule of contact names nothing that there is; a wall or body is called as a part of the robot.
    """
    bodies = {body.name: body for body in scene.bodies}
    robot = scene.robot if isinstance(scene, schema.RobotScene) else None
    walls = tuple(half_plane(scene, wall) for wall in scene.walls)

    def completed(entries: Iterable[Body]) -> tuple[Body, ...]:
        return tuple(_completed(scene, entry, bodies.get(entry.name), robot) for entry in entries)

    planes = tuple(_plane(scene, plane) for plane in mechanism.planes) + walls
    known = replace(
        mechanism,
        links=completed(mechanism.links),
        free=completed(mechanism.free),
        static=completed(mechanism.static),
        planes=planes,
        untouchable=mechanism.untouchable | _immovable(mechanism.static, planes),
    )
    _refuse_equal_names(known, scene, document)
    pairs = contact_pairs(known, scene, document)
    return replace(known, contact_pairs=pairs, untouchable=known.untouchable | _untouchable(known, scene, document))


def _refuse_equal_names(mechanism: Mechanism, scene: schema.Scene, document: Document) -> None:
    """Whatever touches is known by name; those of the robot's file are known only here."""
    places: dict[str, Location] = {body.name: ("bodies", index) for index, body in enumerate(scene.bodies)}
    places |= {wall.name: ("walls", index) for index, wall in enumerate(scene.walls)}
    bodies = (*mechanism.links, *mechanism.free, *mechanism.static)
    names = Counter([body.name for body in bodies] + [plane.name for plane in mechanism.planes])
    if taken := [name for name in places if names[name] > 1]:
        message = f"the robot's file has a body or plane '{taken[0]}' already"
        raise document.error([Problem((*places[taken[0]], "name"), message)])


def half_plane(scene: schema.Scene, wall: schema.Wall) -> HalfPlane:
    """A wall of the file."""
    normal = np.array(wall.normal) / np.linalg.norm(wall.normal)
    friction, resistance = friction_of(scene, wall), resistance_of(scene, wall)
    return HalfPlane(wall.name, np.array(wall.point), normal, friction, resistance, wall.environment)


def velocity_rate(velocity: schema.Velocity | None, pose: Array) -> Array:
    """Rate [ω~ R, v; 0 0] of a pose [R p; 0 1], (4, 4), v being the velocity of its origin."""
    rate = np.zeros((4, 4))
    if velocity is not None:
        rate[:3, :3] = spatial.skew(velocity.angular) @ pose[:3, :3]
        rate[:3, 3] = velocity.linear
    return rate


def _completed(scene: schema.Scene, entry: Body, body: schema.Body | None, robot: schema.Robot | None) -> Body:
    """A body of the file, or else a part of the robot."""
    owner = body or robot
    if owner is None:
        return entry
    completed = replace(
        entry,
        kappa=stiffness_of(scene, owner),
        resistance=resistance_of(scene, owner),
        environment=owner.environment,
    )
    if body is not None and isinstance(body.shape, schema.Mesh):  # `robot.collision: hull` is for links only
        completed = replace(completed, mesh=Mesh(*triangles(body.shape)))
    if body is None or body.fixed:
        return completed
    return replace(completed, velocity=velocity_rate(body.velocity, entry.pose))


def _plane(scene: schema.Scene, plane: HalfPlane) -> HalfPlane:
    """The ground of the file is in all environments; planes of the robot's file are in the robot's."""
    if scene.ground and plane.name in (GROUND, f"world/{GROUND}"):
        return replace(plane, resistance=resistance_of(scene, scene.ground))
    return replace(plane, environment=scene.robot.environment) if isinstance(scene, schema.RobotScene) else plane


def _immovable(static: Iterable[Body], planes: Iterable[HalfPlane]) -> frozenset[frozenset[str]]:
    """What never moves does not touch half-planes."""
    there = [plane.name for plane in planes]
    return frozenset(frozenset(pair) for pair in product([*(body.name for body in static), *there], there))


def _untouchable(mechanism: Mechanism, scene: schema.Scene, document: Document) -> frozenset[frozenset[str]]:
    """Pairs of `robot.untouchable`, by name."""
    if not isinstance(scene, schema.RobotScene):
        return frozenset()
    pairs: set[frozenset[str]] = set()
    for index, sides in enumerate(scene.robot.untouchable):
        groups = []
        for side, pattern in enumerate(sides):
            with document.blame("robot", "untouchable", index, side):
                groups.append(names_of(pattern, mechanism, scene))
        pairs |= {frozenset({a, b}) for a, b in product(*groups) if a != b}
    return frozenset(pairs)
