"""One action of a task: what it says of the joints, held for some steps of the scene."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.errors import TaskError
from ipc_articulation.gym.state import TaskState
from ipc_articulation.gym.task import Task
from ipc_articulation.gym.world import World
from ipc_articulation.simulation.answers import read_answer


class Plan(NamedTuple):
    """What the joints are to do for an action."""

    action: Any
    targets: Array  # of the actuated joints, (k,) [rad or m]
    forces: Array  # on all joints, (m,) [N·m or N]


def decided(action: Any, task: Task, world: World, state: TaskState) -> Plan:
    """The plan of a task for an action; the controllers of the file say what the task does not.

    Args:
        action: Checked.
        task: Says what the action does.
        world: The scene.
        state: Of the scene.

    Raises:
        TaskError: The task names joints that there are not, or gives numbers that are not finite.
    """
    answer = task.act(action, state)
    aims, forces = world.commands()
    try:
        targets, torques = read_answer(answer, state.actuated, aims, state.joints)
    except ValueError as error:
        raise TaskError(f"{type(task).__name__}.act {error}") from error
    return Plan(action, targets, forces + torques)


def noted(plan: Plan, state: TaskState) -> None:
    """Give the state the new targets, and the action if it is an array, after its steps."""
    state.targets = plan.targets
    if isinstance(plan.action, np.ndarray):
        state.action = plan.action.ravel()
