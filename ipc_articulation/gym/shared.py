"""Many environments of gymnasium in one scene, whose steps are taken together."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ipc_articulation.coupling.adapter import HalfPlane
from ipc_articulation.coupling.coupling import Coupling
from ipc_articulation.coupling.robot_states import RobotState
from ipc_articulation.coupling.robots import DrivenRobot
from ipc_articulation.errors import IpcArticulationError, TaskError
from ipc_articulation.gym.checks import checked_action
from ipc_articulation.gym.env import Env
from ipc_articulation.gym.performing import Plan, decided
from ipc_articulation.gym.properties import draws_robot
from ipc_articulation.gym.world import World, resettable
from ipc_articulation.recording import SoftShape, Surface
from ipc_articulation.recording.scenery import Camera
from ipc_articulation.scenefile import schema
from ipc_articulation.scenefile.document import Document
from ipc_articulation.simulation.controls import ControllerSet
from ipc_articulation.simulation.environments_simulation import EnvironmentsSimulation
from ipc_articulation.simulation.robot_surfaces import surfaces_of


class SharedScene:
    """A scene for so many environments; the first one that needs it builds it.

    Args:
        count: How many environments.
    """

    def __init__(self, count: int) -> None:
        self._count, self._taken = count, 0
        self.simulation: EnvironmentsSimulation | None = None
        self._folder = tempfile.TemporaryDirectory(prefix="ipc_articulation-")

    def world(self, scene: Any, document: Document, engine: str, steps: int) -> SharedWorld:
        """The world of the next environment; arguments and errors as for `world.alone`."""
        known = resettable(scene, document)
        if self.simulation is None:
            many = schema.EnvironmentsEntry(count=self._count)
            built = known.model_copy(update={"environments": many, "randomise": ()})
            folder = Path(self._folder.name)
            retuned = draws_robot(known)
            self.simulation = EnvironmentsSimulation(built, document, engine, folder, steps, True, retuned)
        number = self._taken
        self._taken += 1
        return SharedWorld(known, document, self.simulation, number)

    def step(self, plans: Sequence[tuple[World, Plan]]) -> dict[int, IpcArticulationError]:
        """Take a step of the scene.

        Args:
            plans: Worlds that act, and what their joints are to do; the others do what they did.

        Returns:
            What environments raised, by number; their robots rest until they are reset.
        """
        assert self.simulation is not None
        for world, plan in plans:
            world.simulation.driven.command(plan.targets)
            world.simulation.driven.push(plan.forces)
        self.simulation.environments.step(self.simulation.world, "stop")
        for world, _ in plans:
            world.step_count += 1
        return self.simulation.environments.failures

    def retrieve(self) -> None:
        """Write all bodies into the scene, where observations find them."""
        assert self.simulation is not None
        self.simulation.environments.retrieve(self.simulation.world)

    def close(self) -> None:
        """Remove the files of the engine."""
        self._folder.cleanup()


@dataclass
class _Member:
    """One environment of a scene with many; a `world.Member`."""

    coupling: Coupling
    driven: DrivenRobot
    controls: ControllerSet
    world: Any
    surfaces: tuple[Surface, ...]
    soft_shapes: tuple[SoftShape, ...]
    planes: tuple[HalfPlane, ...]
    cameras: tuple[Camera, ...]


class SharedWorld(World):
    """One environment of a scene with many, as a world."""

    def __init__(
        self, scene: schema.RobotScene, document: Document, simulation: EnvironmentsSimulation, number: int
    ) -> None:
        self._environments, self.number = simulation.environments, number
        coupling = simulation.environments.couplings[number]
        surfaces = surfaces_of(coupling.robot, coupling.visuals)
        member = _Member(
            coupling,
            simulation.driven[number],
            simulation.controls[number],
            simulation.world,
            surfaces,
            simulation.soft_shapes,
            simulation.planes,
            simulation.cameras,
        )
        super().__init__(scene, document, member, lambda: None)

    def _set(self, state: RobotState) -> None:
        self._environments.set_state(self.simulation.world, {self.number: state})


class SharedEnv(Env):
    """An environment whose steps are taken before its `step`, together with those of others.

    Args:
        scene: Of all of them.
        task: As for `Env`, like the other arguments.
    """

    def __init__(self, scene: SharedScene, *task: Any, **options: Any) -> None:
        self._shared = scene
        self._plan: Plan | None = None
        self.error: IpcArticulationError | None = None
        super().__init__(*task, **options)

    def _make_world(self, scene: Any, document: Document, engine: str, steps: int) -> World:
        return self._shared.world(scene, document, engine, steps)

    def plan(self, action: Any) -> tuple[World, Plan] | None:
        """What the joints are to do for an action; None where no steps are taken for it.

        Raises:
            TaskError: As for `Env.step`.
        """
        self._require_open()
        self._plan, self.error = None, None
        if self._stopped or self._count < 0 or self.is_broken:
            return None
        try:
            plan = decided(checked_action(action, self.action_space), self._task, self._world, self.state)
        except TaskError:
            raise
        except IpcArticulationError as error:
            self.error = error
            return None
        self._plan = plan
        return self._world, plan

    def _performed(self, action: Any) -> Plan:
        if self.error is not None:
            raise self.error
        assert self._plan is not None
        return self._plan


def stepped(scene: SharedScene, envs: Sequence[SharedEnv], actions: Sequence[Any], resting: Sequence[bool]) -> None:
    """Take the steps of the actions of all environments; their own `step` follows.

    Args:
        scene: Of all of them.
        envs: The environments.
        actions: One for each.
        resting: Those that are reset instead.

    Raises:
        TaskError: As for `Env.step`.
        IpcArticulationError: A step failed in a way that concerns all.
    """
    plans = {}
    for number, (env, action) in enumerate(zip(envs, actions, strict=True)):
        if not resting[number] and (plan := env.plan(action)) is not None:
            plans[number] = plan
    begun = [envs[number] for number in plans]
    for env in begun:
        env.is_broken = True
    for _ in range(envs[0].every):
        for number, error in scene.step(list(plans.values())).items():
            if plans.pop(number, None) is not None:
                envs[number].error = error
    scene.retrieve()
    for env in begun:
        env.is_broken = False
