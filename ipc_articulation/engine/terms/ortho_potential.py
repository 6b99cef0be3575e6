"""OrthoPotential, the energy that keeps an affine body rigid (libuipc's constitution 1; Lan et al. 2022, eq. 7).

    E = c ‖A Aᵀ - I‖²,   c = dt² v κ

With S = A Aᵀ - I:  ∂E = 4c S A,  and  ∂²E[dA] = 2c ‖dA Aᵀ + A dAᵀ‖² + 4c ⟨S dA, dA⟩. The first part is positive
semidefinite and serves as the Hessian (Gauss-Newton); it is exact where A is a rotation. The second is left out even
where it is positive: a Newton step is linear in q, so a turning body comes out of it stretched, and a Hessian that
holds on to this tension stops the turn. Without it, stiff links on joints converge quadratically.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numba import njit

from ipc_articulation.engine.scene_context import SceneContext
from ipc_articulation.engine.terms.shape import ShapeEnergy, stiffness_of


def read(slots: Sequence[Any], context: SceneContext) -> ShapeEnergy:
    """The term of the affine bodies among the slots."""
    return ShapeEnergy("ortho potential", energy, add_derivatives, stiffness_of(slots, context))


@njit(cache=True)
def energy(q, c):
    """Σ c ‖A Aᵀ - I‖² over the bodies: q (n, 12), c (n,) [J·s²]."""
    E = 0.0
    for b in range(len(q)):
        if c[b] > 0.0:
            S = _strain(q[b])
            E += c[b] * np.sum(S * S)
    return E


@njit(cache=True)
def add_derivatives(q, c, g, H):
    """Add the gradient to g (n, 12) and the Gauss-Newton Hessian blocks to H (n, 12, 12)."""
    for b in range(len(q)):
        if c[b] > 0.0:
            A, S = q[b, 3:].reshape(3, 3), _strain(q[b])
            _add_gradient(A, S, 4.0 * c[b], g[b])
            _add_hessian(A, 4.0 * c[b], H[b])


@njit(cache=True)
def _strain(q):
    S = np.empty((3, 3))
    for i in range(3):
        for j in range(3):
            s = -1.0 if i == j else 0.0
            for k in range(3):
                s += q[3 + 3 * i + k] * q[3 + 3 * j + k]
            S[i, j] = s
    return S


@njit(cache=True)
def _add_gradient(A, S, c4, g):
    for i in range(3):
        for k in range(3):
            for j in range(3):
                g[3 + 3 * i + k] += c4 * S[i, j] * A[j, k]


@njit(cache=True)
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
