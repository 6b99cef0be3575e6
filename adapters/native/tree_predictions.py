"""Predictions and commits of trees, for the states of one robot or of many, with compiled loops over the states.

A robot's numbers are the same, bit for bit, alone and among others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from ipc_articulation.adapters.native.chain import LinkChain
from ipc_articulation.adapters.native.coordinates import SceneCoordinates
from ipc_articulation.adapters.native.motors import motor_arrays

from ipc_articulation.arrays import Array, Bools
from ipc_articulation.coupling.adapter import Motors, Restraints
from ipc_articulation.coupling.batches import Predictions
from ipc_articulation.dynamics.algorithms.manifold import moved
from ipc_articulation.dynamics.integrators import Drive, Scheme
from ipc_articulation.dynamics.integrators.constrained import mimic_rows
from ipc_articulation.dynamics.integrators.tree_step import TreeSteps, tree_steps
from ipc_articulation.dynamics.model import Model


@dataclass(frozen=True)
class TreeRobot:
    """What robots of one model without loops have in common, for m freedoms."""

    model: Model
    chain: LinkChain
    coordinates: SceneCoordinates
    ties: Array  # (e, m) of mimic joints
    tie_units: tuple[str, ...]  # (e,)
    is_restrained: bool  # by limits, dry friction or mimic joints
    with_effort: Bools  # (m,) freedoms whose motors have limited force, apart from rotations

    @staticmethod
    def of(model: Model, chain: LinkChain, coordinates: SceneCoordinates, units: Sequence[str]) -> TreeRobot:
        """Those of a model, with the unit of each freedom: rad or m."""
        c, f = model.coordinates, model.followers
        has_ends = (np.isfinite(c.lower) | np.isfinite(c.upper)) & (model.place >= 0)
        slides = c.friction > 0.0
        slides[coordinates.rotations] = False
        held = has_ends | slides
        held[f.dofs] = False
        limited = np.isfinite(c.effort) & (model.place >= 0) & (len(f) == 0)
        tie_units = tuple(units[dof] for dof in f.dofs)
        is_restrained = bool(held.any()) or len(f) > 0
        return TreeRobot(model, chain, coordinates, mimic_rows(model), tie_units, is_restrained, limited)


class TreePredictions(NamedTuple):
    """Predictions of s robots; their links are all in the scene."""

    mass: Array  # (s, m, m) M̂ in the scene's coordinates
    delta_theta_tilde: Array  # (s, m)
    link_poses: Array  # (s, n, 4, 4)
    bounds: Array  # (5, s, m) lower, upper, friction, limit_force and friction_force of `Restraints`
    motors: tuple[Array, Array, Bools]  # stiffness and force, (s, m), and whether a robot has such motors, (s,)
    steps: TreeSteps  # in the model's coordinates


def predict_trees(
    robot: TreeRobot, q: Array, v: Array, dt: float, drives: Sequence[Drive], scheme: Scheme
) -> TreePredictions:
    """The predictions of s robots; `steps.status` is to be looked at.

    Args:
        robot: What they have in common.
        q: Positions, (s, nq).
        v: Velocities, (s, nv).
        dt: Time step [s].
        drives: One for each robot.
        scheme: The forces that are implicit.

    Raises:
        StateError: A drive or a state is not valid.
    """
    model, to_scene = robot.model, robot.coordinates
    steps = tree_steps(model, q, v, dt, drives, scheme, within_limits=True)
    bounds = steps.held
    bounds[:2] *= dt
    bounds[2:] /= dt
    bounds[2][:, to_scene.rotations] = bounds[4][:, to_scene.rotations] = 0.0  # dry friction
    return TreePredictions(
        to_scene.mass_to_scene(q, steps.mass),
        to_scene.to_scene(q, dt * steps.v),
        robot.chain.link_poses(q),
        bounds,
        motor_arrays(steps.control, robot.with_effort, steps.v, dt, scheme),
        steps,
    )


def predictions_of(robot: TreeRobot, given: TreePredictions, aims: Array) -> Predictions:
    """The predictions of s robots as the coupling takes them, with the aims (s, a, 4, 4) of their driven bodies."""
    tilde = given.delta_theta_tilde.copy()
    return Predictions(given.mass, tilde, given.link_poses, None, aims, _restraints_of(robot, given))


def _restraints_of(robot: TreeRobot, given: TreePredictions) -> Restraints | None:
    """The restraints; None if there are neither limits nor dry friction nor mimic joints nor limited motors."""
    stiffness, force, has_motors = given.motors
    if not (robot.is_restrained or has_motors.any()):
        return None
    lower, upper, friction, limit_force, friction_force = given.bounds
    effort = np.broadcast_to(robot.model.coordinates.effort, force.shape)
    motors = Motors(np.where(has_motors[:, None], stiffness, 0.0), force, effort) if has_motors.any() else None
    s, m = force.shape
    ties, rows = np.broadcast_to(robot.ties, (s, *robot.ties.shape)), np.empty((s, 0, m))
    forces = limit_force, friction, friction_force
    return Restraints(lower, upper, *forces, ties, robot.tie_units, motors=motors, rows=rows)


def after(
    model: Model, to_model: SceneCoordinates, q: Array, v_end: Array, tilde: Array, delta: Array, dt: float
) -> tuple[Array, Array]:
    """Position and velocity after steps that end with δθ, for any leading axes.

    Args:
        model: The model, with or without loops.
        to_model: Its coordinates in the scene.
        q: Positions before, (..., nq).
        v_end: Predicted velocities at the end, (..., nv).
        tilde: δθ̃, (..., nv).
        delta: δθ, (..., nv).
        dt: Time step [s].
    """
    v = v_end + to_model.velocity_to_model(q, (delta - tilde) / dt)
    return moved(model, q, to_model.to_model(q, delta)), v
