"""Runs many copies of a robot and its bodies in one scene (`environments`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.coupling.kinds import freedom_units
from ipc_articulation.coupling.many import couple_many
from ipc_articulation.coupling.many.environments import labelled
from ipc_articulation.errors import IpcArticulationError
from ipc_articulation.recording import SoftShape
from ipc_articulation.recording.environments import environment_label
from ipc_articulation.repairs import summed
from ipc_articulation.scenefile import schema
from ipc_articulation.scenefile.document import Document
from ipc_articulation.simulation.controls import ControllerSet
from ipc_articulation.simulation.robot_model import RobotMaker
from ipc_articulation.simulation.robot_surfaces import surfaces_of
from ipc_articulation.simulation.single_things import refuse_single_things
from ipc_articulation.simulation.surroundings import complete
from ipc_articulation.simulation.variation import with_drawn_values
from ipc_articulation.simulation.world import dump_world, make_uipc_scene, recover_world, start_world

_STATES = "theta", "theta_dot", "body_poses"
_OF_A_STEP = "delta_theta", "delta_theta_tilde", "contact_force"


class EnvironmentsSimulation:
    """N robots, each with its bodies in an environment of its own; implements `Simulation`.

    Names of joints and bodies begin with those of their environments, see `recording.environments`.

    Attributes:
        environments: Of the robots.
        driven: Take targets and forces of the joints of each.
        controls: The controllers of each.
        world: The world, initialised.
    """

    def __init__(
        self,
        scene: schema.RobotScene,
        document: Document,
        engine: str,
        workspace: Path,
        steps: int,
        as_alone: bool = False,
        own_models: bool = False,
    ) -> None:
        """Build all robots, couple them and start the engine; the controllers' targets are made for `steps` steps.

        Args:
            scene: From `read_scene`.
            document: From `read_scene`.
            engine: "cpu", "cuda", "none" or "auto".
            workspace: Folder for the files of the engine.
            steps: Number of steps.
            as_alone: Whether each robot has the bits of one in a scene of its own: Python controllers then get the same
                random numbers in all environments, and a robot begins with the controls of its model, not of the file.
            own_models: Whether each robot has a model of its own, so that it may be retuned.

        Raises:
            SceneFileError: As for `RobotSimulation`; a drawn value is not valid; or the scene has something that there
                can be only once, with its place.
        """
        assert scene.environments is not None
        refuse_single_things(scene, document)
        self._failing, first = scene.environments.failing, scene.environments.first
        numbers = range(first, first + scene.environments.count)
        self._variations = [with_drawn_values(scene, document, number) for number in numbers]
        self._uipc_scene = make_uipc_scene(scene, document)
        with summed(scene.robot.model), document.blame("robot"):
            maker = RobotMaker(*self._variations[0][:2], own_models)
            self.driven = driven = [maker.make(*known[:2]) for known in self._variations]
            for one in () if as_alone else driven:
                one.command(one.start)  # so that a robot that is reset in a step takes this step with such targets
            self.environments = couple_many(
                self._uipc_scene,
                [one.adapter for one in driven],
                complete=lambda robot, k: complete(robot, *self._variations[k][:2]),
                restraints=scene.robot.restraints,
                settings="scene",
                joints="chains" if engine == "cuda" else "own",
            )
        self.controls = [
            ControllerSet(known, its_document, one, coupling, steps, () if as_alone else (number,))
            for (known, its_document, _), one, coupling, number in zip(
                self._variations, driven, self.environments.couplings, numbers, strict=True
            )
        ]
        self._unused = [controls.state() for controls in self.controls]  # as they are at a start
        self._begun = np.zeros(len(numbers), dtype=np.int64)  # the step in which the trajectory of each begins
        self.failures: list[dict[str, Any]] = []
        self._describe()
        self.engine, self.world = start_world(self._uipc_scene, scene, document, engine, workspace)

    def _describe(self) -> None:
        """What a recording is to know."""
        many = self.environments
        labels = [environment_label(number) for number in range(len(many))]
        self.ran_code = self.controls[0].ran_code
        self.soft_shapes: tuple[SoftShape, ...] = ()
        self.drawn: Mapping[str, float | list[float]] = {
            f"{start}{path}": value
            for start, (*_, drawn) in zip(labels, self._variations, strict=True)
            for path, value in drawn.items()
        }
        free = [body.name for body in many.couplings[0].robot.free]
        self.joint_names, self.body_names, self.free_names = (
            tuple(f"{start}{name}" for start in labels for name in names)
            for names in (many.joint_names, many.body_names, free)
        )
        robots = [coupling.robot for coupling in many.couplings]
        visuals = [many.couplings[0].visuals, *({} for _ in labels[1:])]
        each = zip(robots, visuals, labels, strict=True)
        self.surfaces = tuple(surface for parts in each for surface in surfaces_of(*parts))
        self.cameras = robots[0].cameras
        self.joint_units: Mapping[str, str] = freedom_units(robots[0].joints)
        self.planes = robots[0].planes

    def step(self, index: int) -> None:
        """Command the joints of all for step `index`, and take it."""
        many = self.environments
        for number, controls in enumerate(self.controls):
            if number not in many.stopped:
                try:
                    controls.command(index - int(self._begun[number]))
                except IpcArticulationError as failure:
                    raise labelled(number, failure) from failure
        many.step(self.world, self._failing)
        for number, error in many.failures.items():
            self.failures.append(
                {"environment": number, "step": index + 1, "error": f"{type(error).__name__}: {error}"}
            )
            self._begun[number] = index
            self.controls[number].restore(self._unused[number])

    def minimum_distance(self) -> float:
        """Smallest distance in all environments at present; see `Simulation`."""
        return self.environments.couplings[0].minimum_distance

    def measure(self, is_start: bool) -> dict[str, Any]:
        """Quantities of the present state; see `Simulation`."""
        many, state = self.environments, {}
        for key in _STATES:  # poses before the distance: it writes them into the scene, where reading takes longer
            values = getattr(many, key)
            state[key] = values.reshape(-1, *values.shape[2:])
        state["soft_positions"], state["minimum_distance"] = np.zeros((0, 3)), self.minimum_distance()
        if not is_start:
            for key in _OF_A_STEP:
                state[key] = np.concatenate([getattr(coupling, key) for coupling in many.couplings])
        return state

    def dump(self) -> dict[str, Array]:
        """See `Simulation`."""
        dump_world(self.world)
        state: dict[str, Any] = {"begun": self._begun, "stopped": np.array(sorted(self.environments.stopped), int)}
        for number, (coupling, controls) in self._numbered():
            own = {**coupling.state(), **controls.state()}
            state |= {f"{number}/{key}": value for key, value in own.items()}
        return state

    def recover(self, frame: int, state: Mapping[str, Array]) -> None:
        """See `Simulation`."""
        recover_world(self.world, frame)
        for number, (coupling, controls) in self._numbered():
            start = f"{number}/"
            own = {key.removeprefix(start): value for key, value in state.items() if key.startswith(start)}
            coupling.restore(own)
            controls.restore(own)
        self._begun = np.array(state["begun"])
        self.environments.stop(state["stopped"].tolist())

    def _numbered(self) -> Iterator[tuple[int, tuple[Any, Any]]]:
        return enumerate(zip(self.environments.couplings, self.controls, strict=True))
