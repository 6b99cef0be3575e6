"""The implicit step of a robot with loops, in its independent velocities.

The implicit step of the spanning tree (`integrators/implicit.py`), asked for only among motions that keep the loops
closed, Δv = G Δẏ + dt g. With f the forces of drives, dampers, springs and PD control on the spanning joints at the
beginning of the step, C the bias forces, and damping D̂ and stiffness K̂ as the `Scheme` says, diagonal,

    M̂ = M + dt D̂ + dt² K̂,     M̂_y = Gᵀ M̂ G
    M̂_y Δẏ = dt Gᵀ (f - dt K̂ v - C - M̂ g),     y⁺ = y + dt (ẏ + Δẏ),     the others by closing the loops

all of it at the beginning of the step. Order 1. M̂_y is the Hessian of the step's incremental potential in δy = dt ẏ⁺,
the bending of the loops within the step left out. Without loops G = 1, g = 0, and it is the tree's own step.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ipc_articulation.dynamics.algorithms.crba import mass_matrix
from ipc_articulation.dynamics.algorithms.rnea import inverse_dynamics
from ipc_articulation.dynamics.forces.actuation import PD, within_effort
from ipc_articulation.dynamics.forces.passive import damping_forces, spring_forces
from ipc_articulation.dynamics.integrators import Drive, Scheme
from ipc_articulation.dynamics.integrators.drive import IDLE
from ipc_articulation.dynamics.loops.constraint import Array
from ipc_articulation.dynamics.loops.loop_model import LoopModel, Motion
from ipc_articulation.errors import UnsupportedError


@dataclass(frozen=True)
class LoopStep:
    """A step, with the matrix that makes it the minimum of an incremental potential."""

    x: Array  # (nx,) at the end, loops closed
    y_dot: Array  # (nv,) at the end
    mass: Array  # M̂_y (nv, nv)


def implicit_step(
    robot: LoopModel,
    x: ArrayLike,
    y_dot: ArrayLike,
    dt: float,
    drive: Drive = IDLE,
    scheme: Scheme = Scheme.FULL,
) -> LoopStep:
    """One step.

    Args:
        robot: The robot; its joints may have dampers, springs, rotors and effort limits.
        x: Position, (nx,), loops closed.
        y_dot: Independent velocities, (nv,).
        dt: Time step [s].
        drive: What drives the joints of the spanning tree: τ and PD control are (spanning nv,), those of joints that
            have no motor zero.
        scheme: Which forces are implicit.

    Raises:
        StateError: A wrong shape, a number that is not finite, an open or singular loop, or one that cannot be closed
            at the end of the step.
        UnsupportedError: A joint has dry friction or limits, or is a mimic joint.
    """
    require_smooth(robot)
    motion = robot.motion(x, y_dot)
    tree_mass, impulse = _tree_step(robot, motion, dt, drive, scheme)
    mass = motion.G.T @ tree_mass @ motion.G
    momentum = motion.G.T @ (impulse - dt * (tree_mass @ motion.g))
    end = np.asarray(y_dot, dtype=float) + np.linalg.solve(mass, momentum)
    return LoopStep(robot.integrate(x, end, dt), end, mass)


def require_smooth(robot: LoopModel) -> None:
    """Refuse what this step does not do.

    Raises:
        UnsupportedError: A joint has dry friction or limits, or is a mimic joint.
    """
    c = robot.model.coordinates
    for what, has in (
        ("dry friction", c.friction > 0.0),
        ("a position limit", np.isfinite(c.lower) | np.isfinite(c.upper)),
        ("another joint to mimic", np.isin(np.arange(robot.model.nv), robot.model.followers.dofs)),
    ):
        if has.any():
            raise UnsupportedError(
                f"joint '{robot.model.dof_names[int(has.argmax())]}' of a robot with loops has {what}; its implicit "
                "step takes dampers, springs, rotors and effort limits only (a mimic joint can be a gear)"
            )


def _tree_step(robot: LoopModel, motion: Motion, dt: float, drive: Drive, scheme: Scheme) -> tuple[Array, Array]:
    """M̂ (spanning nv, spanning nv) and dt (f - dt K̂ v - C) (spanning nv,) of the spanning tree."""
    model, c = robot.model, robot.model.coordinates
    q, v = motion.q, motion.v
    pd = drive.pd or PD.to(model, model.neutral, 0.0, 0.0)
    damping = c.damping + (pd.kd if scheme is not Scheme.DAMPING else 0.0)
    stiffness = c.stiffness + pd.kp if scheme is Scheme.FULL else np.zeros(model.nv)
    mass = mass_matrix(model, q)
    mass[np.diag_indices(model.nv)] += dt * damping + dt * dt * stiffness
    force = within_effort(model, drive.tau) + damping_forces(model, v) + spring_forces(model, q)
    bias = inverse_dynamics(model, q, v, np.zeros(model.nv), drive.wrenches)
    return mass, dt * (force + pd.forces(model, q, v) - dt * stiffness * v - bias)
