"""Compiled loops of the implicit step over states; `implicit.py` and `constrained.py` have the formulas."""

from __future__ import annotations

import math

import numpy as np

from ipc_articulation.dynamics.algorithms.bias import bias_into
from ipc_articulation.dynamics.algorithms.crba import mass_matrix_into
from ipc_articulation.dynamics.algorithms.solve import ROUNDING
from ipc_articulation.dynamics.arguments import LARGEST
from ipc_articulation.dynamics.integrators.constrained import RETURN, descend
from ipc_articulation.dynamics.kernels.kernel import batch_kernel, kernel
from ipc_articulation.dynamics.kernels.sweep import finite

SOLVED, SINGULAR, UNSOLVED, OUT_OF_RANGE = 0, 1, 2, 3  # how a step ended


@batch_kernel
def mass_and_bias(tree, q, v, mass, bias):
    """M (s, nv, nv) and h (s, nv) of states of the right lengths; returns whether one of them is bad."""
    bad = False
    for s in range(len(q)):
        good = mass_matrix_into(tree, q[s], mass[s])
        good &= bias_into(tree, q[s], v[s], bias[s])
        bad |= not (good and finite(q[s]) and finite(v[s]))
    return bad


@batch_kernel
def assemble(joints, control, scheme, dt, v, mounted, bias, mass, impulse):
    """M̂ from M, and dt times the forces at the beginning of the step.

    Args:
        joints: Damping, stiffness and effort limits, (nv,) each.
        control: The motors, see `Control`; gains become zero where the effort limits PD control.
        scheme: Whether springs are implicit, whether velocity gains are, and whether the effort limits PD control.
        dt: Time step [s].
        v: Velocities, (s, nv).
        mounted: Displacements from the mounts of springs, (s, nv).
        bias: h - Σ Jᵀ w, (s, nv).
        mass: M, then M̂, (s, nv, nv).
        impulse: The result, (s, nv).
    """
    damping, stiffness, effort = joints
    tau, kp, kd, stretch, target_v = control
    has_springs, has_gains, is_limited = scheme
    for s in range(len(v)):
        for i in range(v.shape[1]):
            push = min(max(tau[s, i], -effort[i]), effort[i])
            pull = kp[s, i] * stretch[s, i] + kd[s, i] * (target_v[s, i] - v[s, i])
            if is_limited and abs(pull) > effort[i]:
                push = min(max(push + math.copysign(effort[i], pull), -effort[i]), effort[i])
                pull = kp[s, i] = kd[s, i] = 0.0
            D = damping[i] + (kd[s, i] if has_gains else 0.0)
            K = stiffness[i] + kp[s, i] if has_springs else 0.0
            force = push - damping[i] * v[s, i] - stiffness[i] * mounted[s, i] + pull - dt * K * v[s, i]
            mass[s, i, i] += dt * D + dt * dt * K
            impulse[s, i] = dt * (force - bias[s, i])


@batch_kernel
def end_steps(joints, followers, dt, q, v, mass, impulse, momentum, end, held, status):
    """The velocities at the end of steps, and what friction, limits and mimic joints did.

    Args:
        joints: Place in q of each velocity, -1 in a rotation, lower and upper limits and dry friction, (nv,) each.
        followers: The mimic joints, see `Followers`.
        dt: Time step [s].
        q: Positions, (s, nq).
        v: Velocities, (s, nv).
        mass: M̂, (s, nv, nv).
        impulse: dt times the forces, (s, nv).
        momentum: M̂ v + impulse, (s, nv), is set.
        end: Velocities at the end, (s, nv), are set.
        held: low, high, friction, limit_impulse and friction_impulse of `Resistance`, (s, nv) each, are set.
        status: How each step ended, (s,), is set.
    """
    for s in range(len(v)):
        low, high, friction = held[0][s], held[1][s], held[2][s]
        for i in range(v.shape[1]):
            momentum[s, i] = impulse[s, i]
            for j in range(v.shape[1]):
                momentum[s, i] += mass[s, i, j] * v[s, j]
        _put_bounds(joints, q[s], dt, low, high, friction)
        if len(followers[0]):
            status[s] = _follow(followers, q[s], dt, mass[s], momentum[s], low, high, friction, end[s])
        else:
            status[s] = _bounded(mass[s], momentum[s], low, high, friction, end[s])
        if status[s] == SOLVED and not _is_in_range(joints[0], q[s], dt, end[s]):
            status[s] = OUT_OF_RANGE
        _put_resistance(followers, mass[s], momentum[s], end[s], low, high, friction, held[3][s], held[4][s])


@kernel
def _put_bounds(joints, q, dt, low, high, friction):
    place, lower, upper, dry = joints
    for i in range(len(place)):
        low[i], high[i], friction[i] = -np.inf, np.inf, dt * dry[i]
        if place[i] >= 0:
            low[i] = min((lower[i] - q[place[i]]) / dt, RETURN)
            high[i] = max((upper[i] - q[place[i]]) / dt, -RETURN)


@kernel
def _bounded(mass, momentum, low, high, friction, v):
    """v ← the end velocity of velocities without mimic joints; returns how that ended."""
    is_free = True
    if not _solve(mass.copy(), momentum, v):
        return SINGULAR
    for i in range(len(v)):
        is_free &= friction[i] == 0.0 and low[i] <= v[i] <= high[i]
    if is_free:
        return SOLVED
    for i in range(len(v)):
        v[i] = min(max(v[i], low[i]), high[i])
    return SOLVED if descend(mass, momentum, friction, low, high, v) else UNSOLVED


@kernel
def _solve(A, b, x):
    """x ← A⁻¹ b by A = L D Lᵀ, which replaces A; returns whether D is more than rounding errors of A's diagonal."""
    n = len(b)
    for j in range(n):
        size = ROUNDING * abs(A[j, j])
        for k in range(j):
            A[j, j] -= A[j, k] * A[j, k] * A[k, k]
        if not abs(A[j, j]) > size:
            return False
        for i in range(j + 1, n):
            for k in range(j):
                A[i, j] -= A[i, k] * A[j, k] * A[k, k]
            A[i, j] /= A[j, j]
    for i in range(n):
        x[i] = b[i]
        for k in range(i):
            x[i] -= A[i, k] * x[k]
    for i in range(n - 1, -1, -1):
        x[i] /= A[i, i]
        for k in range(i + 1, n):
            x[i] -= A[k, i] * x[k]
    return True


@kernel
def _follow(followers, q, dt, mass, momentum, low, high, friction, v):
    """v ← the end velocity of a tree with mimic joints, v = G y + b; returns how that ended."""
    dofs, leaders, places, leader_places, multiplier, offset, independent = followers
    A, p, n = mass.copy(), momentum.copy(), len(independent)
    for f in range(len(dofs)):
        catch_up = (multiplier[f] * q[leader_places[f]] + offset[f] - q[places[f]]) / dt
        v[dofs[f]] = catch_up
        p -= mass[:, dofs[f]] * catch_up
    for f in range(len(dofs)):  # GᵀAG and Gᵀp in the rows and columns of the leaders
        A[leaders[f]] += multiplier[f] * A[dofs[f]]
        A[:, leaders[f]] += multiplier[f] * A[:, dofs[f]]
        p[leaders[f]] += multiplier[f] * p[dofs[f]]
    reduced, y, chosen = np.empty((n, n)), np.empty(n), np.empty((4, n))
    for i in range(n):
        at = independent[i]
        chosen[0, i], chosen[1, i], chosen[2, i], chosen[3, i] = p[at], low[at], high[at], friction[at]
        for j in range(n):
            reduced[i, j] = A[at, independent[j]]
    status = _bounded(reduced, chosen[0], chosen[1], chosen[2], chosen[3], y)
    for i in range(n):
        v[independent[i]] = y[i]
    for f in range(len(dofs)):
        v[dofs[f]] += multiplier[f] * v[leaders[f]]
    return status


@kernel
def _put_resistance(followers, mass, momentum, v, low, high, friction, limit, sliding):
    total = np.empty(len(v))
    for i in range(len(v)):
        total[i] = -momentum[i]
        for j in range(len(v)):
            total[i] += mass[i, j] * v[j]
    for f in range(len(followers[0])):
        dof, leader = followers[0][f], followers[1][f]
        total[leader] += followers[4][f] * total[dof]
        total[dof] = friction[dof] = 0.0
        low[dof], high[dof] = -np.inf, np.inf
    for i in range(len(v)):
        if v[i] == 0.0:
            sliding[i] = min(max(total[i], -friction[i]), friction[i])
        else:
            sliding[i] = -math.copysign(friction[i], v[i])
        rest = total[i] - sliding[i]
        limit[i] = max(rest, 0.0) if v[i] <= low[i] else (min(rest, 0.0) if v[i] >= high[i] else 0.0)


@kernel
def _is_in_range(place, q, dt, v):
    moved = fast = 0.0
    for i in range(len(v)):
        fast += v[i] * v[i]
        if place[i] >= 0:
            at = q[place[i]] + dt * v[i]
            moved += at * at
    return fast <= LARGEST * LARGEST and moved <= LARGEST * LARGEST
