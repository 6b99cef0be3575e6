"""Runs scenes whose joints a multibody engine moves (`adapter: mujoco`, `adapter: native`)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ipc_articulation.arrays import Array
from ipc_articulation.coupling import couple
from ipc_articulation.coupling.kinds import freedom_units
from ipc_articulation.repairs import summed
from ipc_articulation.scenefile import schema
from ipc_articulation.scenefile.document import Document
from ipc_articulation.simulation.controls import ControllerSet
from ipc_articulation.simulation.pushes import add_pushes
from ipc_articulation.simulation.robot_model import make_model
from ipc_articulation.simulation.robot_surfaces import surfaces_of
from ipc_articulation.simulation.soft.bodies import SoftBodies
from ipc_articulation.simulation.surroundings import complete
from ipc_articulation.simulation.world import dump_world, make_uipc_scene, recover_world, start_world


class RobotSimulation:
    """A robot and free bodies, coupled; implements `Simulation`.

    Attributes:
        coupling: Of the robot.
        driven: Takes targets and forces of its joints.
        controls: The controllers of the file.
        world: The world, initialised.
    """

    def __init__(self, scene: schema.RobotScene, document: Document, engine: str, workspace: Path, steps: int) -> None:
        """Build the model, couple it and start the engine; the controller's targets are made for `steps` steps.

        Raises:
            SceneFileError: The model, a joint's name or a mesh is refused, with the place in the file.
        """
        self._uipc_scene = make_uipc_scene(scene, document)
        with summed(scene.robot.model), document.blame("robot"):
            self.driven = make_model(scene, document)
            self.coupling = couple(
                self._uipc_scene,
                self.driven.adapter,
                complete=lambda m: complete(m, scene, document),
                restraints=scene.robot.restraints,
                settings="scene",
                joints="chains" if engine == "cuda" else "own",
            )
        add_pushes(self._uipc_scene, scene)
        self._soft = SoftBodies(self._uipc_scene, scene, document, self.coupling.robot)
        self.soft_shapes = self._soft.shapes
        self.controls = ControllerSet(scene, document, self.driven, self.coupling, steps)
        self.ran_code = self.controls.ran_code
        self.failures: list[dict[str, Any]] = []
        self.drawn: Mapping[str, float | list[float]] = {}
        mechanism = self.coupling.robot
        self.cameras = mechanism.cameras
        self.surfaces, self.planes = surfaces_of(mechanism, self.coupling.visuals), mechanism.planes
        self.joint_names = self.coupling.joint_names
        self.joint_units: Mapping[str, str] = freedom_units(mechanism.joints)
        self.body_names = tuple(body.name for body in (*mechanism.links, *mechanism.free))
        self.free_names = tuple(body.name for body in mechanism.free)
        self.engine, self.world = start_world(self._uipc_scene, scene, document, engine, workspace)

    def step(self, index: int) -> None:
        """Command the joints for step `index`, and take it."""
        self.controls.command(index)
        self.coupling.step(self.world, retrieve=False)

    def minimum_distance(self) -> float:
        """Smallest distance at present; see `Simulation`."""
        return self.coupling.minimum_distance

    def measure(self, is_start: bool) -> dict[str, Any]:
        """Quantities of the present state; see `Simulation`."""
        state = {key: getattr(self.coupling, key) for key in ("theta", "theta_dot", "body_poses", "minimum_distance")}
        state["soft_positions"] = self._soft.positions
        if is_start:
            return state
        step = {key: getattr(self.coupling, key) for key in ("delta_theta", "delta_theta_tilde", "contact_force")}
        return {**state, **step}

    def dump(self) -> dict[str, Array]:
        """See `Simulation`."""
        dump_world(self.world)
        return {**self.coupling.state(), **self.controls.state()}

    def recover(self, frame: int, state: Mapping[str, Array]) -> None:
        """See `Simulation`."""
        recover_world(self.world, frame)
        self.coupling.restore(state)
        self.controls.restore(state)
