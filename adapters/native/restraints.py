"""Limits, dry friction and mimic joints of our own step, as restraints of the scene's freedoms."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from ipc_articulation.adapters.native.coordinates import SceneCoordinates

from ipc_articulation.arrays import Array
from ipc_articulation.coupling.adapter import Motors, Restraints
from ipc_articulation.dynamics.algorithms.manifold import displacement
from ipc_articulation.dynamics.integrators import Drive, Scheme
from ipc_articulation.dynamics.integrators.constrained import resistance
from ipc_articulation.dynamics.integrators.step import ImplicitStep
from ipc_articulation.dynamics.model import Model


def restraints(
    model: Model,
    step: ImplicitStep,
    coordinates: SceneCoordinates,
    units: Sequence[str],
    dt: float,
    motors: Motors | None,
) -> Restraints | None:
    """The restraints in a step of dt [s].

    Args:
        model: The robot.
        step: Its step.
        coordinates: The scene's. Dry friction of ball joints and free joints remains in the model's own step.
        units: Of each freedom: rad or m.
        dt: Time step [s].
        motors: The control in M̂; None without one.

    Returns:
        None if the robot has neither limits nor dry friction nor mimic joints nor motors of limited force.
    """
    scale = coordinates.scale
    held = resistance(model, step.motion, step.mass, step.momentum, step.rate, dt)
    ends = dt * scale * held.low, dt * scale * held.high
    held.friction[coordinates.rotations] = held.friction_impulse[coordinates.rotations] = 0.0
    lower, upper = np.minimum(*ends), np.maximum(*ends)
    is_bounded = np.isfinite(lower).any() or np.isfinite(upper).any() or held.friction.any()
    if not (is_bounded or len(held.mimic) or motors is not None):
        return None
    return Restraints(
        lower=lower,
        upper=upper,
        limit_force=held.limit_impulse / scale / dt,
        friction=held.friction / np.abs(scale) / dt,
        friction_force=held.friction_impulse / scale / dt,
        ties=held.mimic / scale,
        tie_units=tuple(units[dof] for dof in model.followers.dofs[: len(held.mimic)]),
        motors=motors,
    )


def motors_of(model: Model, q: Array, step: ImplicitStep, drive: Drive, scheme: Scheme, dt: float) -> Motors | None:
    """Joints whose PD control is in M̂ and whose effort is limited; None without any, and for loops and mimic joints.

    With the control τ = kp (q_d - q - δθ) + kd (v_d - δθ/dt); schemes without implicit springs take kp at q.
    """
    pd, tree = drive.pd, model.spanning_tree
    if pd is None or model.loops or len(model.followers) or scheme is Scheme.DAMPING:
        return None
    limited = np.isfinite(tree.coordinates.effort) & ((pd.kp > 0.0) | (pd.kd > 0.0))
    limited[[dof for _, v in model.rotations for dof in range(v.start, v.stop)]] = False
    if not limited.any():
        return None
    stretch = displacement(tree, q, pd.q) - (dt * step.rate if scheme.has_springs else 0.0)
    stiffness = dt * pd.kd + (dt * dt * pd.kp if scheme.has_springs else 0.0)
    force = pd.kp * stretch + pd.kd * (pd.v - step.rate)
    return Motors(np.where(limited, stiffness, 0.0), np.where(limited, force, 0.0), tree.coordinates.effort)
