"""The joint-space mass matrix by the composite rigid body algorithm.

    M_ij = S_iᵀ Iᶜ_j S_j     for i = j or j carried by i, else 0;   + rotor inertia on the diagonal

where Iᶜ_j is the composite inertia of all bodies that joint j carries (Featherstone 2008, ch. 6.2).
"""

from __future__ import annotations

from numpy.typing import ArrayLike

from ipc_articulation.arrays import Array
from ipc_articulation.dynamics.algorithms.over_states import over_states
from ipc_articulation.dynamics.kernels.kernel import inlined, kernel
from ipc_articulation.dynamics.kernels.sweep import add_inertia, at_position, body_inertias
from ipc_articulation.dynamics.kernels.vectors import dot, inertia_times, row
from ipc_articulation.dynamics.model.model import Model


@kernel
def fill_mass_matrix(tree, kin, S, M):
    """Fill the mass matrix M. Takes kin after `body_inertias`, and leaves it as after `accumulate_inertias`."""
    M[:] = 0.0
    for i in range(len(tree) - 1, -1, -1):
        b, k = tree[i], kin[i]
        for j in range(b.v, b.v + b.nv):
            F = inertia_times(k, row(S, j))
            M[j, j] = dot(row(S, j), F) + b.rotor[j - b.v]
            for e in range(b.v, j):
                M[j, e] = M[e, j] = dot(row(S, e), F)
            up = b.parent
            while up >= 0:
                e = tree[up].v
                M[j, e] = M[e, j] = dot(row(S, e), F)
                for e in range(tree[up].v + 1, tree[up].v + tree[up].nv):
                    M[j, e] = M[e, j] = dot(row(S, e), F)
                up = tree[up].parent
        if b.parent >= 0:
            add_inertia(k, kin[b.parent])


@inlined
def mass_matrix_into(tree, q, M):
    """M ← the mass matrix. Returns: whether every quaternion is of length one."""
    kin, S, good = at_position(tree, q)
    body_inertias(tree, kin)
    fill_mass_matrix(tree, kin, S, M)
    return good


@over_states(mass_matrix_into, ["q"], "matrix")
def mass_matrix(model: Model, q: ArrayLike, out: Array | None = None) -> Array:  # type: ignore[empty-body]
    """M(q), symmetric positive definite, rotor inertia included: (..., nq) -> (..., nv, nv) [kg, kg·m, kg·m²].

    Raises:
        StateError: A wrong shape, a number that is not finite, a quaternion that is not of length one.
    """
