"""All controllers of a robot scene, step by step."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.coupling.coupling import Coupling
from ipc_articulation.coupling.kinds import kind_of
from ipc_articulation.scenefile import schema
from ipc_articulation.scenefile.document import Document, Location
from ipc_articulation.simulation.controllers import targets, torques
from ipc_articulation.simulation.python_controller import ControllerInput, PythonController


class ControllerSet:
    """The controllers of a scene, evaluated before each step.

    Args:
        scene: The scene with its controllers.
        document: The document of the scene, for places.
        driven: The multibody engine's model, which takes targets and forces.
        coupling: The coupling of that model.
        steps: Number of steps of the run.
        stream: Whole numbers that tell the random numbers of Python controllers from those of other robots.

    Attributes:
        ran_code: The Python functions that the scene names, as it names them.

    Raises:
        SceneFileError: A controller is refused, with its place; or its file of numbers.
    """

    def __init__(
        self,
        scene: schema.RobotScene,
        document: Document,
        driven: Any,
        coupling: Coupling,
        steps: int,
        stream: tuple[int, ...] = (),
    ) -> None:
        self._scene, self._driven, self._coupling, self._stream = scene, driven, coupling, stream
        self._bodies = tuple(body.name for body in (*coupling.robot.links, *coupling.robot.free))
        times = scene.dt * np.arange(steps, dtype=float)
        turning = [joint.name for joint in coupling.robot.joints if kind_of(joint).units == ("rad",)]
        named: list[schema.ControllerEntry] = []
        for place, controller in zip(_places(scene), scene.all_controllers, strict=True):
            named.append(controller)
            with document.blame(*place):
                self._targets = targets(named, driven.actuated, driven.start, times, turning)
                self._torques = torques(named, driven.joints, times)
        self._functions = list(_functions(scene, document))
        self.ran_code = tuple(function.text for _, function in self._functions)

    def command(self, index: int) -> None:
        """Command the joints for step `index`.

        Raises:
            AdapterError: A Python controller fails, or returns an invalid answer.
        """
        aims, forces = self.commands(index)
        self._driven.command(aims)
        self._driven.push(forces)

    def commands(self, index: int) -> tuple[Array, Array]:
        """Targets of the actuated joints (k,) and further forces on all joints (m,) for step `index`.

        Raises:
            AdapterError: A Python controller fails, or returns an invalid answer.
        """
        aims, forces = self._targets[index], self._torques[index]
        for controller, function in self._functions:
            aims, further = function(self._state(index, aims, controller))
            forces = forces + further
        return aims, forces

    def state(self) -> dict[str, Array]:
        """State of the Python controllers, see `PythonController.state`."""
        states = [function.state() for _, function in self._functions]
        return {f"controller {k}/{key}": value for k, state in enumerate(states) for key, value in state.items()}

    def restore(self, state: Mapping[str, Array]) -> None:
        """Restore the Python controllers from what `state` gave."""
        for number, (_, function) in enumerate(self._functions):
            prefix = f"controller {number}/"
            function.restore({k.removeprefix(prefix): value for k, value in state.items() if k.startswith(prefix)})

    def _state(self, index: int, aims: Array, controller: schema.PythonEntry) -> ControllerInput:
        coupling, scene = self._coupling, self._scene
        names = list(coupling.joint_names)
        order = [names.index(name) for name in self._driven.joints]
        return ControllerInput(
            step=index,
            time=index * scene.dt,
            dt=scene.dt,
            joints=tuple(self._driven.joints),
            theta=coupling.theta[order],
            theta_dot=coupling.theta_dot[order],
            contact_force=coupling.contact_force[order],
            actuated=tuple(self._driven.actuated),
            targets=aims.copy(),
            poses=dict(zip(self._bodies, coupling.body_poses, strict=True)),
            rng=np.random.Generator(np.random.PCG64([scene.seed, index, *self._stream])),
            parameters=controller.parameters,
        )


def _places(scene: schema.RobotScene) -> list[Location]:
    """Place of each of `all_controllers` in the file."""
    if not scene.controllers:
        return [("controller",)]
    return [("controllers", index) for index in range(len(scene.controllers))]


def _functions(scene: schema.RobotScene, document: Document) -> Iterator[tuple[schema.PythonEntry, PythonController]]:
    """The controllers written in Python, loaded."""
    for place, controller in zip(_places(scene), scene.all_controllers, strict=True):
        if isinstance(controller, schema.PythonEntry):
            with document.blame(*place, "python"):
                function = PythonController(controller.python, Path(document.file).parent)
            yield controller, function
