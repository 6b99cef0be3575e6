"""OrthoPotential, the energy that keeps an affine body rigid (libuipc's constitution 1; Lan et al. 2022, eq. 7).

    E = c ‖A Aᵀ - I‖²,   c = dt² v κ

With S = A Aᵀ - I:  ∂E = 4c S A,  and  ∂²E[dA] = 2c ‖dA Aᵀ + A dAᵀ‖² + 4c ⟨S dA, dA⟩. The first part is positive
semidefinite. The second is the stiffness of a body under tension against rotation, like that of a string. A Newton step
is linear in q, so it stretches a rotating body; a Hessian that treats this stretch as tension would stop the rotation.
The stretch of a step is dA dAᵀ, so the second part is computed with

    T = S - dA dAᵀ,   dA the last step,

the tension that the step predicted, like the update of a multiplier in sequential quadratic programming; only the
positive part of T is used.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ipc_articulation.compiled import compiled
from ipc_articulation.elasticity.signed_svd import eigenvectors
from ipc_articulation.engine.scene.scene_context import SceneContext
from ipc_articulation.engine.terms.shape import Shape, over_nodes, read_shape

NAME = "ortho potential"


@compiled
def add_energy(q, c, moving, E):
    """Add c ‖A Aᵀ - I‖² of the moving bodies to E (n,): q (n, 12), c (n,) [J·s²]."""
    for b in range(len(q)):
        if moving[b] and c[b] > 0.0:
            S = _strain(q[b])
            E[b] += c[b] * np.sum(S * S)


@compiled
def add_derivatives(q, c, dA, moving, projected, g, H):
    """Add the gradient to g (n, 12) and Hessian blocks to H (n, 12, 12), projected (n,) with dA (n, 9), or exact."""
    T, V = np.empty((3, 3)), np.empty((3, 3))
    for b in range(len(q)):
        if moving[b] and c[b] > 0.0:
            A, S = q[b, 3:].reshape(3, 3), _strain(q[b])
            _add_gradient(A, S, 4.0 * c[b], g[b])
            _add_hessian(A, 4.0 * c[b], H[b])
            if projected[b]:
                _predicted_tension(S, dA[b], T)
                eigenvectors(T, V)
                _add_tension(T, V, 4.0 * c[b], H[b])
            else:
                _add_stress(S, 4.0 * c[b], H[b])


@compiled
def _strain(q):
    S = np.empty((3, 3))
    for i in range(3):
        for j in range(3):
            s = -1.0 if i == j else 0.0
            for k in range(3):
                s += q[3 + 3 * i + k] * q[3 + 3 * j + k]
            S[i, j] = s
    return S


@compiled
def _add_gradient(A, S, c4, g):
    for i in range(3):
        for k in range(3):
            for j in range(3):
                g[3 + 3 * i + k] += c4 * S[i, j] * A[j, k]


@compiled
def _add_hessian(A, c4, H):
    """Entries 4c [(AᵀA)_kl δ_ij + A_jk A_il] for ∂²E/∂A_ik ∂A_jl."""
    for i in range(3):
        for k in range(3):
            for j in range(3):
                for m in range(3):
                    h = A[j, k] * A[i, m]
                    if i == j:
                        h += A[0, k] * A[0, m] + A[1, k] * A[1, m] + A[2, k] * A[2, m]
                    H[3 + 3 * i + k, 3 + 3 * j + m] += c4 * h


@compiled
def _predicted_tension(S, dA, T):
    """T = S - dA dAᵀ."""
    for i in range(3):
        for j in range(3):
            T[i, j] = S[i, j]
            for k in range(3):
                T[i, j] -= dA[3 * i + k] * dA[3 * j + k]


@compiled
def _add_tension(T, V, c4, H):
    """Entries 4c T⁺_ij δ_km for ∂²E/∂A_ik ∂A_jm, T⁺ the positive part of T = V diag Vᵀ."""
    for e in range(3):
        if T[e, e] > 0.0:
            for i in range(3):
                for j in range(3):
                    t = c4 * T[e, e] * V[i, e] * V[j, e]
                    for k in range(3):
                        H[3 + 3 * i + k, 3 + 3 * j + k] += t


@compiled
def _add_stress(S, c4, H):
    """Entries 4c S_ij δ_km for ∂²E/∂A_ik ∂A_jm."""
    for i in range(3):
        for j in range(3):
            for k in range(3):
                H[3 + 3 * i + k, 3 + 3 * j + k] += c4 * S[i, j]


KERNELS = over_nodes(add_energy, add_derivatives)


def read(slots: Sequence[Any], context: SceneContext) -> Shape:
    """The term of the affine bodies among the slots."""
    return read_shape(NAME, KERNELS, slots, context)
