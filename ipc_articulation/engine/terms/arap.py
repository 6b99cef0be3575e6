"""ARAP, as rigid as possible: the other energy that keeps an affine body rigid (libuipc's constitution 2).

    E = c ‖A - R‖² = c Σ (sᵢ - 1)²,   c = dt² v κ,   A = R S = U diag(s) Vᵀ,   R = U Vᵀ

With the twists T_ij = U (eᵢeⱼᵀ - eⱼeᵢᵀ) Vᵀ/√2 (Kim and Eberle 2022, «Dynamic deformables», section on ARAP):

    ∂E = 2c (A - R),   ∂²E = 2c (1 - Σ_{i<j} 2/(sᵢ+sⱼ) T_ij T_ijᵀ)

The eigenvalue of a twist is 2c (1 - 2/(sᵢ+sⱼ)): 0 at rotations, negative where A is compressed; there the Hessian used
here has 0 instead, for reflections too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ipc_articulation.compiled import compiled
from ipc_articulation.elasticity.signed_svd import signed_svd
from ipc_articulation.engine.scene.scene_context import SceneContext
from ipc_articulation.engine.terms.shape import Shape, over_nodes, read_shape

_FLAT = 1e-6  # sum of two singular values of a body that is almost flat


@compiled
def add_energy(q, c, moving, E):
    """Add c ‖A - R‖² of the moving bodies to E (n,): q (n, 12), c (n,) [J·s²]."""
    U, s, V = np.empty((3, 3)), np.empty(3), np.empty((3, 3))
    for b in range(len(q)):
        if moving[b] and c[b] > 0.0:
            signed_svd(q[b, 3:].copy().reshape(3, 3), U, s, V)
            E[b] += c[b] * np.sum((s - 1.0) ** 2)


@compiled
def add_derivatives(q, c, dA, moving, projected, g, H):
    """Add the gradient to g (n, 12) and Hessian blocks to H (n, 12, 12), projected (n,) or exact; dA is not used."""
    U, s, V = np.empty((3, 3)), np.empty(3), np.empty((3, 3))
    for b in range(len(q)):
        if moving[b] and c[b] > 0.0:
            A = q[b, 3:].copy().reshape(3, 3)
            signed_svd(A, U, s, V)
            g[b, 3:] += 2.0 * c[b] * (A - U @ V.T).copy().reshape(9)
            _add_hessian(U, s, V, 2.0 * c[b], 2.0 if projected[b] else _FLAT, H[b])


@compiled
def _add_hessian(U, s, V, c2, least, H):
    T = np.empty(9)
    for i in range(9):
        H[3 + i, 3 + i] += c2
    for i in range(2):
        for j in range(i + 1, 3):
            for k in range(3):
                for m in range(3):
                    T[3 * k + m] = np.sqrt(0.5) * (U[k, i] * V[m, j] - U[k, j] * V[m, i])
            shrink = c2 * 2.0 / max(s[i] + s[j], least)
            for k in range(9):
                for m in range(9):
                    H[3 + k, 3 + m] -= shrink * T[k] * T[m]


KERNELS = over_nodes(add_energy, add_derivatives)


def read(slots: Sequence[Any], context: SceneContext) -> Shape:
    """The term of the affine bodies among the slots."""
    return read_shape("ARAP", KERNELS, slots, context)
