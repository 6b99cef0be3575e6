"""The inverse of the joint-space mass matrix, by a factorisation with the sparsity of the tree.

M = Lᵀ D L with L unit lower triangular. L_ki is zero unless coordinate i is between k and the root, so that there is
no fill-in (Featherstone 2008, ch. 6.5). Then M⁻¹ = L⁻¹ D⁻¹ L⁻ᵀ.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ipc_articulation.arrays import Array
from ipc_articulation.dynamics.algorithms.crba import mass_matrix, mass_matrix_into
from ipc_articulation.dynamics.algorithms.over_states import over_states
from ipc_articulation.dynamics.algorithms.solve import ROUNDING, refuse_singular, solve_mass
from ipc_articulation.dynamics.kernels.kernel import inlined, kernel
from ipc_articulation.dynamics.model.model import Model


@kernel
def coordinate_parents(tree, nv):
    """For each coordinate, the next one towards the root, -1 for none, (nv,)."""
    parents = np.empty(nv, np.int64)
    for i in range(len(tree)):
        b = tree[i]
        last = -1 if b.parent < 0 else tree[b.parent].v + tree[b.parent].nv - 1
        for j in range(b.nv):
            parents[b.v + j] = last if j == 0 else b.v + j - 1
    return parents


@kernel
def factorise(parents, M):
    """M ← D on the diagonal and L below it."""
    for k in range(len(M) - 1, -1, -1):
        i = parents[k]
        while i >= 0:
            ratio = M[k, i] / M[k, k]
            j = i
            while j >= 0:
                M[i, j] -= ratio * M[k, j]
                j = parents[j]
            M[k, i] = ratio
            i = parents[i]


@kernel
def solve_factorised(parents, F, x):
    """x ← L⁻¹ D⁻¹ L⁻ᵀ x."""
    for k in range(len(x) - 1, -1, -1):
        i = parents[k]
        while i >= 0:
            x[i] -= F[k, i] * x[k]
            i = parents[i]
    for k in range(len(x)):
        x[k] /= F[k, k]
        i = parents[k]
        while i >= 0:
            x[k] -= F[k, i] * x[i]
            i = parents[i]


@inlined
def inverse_into(tree, q, W):
    """W ← M⁻¹. Returns: whether every quaternion is of length one, and every D more than rounding errors."""
    n = len(W)
    F, parents = np.empty((n, n)), coordinate_parents(tree, n)
    good = mass_matrix_into(tree, q, F)
    for k in range(n):
        W[0, k] = F[k, k]
    factorise(parents, F)
    for k in range(n):
        good &= F[k, k] > ROUNDING * W[0, k]
    W[:] = 0.0
    for k in range(n):
        W[k, k] = 1.0
        solve_factorised(parents, F, W[k])
    return good


def _with_loops(model: Model, q: ArrayLike) -> Array:
    return solve_mass(model, mass_matrix(model, q), np.eye(model.nv))


@over_states(inverse_into, ["q"], "matrix", with_loops=_with_loops, refuse=refuse_singular)
def inverse_mass_matrix(model: Model, q: ArrayLike, out: Array | None = None) -> Array:  # type: ignore[empty-body]
    """M(q)⁻¹, symmetric: (..., nq) -> (..., nv, nv).

    Raises:
        ModelError: A joint moves no inertia.
        StateError: A wrong shape, a number that is not finite, a quaternion that is not of length one.
    """
