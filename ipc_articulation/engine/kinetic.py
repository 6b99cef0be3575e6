"""The kinetic term of the incremental potential, E = Σ ½ (q - q̃)ᵀ M (q - q̃) (backward Euler; libuipc's BDF1).

q̃ = qᵗ + dt q̇ᵗ + dt² g for a body that is dynamic, without dt q̇ᵗ for one that is not, and qᵗ for one that is fixed.
"""

from __future__ import annotations

import numpy as np
from numba import njit


def predict(q, qdot, gravity, is_fixed, is_dynamic, dt):
    """q̃ of all bodies, (n, 12); gravity (3,) acts on the translation alone, whatever the centre of mass."""
    q_tilde = q + dt * np.where(is_dynamic[:, None], qdot, 0.0)
    q_tilde[:, :3] += dt * dt * gravity
    return np.where(is_fixed[:, None], q, q_tilde)


@njit(cache=True)
def energy(q, q_tilde, M):
    """Σ ½ (q - q̃)ᵀ M (q - q̃); M (n, 12, 12) is zero for bodies without kinetic term."""
    E = 0.0
    for b in range(len(q)):
        for i in range(12):
            d = q[b, i] - q_tilde[b, i]
            if d != 0.0:
                for j in range(12):
                    E += 0.5 * d * M[b, i, j] * (q[b, j] - q_tilde[b, j])
    return E


@njit(cache=True)
def add_derivatives(q, q_tilde, M, g, H):
    """Add the gradient to g (n, 12) and the Hessian blocks to H (n, 12, 12)."""
    for b in range(len(q)):
        for i in range(12):
            for j in range(12):
                g[b, i] += M[b, i, j] * (q[b, j] - q_tilde[b, j])
                H[b, i, j] += M[b, i, j]
