"""One action of a task: what it says of the joints, held for some steps of the scene."""

from __future__ import annotations

from typing import Any

import numpy as np

from ipc_articulation.errors import TaskError
from ipc_articulation.gym.state import TaskState
from ipc_articulation.gym.task import Task
from ipc_articulation.gym.world import World
from ipc_articulation.simulation.answers import read_answer


def perform(action: Any, task: Task, world: World, state: TaskState, steps: int) -> None:
    """Take the steps of an action; the controllers of the file say what the task does not.

    Args:
        action: Checked.
        task: Says what the action does.
        world: The scene.
        state: Of the scene; gets the new targets, and the action if it is an array.
        steps: Of the scene.

    Raises:
        TaskError: The task names joints that there are not, or gives numbers that are not finite.
        IpcArticulationError: A step failed.
    """
    answer = task.act(action, state)
    aims, forces = world.commands()
    try:
        targets, torques = read_answer(answer, state.actuated, aims, state.joints)
    except ValueError as error:
        raise TaskError(f"{type(task).__name__}.act {error}") from error
    for _ in range(steps):
        world.step(targets, forces + torques)
    state.targets = targets
    if isinstance(action, np.ndarray):
        state.action = action.ravel()
