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
def energy(C):
    """‖A Aᵀ - I‖² of C = Aᵀ (3, 3)."""
    total = 0.0
    for i in range(3):
        for j in range(3):
            total += _strain(C, i, j) ** 2
    return total


@compiled
def add_derivatives(C, dC, c, project, g, H):
    """See `shape.over_nodes`; projected by the last step, or exact."""
    S = np.empty((3, 3))
    for i in range(3):
        for j in range(3):
            S[i, j] = _strain(C, i, j)
    for k in range(3):
        for i in range(3):
            g[k, i] += 4.0 * c * (S[i, 0] * C[k, 0] + S[i, 1] * C[k, 1] + S[i, 2] * C[k, 2])
    if project:
        _make_tension(S, dC)
    _add_hessian(C, S, 4.0 * c, H)


@compiled
def _strain(C, i, j):
    """(A Aᵀ - I)_ij."""
    return C[0, i] * C[0, j] + C[1, i] * C[1, j] + C[2, i] * C[2, j] - (1.0 if i == j else 0.0)


@compiled
def _make_tension(S, dC):
    """Make S the positive part of T = S - dA dAᵀ."""
    T, V = np.empty((3, 3)), np.empty((3, 3))
    for i in range(3):
        for j in range(3):
            T[i, j] = S[i, j] - (dC[0, i] * dC[0, j] + dC[1, i] * dC[1, j] + dC[2, i] * dC[2, j])
    eigenvectors(T, V)
    S[:] = 0.0
    for e in range(3):
        for i in range(3):
            for j in range(3):
                S[i, j] += max(T[e, e], 0.0) * V[i, e] * V[j, e]


@compiled
def _add_hessian(C, T, c4, H):
    """Entries 4c [(AᵀA)_km δ_ij + A_jk A_im + T_ij δ_km] for ∂²E/∂A_ik ∂A_jm."""
    for k in range(3):
        for m in range(3):
            square = C[k, 0] * C[m, 0] + C[k, 1] * C[m, 1] + C[k, 2] * C[m, 2]
            for i in range(3):
                for j in range(3):
                    h = C[k, j] * C[m, i] + (square if i == j else 0.0) + (T[i, j] if k == m else 0.0)
                    H[3 + 3 * k + i, 3 + 3 * m + j] += c4 * h


KERNELS = over_nodes(energy, add_derivatives)


def read(slots: Sequence[Any], context: SceneContext) -> Shape:
    """The term of the affine bodies among the slots."""
    return read_shape(NAME, KERNELS, slots, context)
