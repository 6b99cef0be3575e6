"""The multibody engine's model of a scene file: the robot and what drives it."""

from __future__ import annotations

import importlib
from importlib.metadata import entry_points
from typing import Any

from ipc_articulation.scenefile import schema
from ipc_articulation.scenefile.document import Document, Problem
from ipc_articulation.scenefile.paths import package_folders
from ipc_articulation.simulation.materials import said_friction

# What is asked of every adapter's `SceneModel`; loops and pins are asked only of those that have `add_loop`.
METHODS = [
    "set_armature",
    "set_damping",
    "set_friction",
    "set_default_friction",
    "use_hulls",
    "add_position_actuators",
    "start_at",
    "start_moving",
    "place_robot",
    "compile",
]


def make_model(scene: schema.RobotScene, document: Document) -> Any:
    """The multibody engine's model of a scene's robot.

    Raises:
        SceneFileError: With the place of what is refused.
    """
    with document.blame("robot", "model"):
        model = scene_model(scene, document)
    robot = scene.robot
    _set_surfaces(model, scene)
    _set_joints(model, robot, document)
    for index, actuators in enumerate(robot.actuators):
        with document.blame("robot", "actuators", index, "joints"):
            model.add_position_actuators(actuators.joints, actuators.kp, actuators.kv, actuators.max_force)
    with document.blame("robot", "initial"):
        model.start_at(robot.initial)
    with document.blame("robot", "initial_velocity"):
        model.start_moving(robot.initial_velocity)
    _add_loops(model, scene, document)
    model.place_robot(robot.pose.position, robot.pose.wxyz)
    with document.blame("robot", "model"):
        return model.compile()


def scene_model(scene: schema.RobotScene, document: Document) -> Any:
    """The `SceneModel` of the adapter's package, holding the robot's file."""
    entry = entry_points(group="ipc_articulation.adapters")[scene.adapter]
    try:
        module = importlib.import_module(f"{entry.module}.scene_model")
    except ModuleNotFoundError as error:
        message = f"adapter '{scene.adapter}' needs '{error.name}', which is not installed"
        if error.name == f"{entry.module}.scene_model":
            message = f"adapter '{scene.adapter}' cannot read scene files: it has no module {error.name}"
        raise document.error([Problem(("adapter",), message)]) from error
    if missing := [method for method in METHODS if not hasattr(module.SceneModel, method)]:
        message = f"adapter '{scene.adapter}' cannot read scene files: its SceneModel has no {', '.join(missing)}"
        raise document.error([Problem(("adapter",), message)])
    folders = [*package_folders(), *scene.robot.model.parents]
    return module.SceneModel(scene.robot.model, folders, scene.dt, scene.gravity, scene.integrator)


def _set_surfaces(model: Any, scene: schema.RobotScene) -> None:
    friction = said_friction(scene, scene.robot)
    if friction is not None:
        model.set_friction(friction)
    else:
        model.set_default_friction(scene.contact.friction)
    if scene.robot.collision == "hull":
        model.use_hulls()


def _set_joints(model: Any, robot: schema.Robot, document: Document) -> None:
    """Armature and damping; of several patterns that match a joint the last one holds."""
    for key, setter in (("armature", model.set_armature), ("damping", model.set_damping)):
        value = getattr(robot, key)
        by_pattern = value if isinstance(value, dict) else {} if value is None else {".*": value}
        with document.blame("robot", key):
            for pattern, number in by_pattern.items():
                setter(number, pattern)


def _add_loops(model: Any, scene: schema.RobotScene, document: Document) -> None:
    robot = scene.robot
    if (robot.loops or robot.pins) and not hasattr(model, "add_loop"):
        key = "loops" if robot.loops else "pins"
        raise document.error([Problem(("robot", key), f"adapter '{scene.adapter}' knows no {key}; `native` does")])
    for index, loop in enumerate(robot.loops):
        with document.blame("robot", "loops", index):
            model.add_loop(loop.model_dump())
    for pin in robot.pins:
        model.add_pin(pin.model_dump())
