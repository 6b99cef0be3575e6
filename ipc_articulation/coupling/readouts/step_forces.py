"""The forces in a committed step, for multibody engines that have sensors of them; see `adapter.FeelsForces`."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import uipc

from ipc_articulation.arrays import Array
from ipc_articulation.coupling.adapter import StepForces, Touches
from ipc_articulation.coupling.placed_robot import PlacedRobot
from ipc_articulation.coupling.readouts.attachments import attachment_wrenches
from ipc_articulation.coupling.readouts.engine_results import StepResults, results_of
from ipc_articulation.coupling.robot_steps import RobotSteps
from ipc_articulation.frontend.worlds import is_on_cpu


def step_forces(placed: PlacedRobot, steps: RobotSteps, world: uipc.World | None) -> StepForces:
    """The forces of the last step.

    Args:
        placed: The robot in the scene.
        steps: Its steps, of which one is committed.
        world: The world that took it; without a CPU engine its contact is not known.
    """
    bodies = zip(placed.robot.placed, placed.bodies.of_robot, strict=True)
    names = {slot.id(): body.name for body, slot in bodies}
    touches, attached = None, dict[str, Array]()
    if world is not None and is_on_cpu(world):
        results = results_of(world)()
        touches = touches_of(results, names)
        wrenches = attachment_wrenches(results, list(names), placed.joined)
        attached = {name: W for name, W in zip(names.values(), wrenches, strict=True) if W.any()}
    assert steps.taken is not None
    return StepForces(touches, attached, steps.values.contact_force, *steps.taken.limits_and_friction())


def touches_of(results: StepResults, names: Mapping[int, str]) -> Touches:
    """What bodies with names, by the ids of their geometries, feel in a step."""
    found = results.contacts
    owners = [names.get(number, "") if instance == 0 else "" for number, instance in results.ids]
    owner = np.array(owners + [""] * (len(results.names) - len(owners)), dtype=object)[found.bodies]
    forces, sizes = found.forces, np.linalg.norm(found.normal_forces, axis=1)
    between, sides = 0.5 * (found.points + found.opposite_points), []
    for side, (sign, points) in enumerate(((1.0, found.points), (-1.0, found.opposite_points))):
        wrenches = sign * np.concatenate([np.cross(points, forces) + found.couples, forces], axis=1)
        sides.append((owner[:, side], between, -sign * found.normals, sizes, wrenches))
    bodies, middle, normals, normal_forces, W = (np.concatenate(parts) for parts in zip(*sides, strict=True))
    own = np.array([bool(name) for name in bodies], dtype=bool)
    return Touches(tuple(bodies[own].tolist()), middle[own], normals[own], normal_forces[own], W[own])
