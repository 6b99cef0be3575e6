"""A scene as an environment of gymnasium."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, Never, get_args

import gymnasium
import numpy as np

from ipc_articulation.arguments import AT_LEAST_ONE, Wanted, instance, one_of, optional, refuse_unwanted
from ipc_articulation.arrays import Array
from ipc_articulation.coupling.coupling import Coupling
from ipc_articulation.errors import IpcArticulationError, TaskError
from ipc_articulation.gym.checks import (
    checked_action,
    checked_observation,
    checked_reward,
    checked_start,
    options_of,
    refuse_unknown_options,
)
from ipc_articulation.gym.performing import Plan, decided, noted
from ipc_articulation.gym.pictures import Pictures
from ipc_articulation.gym.state import TaskState
from ipc_articulation.gym.task import Task, task_of
from ipc_articulation.gym.world import World, alone
from ipc_articulation.scenefile.document import Document
from ipc_articulation.scenefile.examples import scene_file
from ipc_articulation.scenefile.reading import read_scene

OnFailure = Literal["raise", "reset", "stop"]

_SIZE, _LARGEST = (640, 400), 8192  # pixels of a picture, and of its longest side


def _is_size(size: Any) -> bool:
    return (
        isinstance(size, tuple | list)
        and len(size) == 2
        and all(AT_LEAST_ONE.accepts(side) and side <= _LARGEST for side in size)
    )


_PIXELS = Wanted(f"a tuple of two whole numbers from 1 to {_LARGEST}", _is_size)


class Env(gymnasium.Env[Any, Any]):
    """A task in a scene, for learning and planning: `reset`, `step`, `render`, `close` as gymnasium has them.

    ```python
    env = Env("example:push_crate")
    observation, info = env.reset(seed=0)
    observation, reward, terminated, truncated, info = env.step(env.action_space.sample())
    ```

    With the same seed and the same actions come the same observations, bit for bit, whatever was done before. `info`
    has `success`; after a step that failed, `error`; after a reset, `drawn`: the values of this start by path.

    Attributes:
        state: The present state of the scene.
        every: Steps of the scene in one action.
        on_failure: As it was given.
    """

    metadata: dict[str, Any] = {"render_modes": ["rgb_array"], "render_fps": 25}  # noqa: RUF012

    def __init__(
        self,
        task: str | Path | type[Task],
        *,
        render_mode: str | None = None,
        engine: str = "auto",
        settings: Mapping[str, Any] | None = None,
        on_failure: OnFailure = "raise",
        size: tuple[int, int] = _SIZE,
        **unknown: Never,
    ) -> None:
        """Build the scene; every episode happens in it.

        Args:
            task: A scene file with the sections `observe`, `reward` and `act`, or `example:NAME`; or a `Task`.
            render_mode: "rgb_array" for pictures by `render`.
            engine: "cpu", "cuda", or "auto" (see `build`).
            settings: Values that replace the file's, by path.
            on_failure: What follows a step that fails: "raise" raises the error; "reset" truncates the episode, and
                `info["error"]` says why; "stop" too, and the environment stays as it is: every further step and reset
                gives its last observation and truncates at once.
            size: Width and height of pictures, up to 8192 each [pixels].
            unknown: Any other option is refused.

        Raises:
            SceneFileError: The file is wrong, lacks a section, or has what cannot be put back; with line and column.
            TaskError: `task` or an option is no such thing, there is no such option, or the task does not give what its
                spaces have.
            MissingPackageError: Pictures are asked for, and pyvista is not installed.
        """
        refuse_unknown_options("Env", unknown, options_of(Env))
        refuse_unwanted("Env: render_mode", render_mode, optional(one_of("rgb_array")), TaskError)
        refuse_unwanted("Env: on_failure", on_failure, one_of(*get_args(OnFailure)), TaskError)
        refuse_unwanted("Env: size", size, _PIXELS, TaskError)
        refuse_unwanted("Env: settings", settings, optional(instance(Mapping)), TaskError)
        self._task = task_of(task)
        scene, document = read_scene(scene_file(self._task.scene), settings)
        self.render_mode, self.on_failure = render_mode, on_failure
        self.every, self._length = _lengths(scene)
        self._world = self._make_world(scene, document, engine, self.every * self._length)
        self.metadata = {**self.metadata, "render_fps": max(1, round(1.0 / (scene.dt * self.every)))}
        self.state = TaskState(self._world, 0)
        self._task.prepare(self._world, document, self.state)
        self.action_space = self._task.action_space
        if not isinstance(self.action_space, gymnasium.Space):
            raise TaskError(f"{type(self._task).__name__}: action_space must be a space of gymnasium")
        self._begin()
        self.observation_space = self._task.observation_space or _space_of(self._observe(None))
        self._pictures = None if render_mode is None else Pictures(self._world, size)
        self._count, self._last, self._stopped = -1, self._observe(), ""
        self.is_broken = False  # whether an action has begun, and has not come to its end

    def reset(self, *, seed: int | None = None, options: Mapping[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin an episode from a start that is drawn anew.

        Args:
            seed: Of this start and all that follow, a whole number, zero or more; None: go on with the random numbers.
            options: None are known.

        Returns:
            The observation, and `info`.

        Raises:
            SceneError: None of many starts that were drawn is without intersections.
            TaskError: The seed is no such number, the environment is closed, or the task gave what its space does not
                have.
        """
        super().reset(seed=checked_start(seed, options))
        self._require_open()
        if self._stopped:
            return self._last.copy(), {"success": False, "error": self._stopped}
        self._count = -1  # until the start is complete
        self._world.reset(self.np_random)
        self._begin()
        self._count, self._last, self.is_broken = 0, self._observe(), False
        return self._last.copy(), {**self._task.info(self.state), "drawn": self.state.drawn}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Do an action.

        Args:
            action: Of `action_space`; numbers beyond its bounds count as its bounds.

        Returns:
            Observation, reward, whether the task ends here, whether the episode was cut off, and `info`.

        Raises:
            TaskError: The action has another shape or a number that is not finite; the episode was not begun, or the
                action before did not come to its end; the task gave something invalid.
            IpcArticulationError: A step of the scene failed, and `on_failure` is "raise".
        """
        self._require_open()
        if self._count < 0 and not self._stopped:
            raise TaskError("step before reset: an episode begins with env.reset()")
        if self.is_broken:
            raise TaskError(
                "the action before this one did not come to its end, by Ctrl-C or an error; "
                "another episode begins with env.reset()"
            )
        action = checked_action(action, self.action_space)
        if self._stopped:
            return self._last.copy(), 0.0, False, True, {"success": False, "error": self._stopped}
        self.is_broken = True
        try:
            plan = self._performed(action)
            noted(plan, self.state)
        except TaskError:
            raise
        except IpcArticulationError as error:
            return self._failed(error)
        self._count += 1
        self._last = self._observe()
        reward = checked_reward(self._task.reward(self.state), self._task)
        terminated, truncated = bool(self._task.is_terminated(self.state)), self._count >= self._length
        info = dict(self._task.info(self.state))
        self.is_broken = False
        return self._last.copy(), reward, terminated, truncated, info

    def render(self) -> Any:
        """A picture of the present state, (height, width, 3), whole numbers from 0 to 255; None without a render mode.

        Raises:
            ViewingError: Drawing does not work on this machine.
            TaskError: The environment is closed.
        """
        self._require_open()
        return None if self._pictures is None else self._pictures.draw()

    def close(self) -> None:
        """End the environment; it is of no use any more."""
        if self._world is None:
            return
        if self._pictures is not None:
            self._pictures.close()
        self._world.close()
        self._world = None  # type: ignore[assignment]

    @property
    def coupling(self) -> Coupling:
        """Of the robot with the scene, for recorders and read-outs; let steps and states to the environment."""
        self._require_open()
        return self._world.simulation.coupling

    @property
    def minimum_distance(self) -> float:
        """Smallest distance of surfaces that may touch [m]; inf if no distance is below 10 d̂."""
        return self.state.minimum_distance

    def _make_world(self, scene: Any, document: Document, engine: str, steps: int) -> World:
        return alone(scene, document, engine, steps)

    def _performed(self, action: Any) -> Plan:
        """Take the steps of an action.

        Raises:
            TaskError: The task names joints that there are not, or gives numbers that are not finite.
            IpcArticulationError: A step failed.
        """
        plan = decided(action, self._task, self._world, self.state)
        for _ in range(self.every):
            self._world.step(plan.targets, plan.forces)
        return plan

    def _begin(self) -> None:
        size = int(np.prod(self.action_space.shape)) if self.action_space.shape is not None else 0
        self.state = TaskState(self._world, size)
        self._task.begin(self.state)

    def _failed(self, error: IpcArticulationError) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """A step that failed, as `on_failure` has it."""
        if self.on_failure == "raise":
            raise error
        message = f"{type(error).__name__}: {error}"
        self._count, self.is_broken = -1, False
        if self.on_failure == "stop":
            self._stopped = message
        return self._last.copy(), 0.0, False, True, {"success": False, "error": message}

    def _observe(self, space: Any = ...) -> Array:
        wanted = self.observation_space if space is ... else space
        return checked_observation(self._task.observe(self.state), wanted, self._task)

    def _require_open(self) -> None:
        if self._world is None:
            raise TaskError("the environment is closed; make another one")


def _lengths(scene: Any) -> tuple[int, int]:
    """Steps of the scene in an action, and actions in an episode."""
    if not hasattr(scene, "episode"):
        return 1, 1
    every = scene.episode.every
    return every, scene.episode.steps or max(1, scene.steps // every)


def _space_of(observation: Array) -> Any:
    return gymnasium.spaces.Box(-np.inf, np.inf, observation.shape, np.float32)
