"""Checks across a scene file that no single block can make: names, sizes, order."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any

import numpy as np

from ipc_articulation.naming import suggest
from ipc_articulation.scenefile.content_checks import materials, proportions, turns, variations, velocities, walls
from ipc_articulation.scenefile.controller_checks import controllers
from ipc_articulation.scenefile.document import Location, SceneProblem
from ipc_articulation.scenefile.schema import ArticulationScene, AxisEntry, PoseEntry, RobotScene, Scene


def check(scene: Scene, faulty: Collection[str] = ()) -> Iterator[SceneProblem]:
    """Every problem of a scene whose blocks are right by themselves.

    Args:
        scene: What is to be checked.
        faulty: Keys of the scene whose blocks are wrong by themselves; what looks at them is left out.
    """
    for kind, keys, checked in _CHECKS:
        if isinstance(scene, kind) and not set(keys) & set(faulty):
            yield from checked(scene)


def _unique(location: Location, names: list[str]) -> Iterator[SceneProblem]:
    for index, name in enumerate(names):
        if name in names[:index]:
            yield SceneProblem((*location, index, "name"), f"the name '{name}' is taken already")


def _known(location: Location, name: str, known: Iterable[str], what: str) -> Iterator[SceneProblem]:
    known = list(known)
    if name not in known:
        yield SceneProblem(location, f"unknown {what} '{name}'{suggest(name, known, 'known')}")


def _body_names(scene: Scene) -> Iterator[SceneProblem]:
    yield from _unique(("bodies",), [body.name for body in scene.bodies])


def _masses(scene: Scene) -> Iterator[SceneProblem]:
    for index, body in enumerate(scene.bodies):
        if body.mass is not None and body.density is not None:
            yield SceneProblem(("bodies", index, "density"), f"body '{body.name}' has both mass and density; give one")


def _body_quaternions(scene: Scene) -> Iterator[SceneProblem]:
    for index, body in enumerate(scene.bodies):
        yield from _unit(("bodies", index, "pose", "quaternion"), body.pose)


def _robot_quaternion(scene: RobotScene) -> Iterator[SceneProblem]:
    yield from _unit(("robot", "pose", "quaternion"), scene.robot.pose)


def _unit(location: Location, pose: PoseEntry) -> Iterator[SceneProblem]:
    norm = float(np.linalg.norm(pose.quaternion))
    if abs(norm - 1.0) > 1e-3:
        yield SceneProblem(location, f"a quaternion (w, x, y, z) has length 1, this one {norm:.4g}")


def _integrator(scene: RobotScene) -> Iterator[SceneProblem]:
    if scene.adapter == "mujoco" and scene.integrator == "implicit":
        message = "integrator 'implicit' is one of adapter native; with adapter mujoco give Euler or implicitfast"
        yield SceneProblem(("integrator",), message)


def _joints(scene: ArticulationScene) -> Iterator[SceneProblem]:
    yield from _unique(("joints",), [joint.name for joint in scene.joints])
    for index, joint in enumerate(scene.joints):
        if isinstance(joint, AxisEntry):
            yield from _axis(("joints", index), joint)


def _axis(location: Location, joint: AxisEntry) -> Iterator[SceneProblem]:
    if not np.any(joint.axis):
        yield SceneProblem((*location, "axis"), f"the axis of joint '{joint.name}' has no direction")
    if joint.limits is not None and not joint.limits[0] <= 0.0 <= joint.limits[1]:
        message = f"joint '{joint.name}' starts at 0, so its limits are one not above and one not below 0"
        yield SceneProblem((*location, "limits"), message)


def _joined_bodies(scene: ArticulationScene) -> Iterator[SceneProblem]:
    bodies = [body.name for body in scene.bodies]
    for index, joint in enumerate(scene.joints):
        yield from _known(("joints", index, "parent"), joint.parent, bodies, "body")
        yield from _known(("joints", index, "child"), joint.child, bodies, "body")
        if joint.parent == joint.child:
            yield SceneProblem(("joints", index, "child"), f"joint '{joint.name}' joins '{joint.child}' to itself")


def _articulated_joints(scene: ArticulationScene) -> Iterator[SceneProblem]:
    joints = [joint.name for joint in scene.joints if isinstance(joint, AxisEntry)]
    for index, articulation in enumerate(scene.articulations):
        for position, name in enumerate(articulation.joints):
            yield from _known(("articulations", index, "joints", position), name, joints, "hinge or slider")


def _articulations(scene: ArticulationScene) -> Iterator[SceneProblem]:
    for index, articulation in enumerate(scene.articulations):
        yield from _sizes(("articulations", index), len(articulation.joints), articulation.velocity, articulation.mass)
    yield from _owned_once(scene)


def _sizes(
    location: Location, m: int, velocity: tuple[float, ...], mass: tuple[tuple[float, ...], ...]
) -> Iterator[SceneProblem]:
    if len(velocity) != m:
        yield SceneProblem((*location, "velocity"), f"velocity has {len(velocity)} numbers for {m} joints")
    if len(mass) != m or any(len(row) != m for row in mass):
        yield SceneProblem((*location, "mass"), f"mass must be {m} rows of {m} numbers, for {m} joints")
    elif not _positive_definite(np.array(mass)):
        yield SceneProblem((*location, "mass"), "mass must be symmetric positive definite")


def _positive_definite(mass: np.ndarray) -> bool:
    return bool(np.allclose(mass, mass.T, rtol=1e-12, atol=0.0) and np.linalg.eigvalsh(mass).min() > 0.0)


def _owned_once(scene: ArticulationScene) -> Iterator[SceneProblem]:
    owned: set[str] = set()
    for index, articulation in enumerate(scene.articulations):
        for position, name in enumerate(articulation.joints):
            if name in owned:
                message = f"joint '{name}' is in an articulation already"
                yield SceneProblem(("articulations", index, "joints", position), message)
            owned.add(name)
    for index, joint in enumerate(scene.joints):
        if isinstance(joint, AxisEntry) and joint.drive is not None and joint.name in owned:
            yield SceneProblem(("joints", index, "drive"), f"joint '{joint.name}' is moved by an articulation already")


_Check = tuple[type[Scene], tuple[str, ...], Callable[[Any], Iterator[SceneProblem]]]

# The kind of scenes, the keys that a check looks at, and the check.
_CHECKS: tuple[_Check, ...] = (
    (Scene, ("bodies",), _body_names),
    (Scene, ("bodies",), _masses),
    (Scene, ("bodies",), proportions),
    (Scene, ("bodies",), _body_quaternions),
    (Scene, ("materials", "bodies", "walls", "ground", "robot"), materials),
    (Scene, ("bodies", "walls", "ground"), walls),
    (Scene, ("bodies", "robot"), turns),
    (Scene, ("bodies", "joints", "articulations"), velocities),
    (Scene, ("randomise",), variations),
    (RobotScene, ("robot",), _robot_quaternion),
    (RobotScene, ("adapter", "integrator"), _integrator),
    (RobotScene, ("controller", "controllers"), controllers),
    (ArticulationScene, ("joints",), _joints),
    (ArticulationScene, ("joints", "bodies"), _joined_bodies),
    (ArticulationScene, ("joints", "articulations"), _articulated_joints),
    (ArticulationScene, ("articulations",), _articulations),
)
