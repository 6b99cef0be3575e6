"""The scene of an environment: it is built once, then stepped and put back in place."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.coupling.adapter import Adapter, KeepsState, SetsState
from ipc_articulation.coupling.coupling import Coupling
from ipc_articulation.coupling.properties import RobotProperties
from ipc_articulation.coupling.robot_states import RobotState
from ipc_articulation.coupling.robots import DrivenRobot
from ipc_articulation.errors import SceneError
from ipc_articulation.gym.points import Points
from ipc_articulation.gym.properties import EpisodeRobot, refuse_draws
from ipc_articulation.gym.starts import Start, Starts
from ipc_articulation.scenefile import schema
from ipc_articulation.scenefile.document import Document, Location, SceneProblem
from ipc_articulation.scenefile.reading import AnyScene
from ipc_articulation.simulation.controls import ControllerSet
from ipc_articulation.simulation.robot_simulation import RobotSimulation
from ipc_articulation.simulation.simulation import Shown

_DRAWS = 100  # starts that are tried until one has no surfaces that intersect


class Member(Shown, Protocol):
    """A robot in a scene with its surroundings: a `RobotSimulation`, or an environment of one with many."""

    coupling: Coupling
    driven: DrivenRobot
    controls: ControllerSet
    world: Any  # uipc's


class World:
    """A scene that begins again and again.

    Args:
        scene: From `resettable`.
        document: From `read_scene`.
        simulation: Of the scene.
        close: Removes the files of the engine.

    Attributes:
        scene: As given.
        simulation: As given.
        points: Its bodies and marks.
        start: Of the present episode.
        step_count: Steps of the scene since its start.

    Raises:
        SceneFileError: A mark is on no body, or the robot cannot be put back; with the place.
    """

    def __init__(
        self, scene: schema.RobotScene, document: Document, simulation: Member, close: Callable[[], None]
    ) -> None:
        self.scene, self.simulation, self.close = scene, simulation, close
        coupling = self.simulation.coupling
        self._setter = _setter(coupling.adapter, document)
        self._fixed = {body.name: body.pose for body in coupling.robot.static}
        self.points = Points(coupling, self._fixed, self.scene.marks)
        for index, mark in enumerate(self.scene.marks):
            with document.blame("marks", index, "on"):
                self.points.require_body(mark.on)
        self._starts = Starts(self.scene, document, coupling, self.simulation.driven)
        self._robot = EpisodeRobot(self.scene, document, self.simulation.driven)
        self._kept = {**coupling.state(), **self.simulation.controls.state()}
        driven, names = self.simulation.driven, list(coupling.joint_names)
        self._actuated = [names.index(name) for name in driven.actuated]
        self._is_position = ~np.isin(driven.actuated, list(driven.speeds))
        self._order = [names.index(name) for name in driven.joints]
        self.start, self.step_count = self._starts.draw(np.random.default_rng(0)), 0

    def reset(self, rng: np.random.Generator) -> None:
        """Put everything where the next start has it.

        Raises:
            SceneError: Surfaces intersect in each of many starts that were drawn; names both bodies.
            StateError: A joint position, a mass or a friction that was drawn is not valid.
        """
        self._release()
        for attempt in range(1, _DRAWS + 1):
            start = self._starts.draw(rng)
            refuse_draws(start.drawn)
            try:
                self._put(start)
            except SceneError as error:
                if attempt == _DRAWS or not start.drawn:
                    raise SceneError(f"no start without intersections in {attempt} draws; the last: {error}") from error
                continue
            break
        self._robot.follow(start.scene)
        if start.properties.mass or start.properties.friction:
            self._give(start.properties)
        self.start, self.step_count = start, 0

    def commands(self) -> tuple[Array, Array]:
        """Targets of the actuated joints (k,) and forces on all joints (m,) that the file's controllers give now.

        They are about the file's initial positions; where others were drawn, targets are moved by the difference.
        """
        simulation = self.simulation
        aims, forces = simulation.controls.commands(self.step_count)
        moved = self._is_position * (self.start.theta[self._actuated] - simulation.driven.start)
        return aims + moved, np.array(forces)

    def step(self, targets: Array, forces: Array) -> None:
        """Take a step of the scene.

        Args:
            targets: Of the actuated joints, (k,) [rad or m].
            forces: On all joints, (m,) [N·m or N].

        Raises:
            IpcArticulationError: The step failed; nothing has changed.
        """
        self.simulation.driven.command(targets)
        self.simulation.driven.push(forces)
        self.simulation.coupling.step(self.simulation.world)
        self.step_count += 1

    def joints(self, values: Array) -> Array:
        """Values of the coupling's joints in the order of `driven.joints`, (m,)."""
        return np.asarray(values)[self._order]

    def link_motion(self, theta: Array, theta_dot: Array) -> tuple[Array, Array]:
        """Poses of the links and their rates, (n, 4, 4) each, at other joints in the order of `driven.joints`, (m,)."""
        inverse = np.argsort(self._order)
        return self._setter.link_motion(np.asarray(theta)[inverse], np.asarray(theta_dot)[inverse])

    def limits(self, joints: Sequence[str]) -> Array:
        """Lowest and highest positions of some joints, (c, 2) [rad or m]; -inf and inf without limits."""
        names = self.simulation.coupling.joint_names
        return np.asarray(self._setter.limits())[[names.index(name) for name in joints]]

    def _release(self) -> None:
        """Let go of all parts that actions have attached."""
        coupling = self.simulation.coupling
        if coupling.attached:
            coupling.reset(self.simulation.world)

    def _put(self, start: Start) -> None:
        """Put multibody engine and scene into a start; one state is written, so that it costs little."""
        simulation = self.simulation
        simulation.coupling.restore(self._kept)
        simulation.controls.restore(self._kept)
        self._set(RobotState(start.theta, start.theta_dot, {**start.bodies, **start.fixed}))
        self._fixed.update(start.fixed)
        self.points.set_marks(start.marks)

    def _set(self, state: RobotState) -> None:
        """Put robot and bodies into a state."""
        simulation = self.simulation
        simulation.coupling.set_state(simulation.world, state.theta, state.theta_dot, state.free)

    def _give(self, properties: RobotProperties) -> None:
        """Give parts of the scene other masses and friction."""
        self.simulation.coupling.set_properties(self.simulation.world, properties.mass, properties.friction)


def alone(scene: AnyScene, document: Document, engine: str, steps: int) -> World:
    """A world of its own.

    Args:
        scene: From `read_scene`.
        document: From `read_scene`.
        engine: "cpu", "cuda" or "auto".
        steps: Largest number of steps of an episode.

    Raises:
        SceneFileError: The scene has no robot, or something that cannot be put back; with the place.
    """
    known, folder = resettable(scene, document), tempfile.TemporaryDirectory(prefix="ipc_articulation-")
    simulation = RobotSimulation(known, document, engine, Path(folder.name), steps)
    return World(known, document, simulation, folder.cleanup)


def _setter(adapter: Adapter, document: Document) -> SetsState:
    """The adapter, which can put a robot into a state.

    Raises:
        SceneFileError: It cannot.
    """
    if isinstance(adapter, SetsState) and isinstance(adapter, KeepsState):
        return adapter
    message = f"an environment puts the robot back, and {type(adapter).__name__} keeps or sets no states"
    raise document.error([SceneProblem(("adapter",), message)])


def resettable(scene: AnyScene, document: Document) -> schema.RobotScene:
    """A scene that can be put back.

    Raises:
        SceneFileError: It has no robot, soft bodies, or forces that act at given times of the run.
    """
    problems: list[tuple[Location, str]] = []
    if not isinstance(scene, schema.RobotScene):
        raise document.error([SceneProblem(("adapter",), "an environment needs a robot that a multibody engine moves")])
    if scene.environments is not None:
        message = "how many environments there are is said by `make_vec`; remove `environments`"
        problems.append((("environments",), message))
    for key in ("soft", "cloth", "rods"):
        if getattr(scene, key):
            problems.append(((key,), f"an environment cannot put soft bodies back to their start; remove `{key}`"))
    for index, body in enumerate(scene.bodies):
        if body.push is not None:
            message = f"the push on '{body.name}' acts once in a run, not in each episode; remove it"
            problems.append((("bodies", index, "push"), message))
    if problems:
        raise document.error([SceneProblem(place, message) for place, message in problems])
    return scene
