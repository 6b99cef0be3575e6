"""The implicit step of a robot with loops, in its independent velocities.

The implicit step of the spanning tree (`integrators/implicit.py`), asked for only among motions that keep the loops
closed, Δv = G Δẏ + dt g. With f the forces of drives, dampers, springs and PD control on the spanning joints at the
beginning of the step, C the bias forces, and damping D̂ and stiffness K̂ as the `Scheme` says, diagonal,

    M̂ = M + dt D̂ + dt² K̂,     M̂_y = Gᵀ M̂ G
    M̂_y Δẏ = dt Gᵀ (f - dt K̂ v - C - M̂ g),     y⁺ = y + dt (ẏ + Δẏ),     the others by closing the loops

all of it at the beginning of the step. Order 1. M̂_y is the Hessian of the step's incremental potential in δy = dt ẏ⁺,
the bending of the loops within the step left out. Without loops G = 1, g = 0, and it is the tree's own step. Dry
friction and limits: `hindered.py`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ipc_articulation.dynamics.algorithms.bad_states import one_state
from ipc_articulation.dynamics.algorithms.crba import mass_matrix
from ipc_articulation.dynamics.algorithms.manifold import integrate
from ipc_articulation.dynamics.algorithms.rnea import inverse_dynamics
from ipc_articulation.dynamics.arguments import positive_number
from ipc_articulation.dynamics.forces.actuation import PD, within_effort
from ipc_articulation.dynamics.forces.passive import damping_forces, spring_forces
from ipc_articulation.dynamics.integrators import Drive, Scheme
from ipc_articulation.dynamics.integrators.drive import IDLE
from ipc_articulation.dynamics.loops.constraint import Array
from ipc_articulation.dynamics.loops.hindered import hindered_velocity, require_one_column
from ipc_articulation.dynamics.loops.motion import Motion
from ipc_articulation.dynamics.model.model import Model


@dataclass(frozen=True)
class LoopStep:
    """A step, with the matrix that makes it the minimum of an incremental potential."""

    x: Array  # (nx,) at the end, loops closed
    y_dot: Array  # (nv,) at the end
    mass: Array  # M̂_y (nv, nv)


def implicit_step(
    robot: Model,
    x: ArrayLike,
    y_dot: ArrayLike,
    dt: float,
    drive: Drive = IDLE,
    scheme: Scheme = Scheme.FULL,
) -> LoopStep:
    """One step.

    Args:
        robot: The robot; its joints may have dampers, springs, rotors, effort limits, dry friction and limits.
        x: Position, (nx,), loops closed.
        y_dot: Independent velocities, (nv,).
        dt: Time step [s], positive.
        drive: What drives the joints of the spanning tree: τ and PD control are (spanning nv,), those of joints that
            have no motor zero.
        scheme: Which forces are implicit.

    Raises:
        StateError: A wrong shape, a number that is not finite, an open or singular loop, or one that cannot be closed
            at the end of the step.
        SolverError: Dry friction and limits did not converge.
        UnsupportedError: A joint mimics another one, or has friction or limits that the step cannot take.
    """
    require_possible(robot)
    dt = positive_number("dt", dt)
    motion = robot.motion(x, y_dot)
    tree_mass, impulse = _tree_step(robot, motion, dt, drive, scheme)
    mass = motion.G.T @ tree_mass @ motion.G
    momentum = mass @ np.asarray(y_dot, dtype=float) + motion.G.T @ (impulse - dt * (tree_mass @ motion.g))
    end = hindered_velocity(robot, motion, mass, momentum, dt)
    return LoopStep(integrate(robot, x, end, dt), end, mass)


def require_possible(robot: Model) -> None:
    """Refuse what this step does not do.

    Raises:
        UnsupportedError: A joint mimics another one, or has friction or limits and moves with several coordinates.
    """
    require_one_column(robot)


def _tree_step(robot: Model, motion: Motion, dt: float, drive: Drive, scheme: Scheme) -> tuple[Array, Array]:
    """M̂ (spanning nv, spanning nv) and dt (f - dt K̂ v - C) (spanning nv,) of the spanning tree."""
    model, c = robot.spanning_tree, robot.coordinates
    q, v = motion.q, motion.v
    pd = drive.pd.checked(model) if drive.pd is not None else PD.to(model, model.neutral, 0.0, 0.0)
    damping = c.damping + (pd.kd if scheme is not Scheme.DAMPING else 0.0)
    stiffness = c.stiffness + pd.kp if scheme is Scheme.FULL else np.zeros(model.nv)
    mass = mass_matrix(model, q)
    mass[np.diag_indices(model.nv)] += dt * damping + dt * dt * stiffness
    force = (
        one_state(model, "tau", within_effort(model, drive.tau)) + damping_forces(model, v) + spring_forces(model, q)
    )
    wrenches = None if drive.wrenches is None else one_state(model, "wrenches", drive.wrenches)
    bias = inverse_dynamics(model, q, v, np.zeros(model.nv), wrenches)
    return mass, dt * (force + pd.forces(model, q, v) - dt * stiffness * v - bias)
