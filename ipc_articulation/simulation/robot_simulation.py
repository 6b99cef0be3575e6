"""Runs scenes whose joints a multibody engine moves (`adapter: mujoco`, `adapter: native`)."""

from __future__ import annotations

import importlib
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ipc_articulation.coupling import couple
from ipc_articulation.coupling.adapter import Body, Mechanism
from ipc_articulation.recording.scenery import Role, Surface
from ipc_articulation.scenefile import schema
from ipc_articulation.scenefile.document import Document, Problem
from ipc_articulation.scenefile.paths import package_folders
from ipc_articulation.simulation.controllers import targets
from ipc_articulation.simulation.surfaces import up
from ipc_articulation.simulation.world import make_uipc_scene, newton_iterations, start_world

Array = NDArray[np.float64]


class RobotSimulation:
    """A robot and free bodies, coupled; implements `Simulation`."""

    def __init__(self, scene: schema.RobotScene, document: Document, engine: str, workspace: Path, steps: int) -> None:
        """Build the model, couple it and start the engine; the controller's targets are made for `steps` steps.

        Raises:
            SceneFileError: The model, a joint's name or a mesh is refused, with the place in the file.
        """
        self._driven = driven = make_model(scene, document)
        with document.blame("controller"):
            times = scene.dt * np.arange(steps, dtype=float)
            self._targets = targets(scene.controller, driven.actuated, driven.start, times)
        self._uipc_scene = make_uipc_scene(scene, document)
        with document.blame("robot"):
            self.coupling = couple(self._uipc_scene, driven.adapter)
        mechanism = self.coupling.mechanism
        self.surfaces, self.planes = _surfaces(mechanism), mechanism.planes
        self.joint_names = tuple(joint.name for joint in mechanism.joints)
        self.body_names = tuple(body.name for body in (*mechanism.links, *mechanism.free))
        self.free_names = tuple(body.name for body in mechanism.free)
        self.engine, self._world = start_world(self._uipc_scene, scene, document, engine, workspace)

    def step(self, index: int) -> None:
        """Command the actuators' targets of step `index` and take it."""
        self._driven.command(self._targets[index])
        self.coupling.step(self._world)

    def minimum_distance(self) -> float:
        """Of the present state; see `Simulation`."""
        return self.coupling.minimum_distance

    def write(self, buffers: dict[str, Array], row: int) -> None:
        """Write the present state; see `Simulation`."""
        coupling = self.coupling
        buffers["theta"][row], buffers["theta_dot"][row] = coupling.theta, coupling.theta_dot
        buffers["body_poses"][row] = coupling.body_poses
        buffers["minimum_distance"][row] = self.minimum_distance()
        if row > 0:
            for key in ("delta_theta", "delta_theta_tilde", "contact_force"):
                buffers[key][row] = getattr(coupling, key)
            buffers["newton_iterations"][row] = newton_iterations(self.engine)


def make_model(scene: schema.RobotScene, document: Document) -> Any:
    """The multibody engine's model of a scene: robot, ground and bodies.

    Raises:
        SceneFileError: With the place of what is refused.
    """
    with document.blame("robot", "model"):
        model = _scene_model(scene, document)
    robot = scene.robot
    model.set_joints(robot.armature, robot.damping)
    if robot.friction is not None:
        model.set_friction(robot.friction)
    for index, actuators in enumerate(robot.actuators):
        with document.blame("robot", "actuators", index, "joints"):
            model.add_position_actuators(actuators.joints, actuators.kp, actuators.kv, actuators.max_force)
    with document.blame("robot", "initial"):
        model.start_at(robot.initial)
    _add_loops(model, scene, document)
    model.place_robot(robot.pose.position, robot.pose.quaternion)
    if scene.ground:
        normal = up(scene.gravity)
        with document.blame("ground"):
            model.add_ground(scene.ground.height * normal, normal, scene.ground.friction)
    for index, body in enumerate(scene.bodies):
        with document.blame("bodies", index, "name"):
            _add_body(model, body)
    with document.blame("robot", "model"):
        return model.compile()


def _scene_model(scene: schema.RobotScene, document: Document) -> Any:
    """The `SceneModel` of the adapter's package, holding the robot's file."""
    entry = entry_points(group="ipc_articulation.adapters")[scene.adapter]
    try:
        module = importlib.import_module(f"{entry.module}.scene_model")
    except ModuleNotFoundError as error:
        message = f"adapter '{scene.adapter}' needs '{error.name}', which is not installed"
        if error.name == f"{entry.module}.scene_model":
            message = f"adapter '{scene.adapter}' cannot read scene files: it has no module {error.name}"
        raise document.error([Problem(("adapter",), message)]) from error
    folders = [*package_folders(), *scene.robot.model.parents]
    return module.SceneModel(scene.robot.model, folders, scene.dt, scene.gravity, scene.integrator)


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


def _add_body(model: Any, body: schema.Body) -> None:
    model.add_body(
        body.name,
        body.shape.model_dump(),
        body.pose.position,
        body.pose.quaternion,
        fixed=body.fixed,
        mass=body.mass,
        density=body.density or schema.DENSITY,
        friction=body.friction,
    )


def _surfaces(mechanism: Mechanism) -> tuple[Surface, ...]:
    groups: tuple[tuple[Role, tuple[Body, ...]], ...] = (
        ("link", mechanism.links),
        ("free", mechanism.free),
        ("fixed", mechanism.static),
    )
    return tuple(
        Surface(body.name, role, body.mesh.vertices, body.mesh.faces, body.pose)
        for role, bodies in groups
        for body in bodies
        if body.mesh is not None
    )
