"""Tasks: what is observed, rewarded and done in a scene."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.errors import TaskError
from ipc_articulation.extras import need
from ipc_articulation.gym.actions import actuations
from ipc_articulation.gym.observations import observers
from ipc_articulation.gym.rewards import leaving, reward_terms, success
from ipc_articulation.gym.state import TaskState
from ipc_articulation.gym.world import World
from ipc_articulation.scenefile.document import Document, SceneProblem


class Task:
    """A task in a scene, as the scene file's sections `observe`, `reward`, `act` and `episode` have it.

    A subclass replaces any of the methods; sections whose methods are replaced are not needed:

    ```python
    class Reach(Task):
        scene = "reach.yaml"

        def reward(self, state):
            return -np.linalg.norm(state.position("tool") - state.position("mark"))

        def is_success(self, state):
            return self.reward(state) > -0.01
    ```

    Each environment makes a task of its own, so a task may remember things between actions; `begin` forgets them.

    Attributes:
        scene: The scene file, or `example:NAME`.
        observation_space: Of gymnasium; None: a box of as many numbers as `observe` gives.
        action_space: Of gymnasium; None: numbers from -1 to 1, as many as `act` of the file takes.
    """

    scene: ClassVar[str | Path]
    observation_space: Any = None
    action_space: Any = None

    def prepare(self, world: World, document: Document, state: TaskState) -> None:
        """Read the sections of the file; called once, before the first episode.

        Raises:
            SceneFileError: A section is missing, or names something that there is not; with the place.
        """
        scene = world.scene
        self._require_sections(document)
        self._actuations = actuations(scene.act, state, world, document)
        self._observers = observers(scene.observe, state, document)
        self._success = success(scene.episode.success, state, document)
        self._leaves = leaving(scene.episode.leaves, state, document)
        self._terms = reward_terms(scene.reward, state, self.is_success, document)
        self._penalty = scene.episode.penalty
        if self.action_space is None:
            size = sum(actuation.size for actuation in self._actuations)
            self.action_space = need("gymnasium").spaces.Box(-1.0, 1.0, (size,), np.float32)

    def begin(self, state: TaskState) -> None:
        """Start an episode."""
        for actuation in self._actuations:
            actuation.begin(state)
        for term in self._terms:
            term.begin(state)

    def observe(self, state: TaskState) -> Array:
        """The observation, numbers in an array of one axis."""
        return np.concatenate([observe(state) for observe in self._observers])

    def act(self, action: Array, state: TaskState) -> Any:
        """What the joints are to do for an action.

        Args:
            action: From `action_space`.
            state: Before the action.

        Returns:
            Targets by joint, or {"targets": …, "torques": …}, each by joint or as an array; joints that are not named
            do what the controllers of the file say.
        """
        targets: dict[str, float] = {}
        torques: dict[str, float] = {}
        first = 0
        for actuation in self._actuations:
            some, forces = actuation(np.asarray(action[first : first + actuation.size], dtype=float), state)
            targets |= some
            torques |= {name: torques.get(name, 0.0) + force for name, force in forces.items()}
            first += actuation.size
        return {"targets": targets, "torques": torques}

    def reward(self, state: TaskState) -> float:
        """The reward of the action that led to a state."""
        failed = self._penalty if self._penalty and not self.is_success(state) and self._leaves(state) else 0.0
        return sum(term(state) for term in self._terms) - failed

    def is_success(self, state: TaskState) -> bool:
        """Whether the task is solved."""
        return self._success(state)

    def is_terminated(self, state: TaskState) -> bool:
        """Whether the episode ends here."""
        return self.is_success(state) or self._leaves(state)

    def info(self, state: TaskState) -> Mapping[str, Any]:
        """What gymnasium's `info` has besides the reward and the observation."""
        return {"success": bool(self.is_success(state))}

    def _require_sections(self, document: Document) -> None:
        """Refuse a file without a section that a method of this class needs."""
        methods = {"observe": "observe", "reward": "reward", "act": "act"}
        missing = [key for key, name in methods.items() if getattr(type(self), name) is getattr(Task, name)]
        missing = [key for key in missing if not document.data.get(key)]
        if missing:
            text = "`, `".join(missing)
            message = f"missing `{text}`: an environment needs them, or a Task with methods of these names"
            raise document.error([SceneProblem((), message)])


def task_of(task: str | Path | type[Task]) -> Task:
    """The task that is meant.

    Raises:
        TaskError: It is no scene file and no kind of `Task`, or one without a scene.
    """
    if isinstance(task, type) and issubclass(task, Task):
        if not hasattr(task, "scene"):
            raise TaskError(f"{task.__name__} has no scene: give it `scene`, the path of a scene file")
        return task()
    if not isinstance(task, str | Path):
        raise TaskError(f"Env: task is a {type(task).__name__}, must be a scene file or a class that extends Task")
    made = Task()
    made.scene = task  # type: ignore[misc]
    return made
