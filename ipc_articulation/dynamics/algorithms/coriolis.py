"""The Coriolis matrix C, with C v = h - g and Ṁ = C + Cᵀ.

With Iᶜ, Bᶜ summed over all that joint j carries, for each i between j and the root,

    C_ij = S_iᵀ (Iᶜ Ṡ_j + Bᶜ S_j),     C_ji = Ṡ_iᵀ Iᶜ S_j + S_iᵀ Bᶜᵀ S_j

(Echeandia, Wensing 2021; B in `velocity_products.py`).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ipc_articulation.arrays import Array
from ipc_articulation.dynamics.algorithms.crba import mass_matrix
from ipc_articulation.dynamics.algorithms.curvature import G_rate
from ipc_articulation.dynamics.algorithms.jacobian import column_rate
from ipc_articulation.dynamics.algorithms.lift import spanning_states
from ipc_articulation.dynamics.algorithms.over_states import over_states
from ipc_articulation.dynamics.algorithms.velocity_products import (
    accumulate_matrices,
    fill_products,
    times,
    transpose_times,
)
from ipc_articulation.dynamics.kernels.kernel import inlined, kernel
from ipc_articulation.dynamics.kernels.sweep import accumulate_inertias, at_velocity, body_inertias
from ipc_articulation.dynamics.kernels.vectors import dot, inertia_times, plus_times, put_row, row
from ipc_articulation.dynamics.model.model import Model


@inlined
def _single(tree, q, v, C):
    kin, S, good = at_velocity(tree, q, v)
    S_dot, B = np.empty((len(v), 6)), np.empty((len(tree), 6, 6))
    body_inertias(tree, kin)
    fill_products(tree, kin, B)
    accumulate_inertias(tree, kin)
    accumulate_matrices(tree, B)
    C[:] = 0.0
    for i in range(len(tree)):
        for j in range(tree[i].v, tree[i].v + tree[i].nv):
            put_row(S_dot, j, column_rate(tree[i], kin, S, j))
        for j in range(tree[i].v, tree[i].v + tree[i].nv):
            _fill(tree, i, j, kin[i], B[i], S, S_dot, C)
    return good


@kernel
def _fill(tree, i, j, k, B, S, S_dot, C):
    """Entries of C for coordinate j, of node i, and all coordinates between it and the root."""
    s = row(S, j)
    F1 = plus_times(inertia_times(k, row(S_dot, j)), 0.5, times(B, s))
    F2, F3 = inertia_times(k, s), transpose_times(B, s)
    while i >= 0:
        for e in range(tree[i].v, tree[i].v + tree[i].nv):
            C[e, j] = dot(row(S, e), F1)
            C[j, e] = dot(row(S_dot, e), F2) + 0.5 * dot(row(S, e), F3)
        i = tree[i].parent


def _with_loops(model: Model, q: ArrayLike, v: ArrayLike) -> Array:
    """Gᵀ (C G + M Ġ)."""
    motion, given = spanning_states(model, ("q", "v"), (q, v))
    C, M = coriolis_matrix(model.spanning_tree, motion.q, motion.v), mass_matrix(model.spanning_tree, motion.q)
    return np.swapaxes(motion.G, -1, -2) @ (C @ motion.G + M @ G_rate(model, given["q"], given["v"]))


@over_states(_single, ["q", "v"], "matrix", with_loops=_with_loops)
def coriolis_matrix(model: Model, q: ArrayLike, v: ArrayLike, out: Array | None = None) -> Array:  # type: ignore[empty-body]
    """C(q, v): (..., nq), (..., nv) -> (..., nv, nv).

    Raises:
        StateError: A wrong shape, a number that is not finite, a quaternion that is not of length one.
    """
