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
def energy(C):
    """‖A - R‖² of C = Aᵀ (3, 3)."""
    U, s, V = np.empty((3, 3)), np.empty(3), np.empty((3, 3))
    signed_svd(C, V, s, U)
    return np.sum((s - 1.0) ** 2)


@compiled
def add_derivatives(C, dC, c, project, g, H):
    """See `shape.over_nodes`; dC is not used."""
    U, s, V = np.empty((3, 3)), np.empty(3), np.empty((3, 3))
    signed_svd(C, V, s, U)
    g += 2.0 * c * (C - V @ U.T)
    _add_hessian(U, s, V, 2.0 * c, 2.0 if project else _FLAT, H)


@compiled
def _add_hessian(U, s, V, c2, least, H):
    T = np.empty(9)
    for i in range(9):
        H[3 + i, 3 + i] += c2
    for i in range(2):
        for j in range(i + 1, 3):
            for k in range(3):
                for m in range(3):
                    T[3 * m + k] = np.sqrt(0.5) * (U[k, i] * V[m, j] - U[k, j] * V[m, i])
            shrink = c2 * 2.0 / max(s[i] + s[j], least)
            for k in range(9):
                for m in range(9):
                    H[3 + k, 3 + m] -= shrink * T[k] * T[m]


KERNELS = over_nodes(energy, add_derivatives)


def read(slots: Sequence[Any], context: SceneContext) -> Shape:
    """The term of the affine bodies among the slots."""
    return read_shape("ARAP", KERNELS, slots, context)
