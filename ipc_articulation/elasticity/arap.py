"""ARAP, as rigid as possible, for solids (libuipc's constitution 9; Kim and Eberle 2022, «Dynamic deformables»).

    E = v κ ‖F - R‖² = v κ Σ (sᵢ - 1)²,   F = U diag(s) Vᵀ,   R = U Vᵀ

R is the rotation nearest to F, for reflections too: s₂ has the sign of det F.

    ∂Ψ/∂F = 2κ (F - R),   twists 2κ (1 - 2/(sᵢ+sⱼ)),   flips and scalings 2κ

Inverted elements have finite energies. R jumps where s₁ + s₂ = 0, which an inverted element may cross; the exact
Hessian is infinite there, and is computed with a sum of at least 1e-6.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.elasticity import isotropic
from ipc_articulation.elasticity.deformation import of_tetrahedron
from ipc_articulation.elasticity.kernel import inlined
from ipc_articulation.elasticity.over_elements import over_elements
from ipc_articulation.elasticity.signed_svd import signed_svd
from ipc_articulation.elasticity.tetrahedron import shape_and_volume

_LEAST = 1e-6  # sum of two singular values


def rest(X: Array, tetrahedra: Ints, kappa: Array | float) -> Array:
    """Constants of k elements, (k, 13): b, v κ.

    Args:
        X: (n, 3) rest positions [m].
        tetrahedra: (k, 4) with positive volumes.
        kappa: κ [Pa], one number or (k,).
    """
    b, v = shape_and_volume(X, tetrahedra)
    return np.column_stack([b, v * kappa])


@inlined
def energy(x, c, arrays):
    """E [J] of x (4, 3) with constants c (13,)."""
    U, s, V, _, _, F, _, _ = arrays
    of_tetrahedron(x, c, F)
    signed_svd(F, U, s, V)
    return c[12] * ((s[0] - 1.0) ** 2 + (s[1] - 1.0) ** 2 + (s[2] - 1.0) ** 2)


@inlined
def write_derivatives(x, c, project, arrays, g, H):
    """Write ∂E/∂x into g (12,) and ∂²E/∂x² into H (12, 12), exact or projected."""
    isotropic.to_frames(x, c, arrays)
    _, s, _, _, slope, A, twists, flips = arrays
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        slope[k] = s[k] - 1.0
        twists[k], flips[k] = 1.0 - 2.0 / max(s[i] + s[j], _LEAST), 1.0
        A[k, k], A[i, j], A[j, i] = 1.0, 0.0, 0.0
    isotropic.to_vertices(arrays, 2.0 * c[12], project, g, H)


energies, derivatives, gradients, hessians = over_elements(4, isotropic.scratch, energy, write_derivatives)
