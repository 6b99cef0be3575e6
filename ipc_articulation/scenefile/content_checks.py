"""Checks of a scene's bodies, materials and walls: names that must exist, keys that exclude others."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ipc_articulation.naming import suggest
from ipc_articulation.scenefile.document import Location, SceneProblem
from ipc_articulation.scenefile.schema import (
    ArticulationScene,
    BodyEntry,
    GroundEntry,
    RobotEntry,
    RobotScene,
    Scene,
    WallEntry,
)

MAX_RATIO = 1e5  # of the lengths of one shape

Thing = BodyEntry | GroundEntry | WallEntry | RobotEntry


def _things(scene: Scene) -> Iterator[tuple[Location, Thing]]:
    """What may be made of a material, with its place."""
    for index, body in enumerate(scene.bodies):
        yield ("bodies", index), body
    for index, wall in enumerate(scene.walls):
        yield ("walls", index), wall
    if scene.ground:
        yield ("ground",), scene.ground
    if isinstance(scene, RobotScene):
        yield ("robot",), scene.robot


def materials(scene: Scene) -> Iterator[SceneProblem]:
    """Materials that things are made of exist."""
    for place, thing in _things(scene):
        if thing.material is not None and thing.material not in scene.materials:
            message = f"unknown material '{thing.material}'{suggest(thing.material, scene.materials, 'materials')}"
            yield SceneProblem((*place, "material"), message)


def proportions(scene: Scene) -> Iterator[SceneProblem]:
    """The lengths of a shape do not differ so much that its surface degenerates."""
    for index, body in enumerate(scene.bodies):
        sizes = body.shape.model_dump(exclude={"type", "file", "scale"}).values()
        lengths = [length for size in sizes for length in np.ravel(size)]
        if lengths and max(lengths) > MAX_RATIO * min(lengths):
            given = f"got {min(lengths):g} and {max(lengths):g} m"
            message = f"the lengths of a shape differ by a factor of {MAX_RATIO:g} at most, {given}"
            yield SceneProblem(("bodies", index, "shape"), message)


def walls(scene: Scene) -> Iterator[SceneProblem]:
    """Walls have names of their own, and normals; no body takes the ground's."""
    for index, body in enumerate(scene.bodies):
        if body.name == "ground" and scene.ground:
            yield SceneProblem(("bodies", index, "name"), "the name 'ground' is taken already, by the ground")
    taken = {body.name for body in scene.bodies} | {"ground"}
    for index, wall in enumerate(scene.walls):
        if wall.name in taken:
            yield SceneProblem(("walls", index, "name"), f"the name '{wall.name}' is taken already")
        taken.add(wall.name)
        if not np.any(wall.normal):
            yield SceneProblem(("walls", index, "normal"), f"the normal of wall '{wall.name}' has no direction")


def turns(scene: Scene) -> Iterator[SceneProblem]:
    """A pose says its rotation once."""
    owners: list[tuple[Location, BodyEntry | RobotEntry]] = [
        (("bodies", i), body) for i, body in enumerate(scene.bodies)
    ]
    if isinstance(scene, RobotScene):
        owners.append((("robot",), scene.robot))
    for place, thing in owners:
        if {"rpy", "quaternion"} <= thing.pose.model_fields_set:
            yield SceneProblem((*place, "pose", "rpy"), "a pose has a quaternion or rpy, not both")


def velocities(scene: Scene) -> Iterator[SceneProblem]:
    """Only what moves freely has an initial velocity, or is pushed."""
    held = _articulated(scene)
    for index, body in enumerate(scene.bodies):
        if not (body.fixed or body.name in held):
            continue
        why = "is fixed" if body.fixed else "is moved by an articulation"
        if body.velocity is not None:
            yield SceneProblem(
                ("bodies", index, "velocity"), f"body '{body.name}' {why}, so it has no initial velocity"
            )
        if body.push is not None:
            yield SceneProblem(("bodies", index, "push"), f"body '{body.name}' {why}, so nothing pushes it")


def variations(scene: Scene) -> Iterator[SceneProblem]:
    """Each variation says how it is drawn, and is of a value of its own."""
    paths: set[str] = set()
    for index, variation in enumerate(scene.randomise):
        if variation.path in paths:
            yield SceneProblem(("randomise", index, "path"), f"'{variation.path}' is drawn already")
        paths.add(variation.path)
        if variation.uniform is not None and variation.uniform[0] > variation.uniform[1]:
            yield SceneProblem(("randomise", index, "uniform"), "the first bound must not be above the second")
        if (variation.uniform is None) == (variation.normal is None):
            yield SceneProblem(
                ("randomise", index), "give either `uniform`, two bounds, or `normal`, a standard deviation"
            )


def _articulated(scene: Scene) -> set[str]:
    """Names of bodies that an articulation moves."""
    if not isinstance(scene, ArticulationScene):
        return set()
    moved = {name for articulation in scene.articulations for name in articulation.joints}
    return {name for joint in scene.joints if joint.name in moved for name in (joint.parent, joint.child)}
