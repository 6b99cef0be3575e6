"""Inverse dynamics by the recursive Newton-Euler algorithm.

    τ_i = S_iᵀ Σ_{j carried by i} (I_j a_j + v_j ×* I_j v_j - w_j) + rotor inertia · q̈_i

(Featherstone 2008, ch. 5.3), so that τ = M(q) q̈ + h(q, q̇) - Σ Jᵀ w.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ipc_articulation.arrays import Array
from ipc_articulation.dynamics.algorithms.over_states import Algorithm, over_states
from ipc_articulation.dynamics.kernels.kernel import inlined, kernel
from ipc_articulation.dynamics.kernels.sweep import accumulate_forces, newton_euler
from ipc_articulation.dynamics.kernels.vectors import dot, row
from ipc_articulation.dynamics.model.model import Model


@kernel
def project_on_joints(tree, S, kin, tau):
    """τ = S·f; kin as `accumulate_forces` leaves it."""
    for i in range(len(tree)):
        for j in range(tree[i].v, tree[i].v + tree[i].nv):
            tau[j] = dot(row(S, j), kin[i].f)


@inlined
def _with_wrenches(tree, q, v, a, wrenches, tau):
    kin, S, good = newton_euler(tree, q, v, a, wrenches)
    accumulate_forces(tree, kin)
    project_on_joints(tree, S, kin, tau)
    for i in range(len(tree)):
        for j in range(tree[i].nv):
            tau[tree[i].v + j] += tree[i].rotor[j] * a[tree[i].v + j]
    return good


@inlined
def _without_wrenches(tree, q, v, a, tau):
    return _with_wrenches(tree, q, v, a, np.empty((0, 6)), tau)


_WITH_WRENCHES = Algorithm(_with_wrenches, ["q", "v", "a", "wrenches"], "tau")


@over_states(_without_wrenches, ["q", "v", "a"], "tau")
def _without(model, q, v, x, out=None):
    """The same without external wrenches."""


def inverse_dynamics(
    model: Model,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    wrenches: ArrayLike | None = None,
    out: Array | None = None,
) -> Array:
    """The generalised force τ that produces an acceleration.

    Args:
        model: The model.
        q: Positions, (..., nq).
        v: Velocities, (..., nv).
        a: Accelerations, (..., nv).
        wrenches: On the bodies, (..., nb, 6) [moment about the world's origin; force], world axes [N·m; N].
        out: Array for the result; None: a new one.

    Returns:
        (..., nv) [N·m or N].

    Raises:
        StateError: A wrong shape, a number that is not finite, a quaternion that is not of length one.
    """
    if wrenches is None:
        return _without(model, q, v, a, out)
    return _WITH_WRENCHES(model, q, v, a, wrenches, out=out)
