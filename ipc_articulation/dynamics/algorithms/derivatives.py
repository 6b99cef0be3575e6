"""First derivatives of inverse and forward dynamics.

A displacement along coordinate j of node n moves all bodies that j carries rigidly by the twist S_j. Because the
motion of n itself does not turn with them, their velocities and accelerations change by

    δv = S_j × v + D_j,     δa = S_j × a + P_j - v × D_j,     D_j = v_n × S_j,   P_j = a_n × S_j + v_n × D_j,

so that a wrench f = I a + v ×* I v changes by δf = S_j ×* f + I P_j + 2B D_j (B in `velocity_products.py`). With Iᶜ,
Bᶜ, Fᶜ summed over all that the lower of i and j carries, and Wᶜ the external wrenches on these bodies,

    ∂τ_i/∂q_j = S_iᵀ (S_j ×* Fᶜ + Iᶜ P_j + 2Bᶜ D_j)                    i between j and the root, or of j's node
    ∂τ_i/∂q_j = S_iᵀ (Iᶜ P_j + 2Bᶜ D_j) - (S_j × S_i)ᵀ Wᶜ              j between i and the root
    ∂τ_i/∂v_j = S_iᵀ (Iᶜ (Ṡ_j + D_j) + 2Bᶜ S_j)                        both

(after Singh, Russell, Wensing 2022, «Efficient analytical derivatives of rigid-body dynamics using spatial vector
algebra»; here with columns that are fixed in the frame before the motion). A derivative by q is taken along a velocity
direction δ: q moves to `integrate(q, δ)`. For forward dynamics, ∂q̈ = -M⁻¹ ∂τ at its q̈.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ipc_articulation.arrays import Array
from ipc_articulation.dynamics.algorithms.aba import forward_dynamics
from ipc_articulation.dynamics.algorithms.derivatives_with_loops import derivatives_with_loops
from ipc_articulation.dynamics.algorithms.inverse_mass import inverse_mass_matrix
from ipc_articulation.dynamics.algorithms.jacobian import column_rate
from ipc_articulation.dynamics.algorithms.over_states import Algorithm
from ipc_articulation.dynamics.algorithms.velocity_products import (
    accumulate_matrices,
    fill_products,
    times,
    transpose_times,
)
from ipc_articulation.dynamics.arguments import require
from ipc_articulation.dynamics.kernels.kernel import inlined, kernel
from ipc_articulation.dynamics.kernels.sweep import (
    NODE_STATE,
    accumulate_forces,
    accumulate_inertias,
    newton_euler,
    subtract_wrench,
)
from ipc_articulation.dynamics.kernels.vectors import cross, cross_force, dot, inertia_times, plus, put, row
from ipc_articulation.dynamics.model.model import Model


class InverseDerivatives(NamedTuple):
    """Derivatives of τ; row i has those of τ_i."""

    q: Array  # (..., nv, nv) by displacements along the velocity coordinates
    v: Array  # (..., nv, nv)
    a: Array  # (..., nv, nv), the mass matrix


class ForwardDerivatives(NamedTuple):
    """Derivatives of q̈; row i has those of q̈_i."""

    q: Array  # (..., nv, nv) by displacements along the velocity coordinates
    v: Array  # (..., nv, nv)
    tau: Array  # (..., nv, nv), the inverse of the mass matrix


def inverse_dynamics_derivatives(
    model: Model, q: ArrayLike, v: ArrayLike, a: ArrayLike, wrenches: ArrayLike | None = None
) -> InverseDerivatives:
    """Derivatives of `inverse_dynamics`, with wrenches held constant.

    Args:
        model: The model.
        q: Positions, (..., nq).
        v: Velocities, (..., nv).
        a: Accelerations, (..., nv).
        wrenches: On the bodies, (..., nb, 6) [moment about the world's origin; force], world axes [N·m; N].

    Raises:
        StateError: A wrong shape, a number that is not finite, a quaternion that is not of length one.
    """
    require("model", model, Model)
    K = _DERIVATIVES(model, q, v, a, np.zeros(model.shapes["wrenches"]) if wrenches is None else wrenches)
    return InverseDerivatives(K[..., 0, :, :], K[..., 1, :, :], K[..., 2, :, :])


def forward_dynamics_derivatives(
    model: Model, q: ArrayLike, v: ArrayLike, tau: ArrayLike, wrenches: ArrayLike | None = None
) -> ForwardDerivatives:
    """Derivatives of `forward_dynamics`, with wrenches held constant; it has the same arguments.

    Raises:
        ModelError: A joint moves no inertia.
        StateError: A wrong shape, a number that is not finite, a quaternion that is not of length one.
    """
    by = inverse_dynamics_derivatives(model, q, v, forward_dynamics(model, q, v, tau, wrenches), wrenches)
    W = inverse_mass_matrix(model, q) + np.zeros_like(by.q)  # q may have fewer leading axes than the rest
    return ForwardDerivatives(-W @ by.q, -W @ by.v, W)


_FIELDS = np.dtype([("S_dot", "f8", (6,)), ("D", "f8", (6,)), ("P", "f8", (6,))], align=True)  # of a coordinate


@inlined
def _single(tree, q, v, a, wrenches, K):
    n, nv = len(tree), len(v)
    kin, S, good = newton_euler(tree, q, v, a, np.empty((0, 6)))
    columns, B, W = np.empty(nv, _FIELDS), np.empty((n, 6, 6)), np.empty(n, NODE_STATE)
    for i in range(n):
        _set_fields(tree[i], kin, kin[i], S, columns)
        _pushed_by(tree[i], wrenches, kin[i], W[i])
    fill_products(tree, kin, B)
    accumulate_inertias(tree, kin)
    accumulate_forces(tree, kin)
    accumulate_forces(tree, W)
    accumulate_matrices(tree, B)
    K[:] = 0.0
    for i in range(n):
        for j in range(tree[i].v, tree[i].v + tree[i].nv):
            _fill_above(tree, i, j, kin[i], B[i], S, columns[j], K)
            _fill_below(tree, i, j, kin[i], B[i], W[i].f, S, columns, K)
            K[2, j, j] += tree[i].rotor[j - tree[i].v]
    return good


@kernel
def _set_fields(b, kin, k, S, columns):
    for j in range(b.v, b.v + b.nv):
        s, c = row(S, j), columns[j]
        put(c.S_dot, column_rate(b, kin, S, j))
        put(c.D, cross(k.v, s))
        put(c.P, plus(cross(k.a, s), cross(k.v, c.D)))


@kernel
def _pushed_by(b, wrenches, k, w):
    """Put the external wrench on a node into w.f."""
    put(w.f, (0.0, 0.0, 0.0, 0.0, 0.0, 0.0))
    for r in range(3):
        w.o[r] = k.o[r]
    subtract_wrench(b, wrenches, w)
    for r in range(6):
        w.f[r] = -w.f[r]


@kernel
def _fill_above(tree, i, j, k, B, S, c, K):
    """Derivatives by q_j, v_j and a_j of τ for all coordinates of j's node and of the nodes between it and the root."""
    s = row(S, j)
    by_q = plus(cross_force(s, k.f), plus(inertia_times(k, c.P), times(B, c.D)))
    by_v = plus(inertia_times(k, plus(c.S_dot, c.D)), times(B, s))
    by_a = inertia_times(k, s)
    while i >= 0:
        for e in range(tree[i].v, tree[i].v + tree[i].nv):
            x = row(S, e)
            K[0, e, j], K[1, e, j] = dot(x, by_q), dot(x, by_v)
            K[2, e, j] = K[2, j, e] = dot(x, by_a)
        i = tree[i].parent


@kernel
def _fill_below(tree, i, j, k, B, w, S, columns, K):
    """Derivatives of τ_j by q and v of all nodes between j's node and the root, j's own node excluded."""
    s = row(S, j)
    Z, Q = inertia_times(k, s), transpose_times(B, s)
    i = tree[i].parent
    while i >= 0:
        for e in range(tree[i].v, tree[i].v + tree[i].nv):
            c, x = columns[e], row(S, e)
            K[0, j, e] = dot(Z, c.P) + dot(Q, c.D) - dot(cross(x, s), w)
            K[1, j, e] = dot(Z, plus(c.S_dot, c.D)) + dot(Q, x)
        i = tree[i].parent


def _with_loops(model: Model, *states: ArrayLike) -> Array:
    return derivatives_with_loops(_DERIVATIVES, model, *states)


_DERIVATIVES = Algorithm(_single, ["q", "v", "a", "wrenches"], "matrices", with_loops=_with_loops)
