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

import numpy as np
from numpy.typing import ArrayLike

from ipc_articulation.arrays import Array
from ipc_articulation.dynamics.algorithms.bad_states import one_state
from ipc_articulation.dynamics.algorithms.bias import bias_forces
from ipc_articulation.dynamics.algorithms.crba import mass_matrix
from ipc_articulation.dynamics.algorithms.manifold import moved
from ipc_articulation.dynamics.arguments import positive_number, require
from ipc_articulation.dynamics.integrators.constrained import constrained_velocity
from ipc_articulation.dynamics.integrators.drive import IDLE, Drive
from ipc_articulation.dynamics.integrators.momentum import FloatingBase, balanced, floating_base, of_bodies
from ipc_articulation.dynamics.integrators.scheme import Scheme
from ipc_articulation.dynamics.integrators.step import ImplicitStep, in_range
from ipc_articulation.dynamics.integrators.tree_step import assembled, refuse_unsolved, tree_steps
from ipc_articulation.dynamics.loops.motion import Motion
from ipc_articulation.dynamics.model.model import Model

NONE = np.empty(0)


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
    if model.loops:
        motion = model.motion(q, v)
        mass, momentum, v_end = _with_loops(model, motion, v, dt, drive, scheme)
    else:
        motion, steps = Motion(q, v, NONE, NONE), tree_steps(model, q[None], v[None], dt, [drive], scheme)
        refuse_unsolved(model, q[None], steps, 0, dt)
        mass, momentum, v_end = steps.mass[0], steps.momentum[0], steps.v[0]
    if scheme is Scheme.MOMENTUM and (base := floating_base(model)):
        return _with_balance(model, base, motion, ImplicitStep(q, v_end, mass, momentum, motion, v_end), v, dt)
    return in_range(model, ImplicitStep(moved(model, q, dt * v_end), v_end, mass, momentum, motion, v_end), dt)


def _with_loops(
    model: Model, motion: Motion, v: Array, dt: float, drive: Drive, scheme: Scheme
) -> tuple[Array, Array, Array]:
    """M̂_y, its momentum, and the independent velocities at the end."""
    (M,), (impulse,), _ = assembled(model.spanning_tree, motion.q[None], motion.v[None], dt, [drive], scheme)
    mass = motion.G.T @ M @ motion.G
    momentum = mass @ v + motion.G.T @ (impulse - dt * (M @ motion.g))
    return mass, momentum, constrained_velocity(model, motion, mass, momentum, dt)


def _with_balance(
    model: Model, base: FloatingBase, motion: Motion, step: ImplicitStep, v: Array, dt: float
) -> ImplicitStep:
    """The step with the exact balance of momentum; `step.q` is the position at its beginning."""
    tree, q, v_end = model.spanning_tree, step.q, step.v
    M_b = of_bodies(tree, base, mass_matrix(tree, motion.q))
    change = motion.G @ (v_end - v) + dt * motion.g if model.loops else v_end - v
    on_base = M_b @ change + dt * bias_forces(tree, motion.q, motion.v)[base.dofs]
    q_end, v_kept, rate = balanced(model, base, q, v, v_end, on_base, dt)
    momentum = step.momentum + step.mass @ (rate - v_end)
    return in_range(model, ImplicitStep(q_end, v_kept, step.mass, momentum, motion, rate), dt)
