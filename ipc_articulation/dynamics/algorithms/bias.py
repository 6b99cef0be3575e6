"""Bias forces h(q, v) = C(q, v) v + g(q), which keep the acceleration at zero: Newton-Euler (`rnea.py`) with q̈ = 0."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ipc_articulation.arrays import Array
from ipc_articulation.dynamics.algorithms.lift import projected, spanning_states
from ipc_articulation.dynamics.algorithms.over_states import over_states
from ipc_articulation.dynamics.algorithms.rnea import inverse_dynamics, project_on_joints
from ipc_articulation.dynamics.kernels.kernel import inlined
from ipc_articulation.dynamics.kernels.sweep import (
    acceleration_of_world,
    accumulate_forces,
    at_velocity,
    body_inertias,
)
from ipc_articulation.dynamics.kernels.vectors import cross_force, inertia_times, plus, put, six
from ipc_articulation.dynamics.model.model import Model


@inlined
def _forces(tree, q, v, world, tau):
    kin, S, good = at_velocity(tree, q, v)
    body_inertias(tree, kin)
    for i in range(len(tree)):
        k, parent = kin[i], tree[i].parent
        put(k.a, plus(world if parent < 0 else six(kin[parent].a), k.c))
        put(k.f, plus(inertia_times(k, k.a), cross_force(k.v, inertia_times(k, k.v))))
    accumulate_forces(tree, kin)
    project_on_joints(tree, S, kin, tau)
    return good


@inlined
def bias_into(tree, q, v, tau):
    """tau ← h(q, v). Returns: whether every quaternion is of length one."""
    return _forces(tree, q, v, acceleration_of_world(tree), tau)


@inlined
def _gravity(tree, q, tau):
    return _forces(tree, q, np.zeros(len(tau)), acceleration_of_world(tree), tau)


@inlined
def _coriolis(tree, q, v, tau):
    return _forces(tree, q, v, (0.0, 0.0, 0.0, 0.0, 0.0, 0.0), tau)


def _bias_with_loops(model: Model, q: ArrayLike, v: ArrayLike) -> Array:
    """Gᵀ (C + M g), the generalised force at which ÿ = 0."""
    motion, _ = spanning_states(model, ("q", "v"), (q, v))
    return projected("tau", motion.G, inverse_dynamics(model.spanning_tree, motion.q, motion.v, motion.g))


def _coriolis_with_loops(model: Model, q: ArrayLike, v: ArrayLike) -> Array:
    return _bias_with_loops(model, q, v) - gravity_forces(model, q)


@over_states(bias_into, ["q", "v"], "tau", with_loops=_bias_with_loops)
def bias_forces(model: Model, q: ArrayLike, v: ArrayLike, out: Array | None = None) -> Array:  # type: ignore[empty-body]
    """h(q, v): Coriolis, centrifugal and gravity forces: (..., nq), (..., nv) -> (..., nv) [N·m or N].

    Raises:
        StateError: A wrong shape, a number that is not finite, a quaternion that is not of length one.
    """


@over_states(_gravity, ["q"], "tau")
def gravity_forces(model: Model, q: ArrayLike, out: Array | None = None) -> Array:  # type: ignore[empty-body]
    """g(q) = h(q, 0), the forces that keep the robot at rest: (..., nq) -> (..., nv) [N·m or N].

    Raises:
        StateError: A wrong shape, a number that is not finite, a quaternion that is not of length one.
    """


@over_states(_coriolis, ["q", "v"], "tau", with_loops=_coriolis_with_loops)
def coriolis_forces(model: Model, q: ArrayLike, v: ArrayLike, out: Array | None = None) -> Array:  # type: ignore[empty-body]
    """C(q, v) v = h(q, v) - g(q): (..., nq), (..., nv) -> (..., nv) [N·m or N].

    Raises:
        StateError: A wrong shape, a number that is not finite, a quaternion that is not of length one.
    """
