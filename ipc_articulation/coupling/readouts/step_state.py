"""The state of a robot and its free bodies before and after a step, for its read-outs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ipc_articulation import affine
from ipc_articulation.coupling.adapter import CoupledBody
from ipc_articulation.coupling.answers import Answers
from ipc_articulation.coupling.placed_robot import PlacedRobot, coordinates, velocities
from ipc_articulation.coupling.readouts.read_out import StepState
from ipc_articulation.coupling.robot_steps import Taken
from ipc_articulation.frontend.attributes import require


def step_state(placed: PlacedRobot, answers: Answers, taken: Taken) -> StepState:
    """The state, read before the next step begins.

    Args:
        placed: The robot in the scene.
        answers: The multibody engine's side.
        taken: The last step.
    """
    robot, bodies, prediction = placed.robot, placed.bodies, taken.prediction
    with_inertia = [k for k, body in enumerate(robot.free) if not body.driven]
    free = tuple(bodies.free[k] for k in with_inertia)
    return StepState(
        dt=taken.step.dt,
        gravity=np.array(answers.adapter.gravity),
        q_start=affine.q_from_transform(prediction.link_poses),
        q=coordinates(bodies.links),
        theta_dot_start=taken.step.theta_dot_start[taken.number],
        theta_dot=answers.theta_dot().copy(),
        tied_rates=None if prediction.tied is None else prediction.tied.rates,
        free=tuple(_as_heavy(robot.free[k], bodies.free[k]) for k in with_inertia),
        free_q=coordinates(free),
        free_qdot=velocities(free),
        link_ids=[slot.id() for slot in bodies.links],
        joined=placed.joined,
    )


def _as_heavy(body: CoupledBody, slot: Any) -> CoupledBody:
    """The body with its present mass, see `Coupling.set_properties`."""
    share = float(require(slot.geometry().meta(), "abd_mass", "free body")[0]) / body.mass
    if abs(share - 1.0) < 1e-9:  # rounding
        return body
    return replace(body, mass=share * body.mass, inertia=share * body.inertia)
