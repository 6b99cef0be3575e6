"""The implicit step of trees, for many states of one model at once, in compiled loops; `implicit.py` has its formulas.

Each state is computed by itself, in the same order of operations however many there are: its result is the same, bit
for bit, alone and among others, and on any number of cores.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.cores import parts, share
from ipc_articulation.dynamics.algorithms.bad_states import one_state
from ipc_articulation.dynamics.algorithms.bias import bias_forces
from ipc_articulation.dynamics.algorithms.crba import mass_matrix
from ipc_articulation.dynamics.algorithms.manifold import displacement, moved
from ipc_articulation.dynamics.algorithms.rnea import inverse_dynamics
from ipc_articulation.dynamics.algorithms.solve import singular
from ipc_articulation.dynamics.integrators.constrained import SWEEPS
from ipc_articulation.dynamics.integrators.control import Control, control_of
from ipc_articulation.dynamics.integrators.drive import Drive
from ipc_articulation.dynamics.integrators.scheme import Scheme
from ipc_articulation.dynamics.integrators.step import Step, in_range
from ipc_articulation.dynamics.integrators.tree_kernels import (
    SINGULAR,
    SOLVED,
    UNSOLVED,
    assemble,
    end_steps,
    mass_and_bias,
)
from ipc_articulation.dynamics.model.model import Model
from ipc_articulation.errors import SolverError

A_PART = 64  # states that one thread takes at once


class TreeSteps(NamedTuple):
    """The steps of s states."""

    mass: Array  # (s, nv, nv) M̂
    momentum: Array  # (s, nv) M̂ times the velocity without friction, limits and mimic joints
    v: Array  # (s, nv) at the end
    held: Array  # (5, s, nv) low, high, friction, limit_impulse, friction_impulse of `constrained.Resistance`
    status: Ints  # (s,) zero where the step was solved
    control: Control  # of the motors, as the step has it


def assembled(
    tree: Model, q: Array, v: Array, dt: float, drives: Sequence[Drive], scheme: Scheme, within_limits: bool = False
) -> tuple[Array, Array, Control]:
    """M̂ (s, nv, nv), dt times the forces at the beginning of the steps (s, nv), and the control.

    Args:
        tree: The tree.
        q: Positions, (s, nq).
        v: Velocities, (s, nv).
        dt: Time step [s].
        drives: One for each state.
        scheme: The forces that are implicit.
        within_limits: Whether PD control beyond the effort limit becomes that limit as a constant force.

    Raises:
        StateError: A drive or a state is not valid.
    """
    control, c = control_of(tree, q, drives), tree.coordinates
    mass, bias = _mass_and_bias(tree, q, v, drives)
    impulse = np.empty(v.shape)
    mounted = displacement(tree, c.spring_mount, q) if c.stiffness.any() else np.zeros(v.shape)
    flags = scheme.has_springs, scheme.has_gains, within_limits
    assemble((c.damping, c.stiffness, c.effort), control, flags, dt, v, mounted, bias, mass, impulse)
    return mass, impulse, control


def tree_steps(
    tree: Model, q: Array, v: Array, dt: float, drives: Sequence[Drive], scheme: Scheme, within_limits: bool = False
) -> TreeSteps:
    """The steps of s states, whose `status` is to be looked at; the arguments are those of `assembled`.

    Raises:
        StateError: A drive or a state is not valid.
    """
    q, v = np.array(q), np.array(v)  # of one type, whatever their strides are
    mass, impulse, control = assembled(tree, q, v, dt, drives, scheme, within_limits)
    c, f = tree.coordinates, tree.followers
    joints = tree.place, c.lower, c.upper, c.friction
    followers = f.dofs, f.leader_dofs, f.positions, f.leader_positions, f.multiplier, f.offset, f.independent
    momentum, end, status = np.empty(v.shape), np.empty(v.shape), np.empty(len(q), dtype=np.int64)
    held = np.empty((5, *v.shape))

    def run(at: slice) -> None:
        state = q[at], v[at], mass[at], impulse[at], momentum[at], end[at]
        end_steps(joints, followers, dt, *state, tuple(x[at] for x in held), status[at])

    share(run, parts(len(q), A_PART))
    return TreeSteps(mass, momentum, end, held, status, control)


def refuse_unsolved(model: Model, q: Array, steps: TreeSteps, state: int, dt: float) -> None:
    """Raise the error of a step that was not solved, or ends out of range.

    Raises:
        ModelError: A joint moves no inertia.
        SolverError: The minimisation with dry friction and limits did not converge.
        StateError: A number at the end of the step is not finite, or too large.
    """
    status = steps.status[state]
    if status == SOLVED:
        return
    if status == SINGULAR:
        G = model.followers.G
        raise singular(model, G.T @ steps.mass[state] @ G if len(model.followers) else steps.mass[state])
    if status == UNSOLVED:
        raise SolverError(
            f"dry friction and joint limits of model '{model.name}' did not converge in {SWEEPS} sweeps; "
            "use a smaller time step, or joints without limits that nearly coincide"
        )
    in_range(model, Step(moved(model, q[state], dt * steps.v[state]), steps.v[state]), dt)


def _mass_and_bias(tree: Model, q: Array, v: Array, drives: Sequence[Drive]) -> tuple[Array, Array]:
    """M, (s, nv, nv), and h - Σ Jᵀ w, (s, nv)."""
    mass, bias = np.empty((len(q), tree.nv, tree.nv)), np.empty((len(q), tree.nv))

    def run(at: slice) -> bool:
        return bool(mass_and_bias(tree.tree, q[at], v[at], mass[at], bias[at]))

    if q.shape[1:] != (tree.nq,) or v.shape != bias.shape or any(share(run, parts(len(q), A_PART))):
        mass_matrix(tree, q), bias_forces(tree, q, v)  # raise the error of the first bad state
    for k, drive in enumerate(drives):
        if drive.wrenches is not None:
            wrenches = one_state(tree, "wrenches", drive.wrenches)
            bias[k] = inverse_dynamics(tree, q[k], v[k], np.zeros(tree.nv), wrenches)
    return mass, bias
