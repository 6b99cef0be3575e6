"""Inverse dynamics by the recursive Newton-Euler algorithm.

    τ_i = S_iᵀ Σ_{j carried by i} (I_j a_j + v_j ×* I_j v_j - w_j) + rotor inertia · q̈_i

(Featherstone 2008, ch. 5.3), so that τ = M(q) q̈ + h(q, q̇) - Σ Jᵀ w.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ipc_articulation.arrays import Array
from ipc_articulation.dynamics.algorithms.kernel import batch_kernel, kernel
from ipc_articulation.dynamics.algorithms.over_states import Algorithm, over_states
from ipc_articulation.dynamics.algorithms.sweep import (
    NODE_STATE,
    acceleration_kinematics,
    acceleration_of_world,
    accumulate_forces,
    body_forces,
    body_inertias,
    finite,
    fits,
    position_kinematics,
    velocity_kinematics,
)
from ipc_articulation.dynamics.algorithms.vectors import dot, row
from ipc_articulation.dynamics.model.model import Model


@kernel
def project_on_joints(tree, S, kin, tau):
    """τ = S·f; kin as `accumulate_forces` leaves it."""
    for i in range(len(tree)):
        for j in range(tree[i].v, tree[i].v + tree[i].nv):
            tau[j] = dot(row(S, j), kin[i].f)


@kernel
def _with_wrenches(tree, q, v, a, wrenches, tau):
    kin, S = np.empty(len(tree), NODE_STATE), np.empty((len(tau), 6))
    good = position_kinematics(tree, q, kin, S)
    velocity_kinematics(tree, S, v, kin)
    acceleration_kinematics(tree, S, a, acceleration_of_world(tree), kin)
    body_inertias(tree, kin)
    body_forces(tree, wrenches, kin)
    accumulate_forces(tree, kin)
    project_on_joints(tree, S, kin, tau)
    for i in range(len(tree)):
        for j in range(tree[i].nv):
            tau[tree[i].v + j] += tree[i].rotor[j] * a[tree[i].v + j]
    return 0 if good and finite(q) and finite(v) and finite(a) and finite(wrenches.ravel()) else 1


@batch_kernel
def _with_wrenches_batch(tree, q, v, a, wrenches, tau):
    bad = 0
    for s in range(len(q)):
        if _with_wrenches(tree, q[s], v[s], a[s], wrenches[s], tau[s]) and not bad:
            bad = s + 1
    return bad


@kernel
def _without_wrenches(tree, q, v, a, tau):
    if not fits(tree, q) or len(v) != len(tau) or len(a) != len(tau):
        return 1
    return _with_wrenches(tree, q, v, a, np.empty((0, 6)), tau)


@batch_kernel
def _without_wrenches_batch(tree, q, v, a, tau):
    bad = 0
    for s in range(len(q)):
        if _without_wrenches(tree, q[s], v[s], a[s], tau[s]) and not bad:
            bad = s + 1
    return bad


_WITH_WRENCHES = Algorithm(_with_wrenches, _with_wrenches_batch, ["q", "v", "a", "wrenches"], "tau")


@over_states(_without_wrenches, _without_wrenches_batch, ["q", "v", "a"], "tau")
def _without(model, q, v, x, out=None):
    """The same for a robot that nothing pushes."""


def inverse_dynamics(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    wrenches: ArrayLike | None = None,
    out: Array | None = None,
) -> Array:
    """The generalised force τ that gives an acceleration.

    Args:
        model: The model.
        q: Positions, (..., nq).
        v: Velocities, (..., nv).
        a: Accelerations, (..., nv).
        wrenches: On the bodies, (..., nb, 6) [moment about the world's origin; force], world axes [N·m; N].
        out: For the result.

    Returns:
        (..., nv) [N·m or N].

    Raises:
        StateError: A wrong shape, a number that is not finite, a quaternion that is not of length one.
    """
    if wrenches is None:
        return _without(model, q, v, a, out)
    return _WITH_WRENCHES(model, q, v, a, wrenches, out=out)
