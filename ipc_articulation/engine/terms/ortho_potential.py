"""OrthoPotential, the energy that keeps an affine body rigid (libuipc's constitution 1; Lan et al. 2022, eq. 7).

    E = c ‖A Aᵀ - I‖²,   c = dt² v κ

With S = A Aᵀ - I:  ∂E = 4c S A,  and  ∂²E[dA] = 2c ‖dA Aᵀ + A dAᵀ‖² + 4c ⟨S dA, dA⟩. The first part is positive
semidefinite; the projected Hessian replaces S in the second by its positive part.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from ipc_articulation.engine.linear_system import LinearSystem
from ipc_articulation.engine.state import State
from ipc_articulation.frontend.bodies import BodyTable

Array = NDArray[np.float64]


class OrthoPotential:
    """The shape energy of all bodies that are not fixed."""

    name = "shape"

    def __init__(self, bodies: BodyTable) -> None:
        """Stiffness v κ [J] of each body."""
        self._stiffness = bodies.volume * bodies.kappa * ~bodies.is_fixed
        self._c = np.zeros(len(bodies))

    def begin_step(self, state: State, dt: float) -> None:
        self._c = dt * dt * self._stiffness

    def energy(self, q: Array) -> float:
        return energy(q, self._c)

    def assemble(self, q: Array, g: Array, system: LinearSystem) -> None:
        H = np.zeros((len(q), 12, 12))
        add_derivatives(q, self._c, g, H)
        system.add_diagonal(H)


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
    """Add the gradient to g (n, 12) and the projected Hessian blocks to H (n, 12, 12)."""
    for b in range(len(q)):
        if c[b] > 0.0:
            A, S = q[b, 3:].reshape(3, 3), _strain(q[b])
            _add_gradient(A, S, 4.0 * c[b], g[b])
            _add_hessian(A, _positive_part(S), 4.0 * c[b], H[b])


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
def _positive_part(S):
    """S with its negative eigenvalues set to zero; S itself where rounding is all there is."""
    if np.abs(S).max() < 1e-14:
        return np.zeros((3, 3))
    w, V = np.linalg.eigh(S)
    return (V * np.maximum(w, 0.0)) @ V.T


@njit(cache=True)
def _add_gradient(A, S, c4, g):
    for i in range(3):
        for k in range(3):
            for j in range(3):
                g[3 + 3 * i + k] += c4 * S[i, j] * A[j, k]


@njit(cache=True)
def _add_hessian(A, S, c4, H):
    """Entries for ∂²E/∂A_ik ∂A_jl = 4c [(AᵀA)_kl δ_ij + A_jk A_il + S_ij δ_kl]."""
    for i in range(3):
        for k in range(3):
            for j in range(3):
                for m in range(3):
                    h = A[j, k] * A[i, m]
                    if i == j:
                        h += A[0, k] * A[0, m] + A[1, k] * A[1, m] + A[2, k] * A[2, m]
                    if k == m:
                        h += S[i, j]
                    H[3 + 3 * i + k, 3 + 3 * j + m] += c4 * h
