"""Names of a robot's joints in a scene file: all unknown ones, where building reports only the first."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from ipc_articulation.checking.start import Start
from ipc_articulation.errors import AdapterError, ModelError, SceneFileError
from ipc_articulation.naming import matching
from ipc_articulation.repairs import summed
from ipc_articulation.scenefile.document import Document, Location, SceneProblem
from ipc_articulation.scenefile.schema import (
    ControllerEntry,
    RobotEntry,
    RobotScene,
    SineEntry,
    TorqueEntry,
    TrajectoryEntry,
)
from ipc_articulation.simulation.controllers import targets, torques

Pattern = str | Sequence[str]


def model_problems(scene: RobotScene, document: Document) -> Iterator[SceneProblem]:
    """The robot's file, and names of joints in `robot` that it does not have."""
    from ipc_articulation.simulation.robot_model import scene_model

    try:
        with summed(scene.robot.model), document.blame("robot", "model"):
            model = scene_model(scene, document)
    except SceneFileError as error:
        yield _refused(error, scene.robot.model)
        return
    for place, pattern in _patterns(scene.robot):
        yield from unknown((place, pattern), model.joint_names, "joint")


def controller_problems(scene: RobotScene, start: Start) -> list[SceneProblem]:
    """Names of joints in controllers that take no target, or that the robot does not have; joints that two move."""
    return list(_named_in_controllers(scene, start)) or list(_refused_controllers(scene, start))


def _named_in_controllers(scene: RobotScene, start: Start) -> Iterator[SceneProblem]:
    for place, controller in placed_controllers(scene):
        if isinstance(controller, SineEntry):
            yield from unknown(((*place, "joints"), controller.joints), start.actuated, "joint with an actuator")
        if isinstance(controller, TorqueEntry) and controller.joints is not None:
            yield from unknown(((*place, "joints"), controller.joints), start.joints, "joint")
        if isinstance(controller, TrajectoryEntry):
            for index, waypoint in enumerate(controller.waypoints or ()):
                for name in waypoint.joints:
                    at = (*place, "waypoints", index, "joints", name)
                    yield from unknown((at, [name]), start.actuated, "joint with an actuator")


def _refused_controllers(scene: RobotScene, start: Start) -> Iterator[SceneProblem]:
    """What a run refuses of a controller, its file and those before it."""
    at, named = np.zeros(1), list[ControllerEntry]()
    for place, controller in placed_controllers(scene):
        named.append(controller)
        try:
            targets(named, start.actuated, np.zeros(len(start.actuated)), at)
            torques([controller], start.joints, at)
        except AdapterError as error:
            yield SceneProblem(place, str(error))
            return


def placed_controllers(scene: RobotScene) -> list[tuple[Location, ControllerEntry]]:
    """Each controller with its place in the file."""
    places: list[tuple[Location, ControllerEntry]] = [
        (("controllers", index), controller) for index, controller in enumerate(scene.controllers)
    ]
    return places if scene.controller is None else [*places, (("controller",), scene.controller)]


def _patterns(robot: RobotEntry) -> Iterator[tuple[Location, Pattern]]:
    """Everything in `robot` that names joints."""
    for index, actuators in enumerate(robot.actuators):
        yield ("robot", "actuators", index, "joints"), actuators.joints
    for key in ("initial", "initial_velocity"):
        for name in getattr(robot, key):
            yield ("robot", key, name), [name]
    for key in ("armature", "damping", "frictionloss"):
        value = getattr(robot, key)
        for pattern in value if isinstance(value, dict) else ():
            yield ("robot", key, pattern), pattern
    for index, loop in enumerate(robot.loops):
        yield ("robot", "loops", index, "joints"), loop.joints


def unknown(named: tuple[Location, Pattern], known: Sequence[str], what: str) -> Iterator[SceneProblem]:
    """Problems of a choice of joints at a place that matches none of the known names."""
    place, pattern = named
    for part in [pattern] if isinstance(pattern, str) else [[name] for name in pattern]:
        try:
            matching(part, known, what, AdapterError)
        except AdapterError as error:
            yield SceneProblem(place, str(error), at_key=place[-1] in (part, part[0]))


def _refused(error: SceneFileError, file: Path) -> SceneProblem:
    """The adapter's error about the robot's file, with the line at which our own reader fails."""
    message, line = error.faults[0].message, ""
    if file.suffix.lower() == ".urdf" and not re.search(rf"{re.escape(str(file))}:\d", message):
        from ipc_articulation.dynamics import read_robot

        try:
            read_robot(file).build()
        except ModelError as found:
            line = f" ({found})"
    where: Location = ("adapter",) if message.startswith("adapter '") else ("robot", "model")
    return SceneProblem(where, message + line)
