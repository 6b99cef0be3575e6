"""Limits, dry friction and mimic joints of our own step, as restraints of the scene's freedoms."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from ipc_articulation.adapters.native.coordinates import SceneCoordinates

from ipc_articulation.coupling.adapter import Restraints
from ipc_articulation.dynamics.integrators.constrained import resistance
from ipc_articulation.dynamics.integrators.step import ImplicitStep
from ipc_articulation.dynamics.model import Model


def restraints(
    model: Model, step: ImplicitStep, coordinates: SceneCoordinates, units: Sequence[str], dt: float
) -> Restraints | None:
    """The restraints in a step of dt [s].

    Args:
        model: The robot.
        step: Its step.
        coordinates: The scene's. Dry friction of ball joints and free joints remains in the model's own step.
        units: Of each freedom: rad or m.
        dt: Time step [s].

    Returns:
        None if the robot has neither limits nor dry friction nor mimic joints.
    """
    scale = coordinates.scale
    held = resistance(model, step.motion, step.mass, step.momentum, step.rate, dt)
    ends = dt * scale * held.low, dt * scale * held.high
    held.friction[coordinates.rotations] = held.friction_impulse[coordinates.rotations] = 0.0
    lower, upper = np.minimum(*ends), np.maximum(*ends)
    if not (np.isfinite(lower).any() or np.isfinite(upper).any() or held.friction.any() or len(held.mimic)):
        return None
    return Restraints(
        lower=lower,
        upper=upper,
        limit_force=held.limit_impulse / scale / dt,
        friction=held.friction / np.abs(scale) / dt,
        friction_force=held.friction_impulse / scale / dt,
        ties=held.mimic / scale,
        tie_units=tuple(units[dof] for dof in model.followers.dofs[: len(held.mimic)]),
    )
