"""What holds a robot at zero acceleration, h(q, v) = C(q, v) v + g(q): Newton-Euler (`rnea.py`) with q̈ = 0."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ipc_articulation.arrays import Array
from ipc_articulation.dynamics.algorithms.kernel import batch_kernel, kernel
from ipc_articulation.dynamics.algorithms.lift import projected, spanning_states
from ipc_articulation.dynamics.algorithms.over_states import over_states
from ipc_articulation.dynamics.algorithms.rnea import inverse_dynamics, project_on_joints
from ipc_articulation.dynamics.algorithms.sweep import (
    NODE_STATE,
    acceleration_of_world,
    accumulate_forces,
    body_inertias,
    finite,
    fits,
    position_kinematics,
    velocity_kinematics,
)
from ipc_articulation.dynamics.algorithms.vectors import cross_force, inertia_times, plus, put, six
from ipc_articulation.dynamics.model.model import Model


@kernel
def _forces(tree, q, v, world, tau):
    if not fits(tree, q) or len(v) != len(tau):
        return 1
    kin, S = np.empty(len(tree), NODE_STATE), np.empty((len(tau), 6))
    good = position_kinematics(tree, q, kin, S)
    velocity_kinematics(tree, S, v, kin)
    body_inertias(tree, kin)
    for i in range(len(tree)):
        k, parent = kin[i], tree[i].parent
        put(k.a, plus(world if parent < 0 else six(kin[parent].a), k.c))
        put(k.f, plus(inertia_times(k, k.a), cross_force(k.v, inertia_times(k, k.v))))
    accumulate_forces(tree, kin)
    project_on_joints(tree, S, kin, tau)
    return 0 if good and finite(q) and finite(v) else 1


@kernel
def _bias(tree, q, v, tau):
    return _forces(tree, q, v, acceleration_of_world(tree), tau)


@batch_kernel
def _bias_batch(tree, q, v, tau):
    bad = 0
    for s in range(len(q)):
        if _bias(tree, q[s], v[s], tau[s]) and not bad:
            bad = s + 1
    return bad


@kernel
def _gravity(tree, q, tau):
    return _forces(tree, q, np.zeros(len(tau)), acceleration_of_world(tree), tau)


@batch_kernel
def _gravity_batch(tree, q, tau):
    bad = 0
    for s in range(len(q)):
        if _gravity(tree, q[s], tau[s]) and not bad:
            bad = s + 1
    return bad


@kernel
def _coriolis(tree, q, v, tau):
    return _forces(tree, q, v, (0.0, 0.0, 0.0, 0.0, 0.0, 0.0), tau)


@batch_kernel
def _coriolis_batch(tree, q, v, tau):
    bad = 0
    for s in range(len(q)):
        if _coriolis(tree, q[s], v[s], tau[s]) and not bad:
            bad = s + 1
    return bad


def _bias_with_loops(model: Model, q: ArrayLike, v: ArrayLike) -> Array:
    """Gᵀ (C + M g): what ÿ = 0 takes."""
    motion, _ = spanning_states(model, ("q", "v"), (q, v))
    return projected("tau", motion.G, inverse_dynamics(model.spanning_tree, motion.q, motion.v, motion.g))


def _coriolis_with_loops(model: Model, q: ArrayLike, v: ArrayLike) -> Array:
    return _bias_with_loops(model, q, v) - gravity_forces(model, q)


@over_states(_bias, _bias_batch, ["q", "v"], "tau", with_loops=_bias_with_loops)
def bias_forces(model: Model, q: ArrayLike, v: ArrayLike, out: Array | None = None) -> Array:  # type: ignore[empty-body]
    """h(q, v): Coriolis, centrifugal and gravity forces: (..., nq), (..., nv) -> (..., nv) [N·m or N].

    Raises:
        StateError: A wrong shape, a number that is not finite, a quaternion that is not of length one.
    """


@over_states(_gravity, _gravity_batch, ["q"], "tau")
def gravity_forces(model: Model, q: ArrayLike, out: Array | None = None) -> Array:  # type: ignore[empty-body]
    """g(q) = h(q, 0): what holds the robot still, (..., nq) -> (..., nv) [N·m or N].

    Raises:
        StateError: A wrong shape, a number that is not finite, a quaternion that is not of length one.
    """


@over_states(_coriolis, _coriolis_batch, ["q", "v"], "tau", with_loops=_coriolis_with_loops)
def coriolis_forces(model: Model, q: ArrayLike, v: ArrayLike, out: Array | None = None) -> Array:  # type: ignore[empty-body]
    """C(q, v) v = h(q, v) - g(q): (..., nq), (..., nv) -> (..., nv) [N·m or N].

    Raises:
        StateError: A wrong shape, a number that is not finite, a quaternion that is not of length one.
    """
