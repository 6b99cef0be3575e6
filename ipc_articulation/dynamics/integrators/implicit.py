"""A step that is implicit in dampers, springs and PD control, and exact for dry friction, limits and mimic joints.

With damping D, stiffness K and gains Kp, Kd, all diagonal, and x, e the displacements from spring mounts and targets,

    M̂ = M + dt (D + Kd) + dt² (K + Kp)
    M̂ Δv = dt (τ - h + Σ Jᵀ w - D v - K (x + dt v) - Kp (e + dt v) + Kd (v_d - v)),     q⁺ = q ⊕ dt (v + Δv)

The step has order 1 and is stable for any stiffness and damping. It is the minimum of an incremental potential with
Hessian M̂ in δθ = dt v⁺, as an IPC step needs it. With dry friction or a joint at its limit, v⁺ minimises

    ½ (v⁺ - v̂)ᵀ M̂ (v⁺ - v̂) + dt Σ f |v⁺|     so that   lower ≤ q + dt v⁺ ≤ upper

instead, where v̂ is the end velocity without them. A joint sticks if friction can keep it at rest, and stops at its
limit without bouncing. The `Scheme` selects the terms that are implicit; two schemes are MuJoCo's, and one keeps the
momentum of floating robots (`momentum.py`).

The step of a robot with loops is that of its spanning tree, restricted to motions that keep the loops closed,
Δq̇ = G Δẏ + dt g: M̂_y = Gᵀ M̂ G and forces Gᵀ (f - M̂ g), all at the beginning of the step. M̂_y does not include the
curvature of the loops within the step.
"""

from __future__ import annotations

from enum import Enum

import numpy as np
from numpy.typing import ArrayLike

from ipc_articulation.arrays import Array
from ipc_articulation.dynamics.algorithms.bad_states import one_state
from ipc_articulation.dynamics.algorithms.bias import bias_forces
from ipc_articulation.dynamics.algorithms.crba import mass_matrix
from ipc_articulation.dynamics.algorithms.manifold import displacement, moved
from ipc_articulation.dynamics.algorithms.rnea import inverse_dynamics
from ipc_articulation.dynamics.arguments import positive_number, require
from ipc_articulation.dynamics.forces.actuation import within_effort
from ipc_articulation.dynamics.integrators.constrained import constrained_velocity
from ipc_articulation.dynamics.integrators.drive import IDLE, Drive
from ipc_articulation.dynamics.integrators.momentum import balanced, floating_base, of_bodies
from ipc_articulation.dynamics.integrators.step import ImplicitStep, in_range
from ipc_articulation.dynamics.loops.motion import Motion
from ipc_articulation.dynamics.model.model import Model

NONE = np.empty(0)


class Scheme(Enum):
    """The forces that the step treats implicitly."""

    FULL = "implicit"  # dampers, springs and PD control
    VELOCITY = "implicitfast"  # dampers and Kd, as MuJoCo's implicitfast
    DAMPING = "Euler"  # dampers, as MuJoCo's Euler
    MOMENTUM = "momentum"  # as FULL; the momentum of a robot that floats as a whole has its exact balance

    @property
    def has_springs(self) -> bool:
        """Whether springs and position gains are implicit."""
        return self in (Scheme.FULL, Scheme.MOMENTUM)


def implicit(
    model: Model, q: ArrayLike, v: ArrayLike, dt: float, drive: Drive = IDLE, scheme: Scheme = Scheme.FULL
) -> ImplicitStep:
    """One step of one state. It takes no batches: call it once for each state of a batch.

    Args:
        model: The model.
        q: Position, (nq,).
        v: Velocity, (nv,).
        dt: Time step [s], positive.
        drive: Motor forces and external wrenches.
        scheme: The forces that are implicit.

    Raises:
        ModelError: A joint moves no inertia.
        SolverError: The minimisation with dry friction and limits did not converge.
        UnsupportedError: A joint of a loop has dry friction or limits, and moves with several independent coordinates;
            or momentum is kept, and other joints than one floating joint are on the world.
        StateError: A wrong shape, a number that is not finite, a quaternion that is not of length one, a time step that
            is not positive, or so large that the end of the step is out of range.
    """
    q, v, dt = one_state(model, "q", q), one_state(model, "v", v), positive_number("dt", dt)
    require("drive", drive, Drive)
    require("scheme", scheme, Scheme)
    tree, motion = model.spanning_tree, model.motion(q, v) if model.loops else Motion(q, v, NONE, NONE)
    damping, stiffness, force = _forces(tree, motion.q, motion.v, dt, drive, scheme)
    mass = mass_matrix(tree, motion.q)
    base = floating_base(model) if scheme is Scheme.MOMENTUM else None
    M_b = of_bodies(tree, base, mass) if base else NONE
    mass.ravel()[:: tree.nv + 1] += dt * damping + dt * dt * stiffness
    impulse = dt * (force - _bias(tree, motion.q, motion.v, drive))
    if model.loops:
        impulse = motion.G.T @ (impulse - dt * (mass @ motion.g))
        mass = motion.G.T @ mass @ motion.G
    momentum = mass @ v + impulse
    v_end = constrained_velocity(model, motion, mass, momentum, dt)
    if not base:
        return in_range(model, ImplicitStep(moved(model, q, dt * v_end), v_end, mass, momentum, motion, v_end), dt)
    change = motion.G @ (v_end - v) + dt * motion.g if model.loops else v_end - v
    on_base = M_b @ change + dt * bias_forces(tree, motion.q, motion.v)[base.dofs]
    q_end, v_kept, rate = balanced(model, base, q, v, v_end, on_base, dt)
    momentum = momentum + mass @ (rate - v_end)
    return in_range(model, ImplicitStep(q_end, v_kept, mass, momentum, motion, rate), dt)


def _bias(model: Model, q: Array, v: Array, drive: Drive) -> Array:
    """h - Σ Jᵀ w, (nv,)."""
    if drive.wrenches is None:
        return bias_forces(model, q, v)
    return inverse_dynamics(model, q, v, np.zeros(model.nv), one_state(model, "wrenches", drive.wrenches))


def _forces(model: Model, q: Array, v: Array, dt: float, drive: Drive, scheme: Scheme) -> tuple[Array, Array, Array]:
    """Implicit damping and stiffness, (nv,) each, and the forces of all joints at the beginning of the step, (nv,)."""
    c = model.coordinates
    springs = c.stiffness * displacement(model, c.spring_mount, q)
    force = one_state(model, "tau", within_effort(model, drive.tau)) - c.damping * v - springs
    damping, stiffness = c.damping, c.stiffness if scheme.has_springs else np.zeros(model.nv)
    if drive.pd is not None:
        pd = drive.pd.checked(model)
        force = force + pd.forces_of_checked(model, q, v)
        damping = damping + (pd.kd if scheme is not Scheme.DAMPING else 0.0)
        stiffness = stiffness + (pd.kp if scheme.has_springs else 0.0)
    return damping, stiffness, force - dt * stiffness * v
