"""Edges that are almost parallel: the energy κ m(z·z) B(d), z = e₁ × e₂, m the mollifier (see `barrier`).

Its second derivative by the coordinates, with d' = ∂d and B' = dB/dd, has these parts:

    κ (m B'' d' d'ᵀ + B' (d' m'ᵀ + m' d'ᵀ) + B Σ_kl ∂²m/∂z_k∂z_l z_k' z_l'ᵀ)    a Hessian by the numbers d and z
    κ B Σ_k ∂m/∂z_k ∂²z_k                                                        of z itself
    κ m B' ∂²d                                                                   of the distance, see `curvature`

Along z, together with d, the first is a 2x2 matrix; across, it is 2 B dm/d(z·z).
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.compiled import compiled
from ipc_articulation.contact.barrier import cross


@compiled
def basis(z, length, along, across1, across2):
    """Fill an orthonormal basis whose first vector is along z, or any basis if z is zero."""
    along[:] = 0.0
    along[2] = 1.0
    if length > 0.0:
        along[0], along[1], along[2] = z[0] / length, z[1] / length, z[2] / length
    smallest = 0
    for k in range(1, 3):
        if abs(along[k]) < abs(along[smallest]):
            smallest = k
    across2[:] = 0.0
    across2[smallest] = 1.0
    cross(along, across2, across1)
    scale = np.sqrt(across1[0] ** 2 + across1[1] ** 2 + across1[2] ** 2)
    across1[0], across1[1], across1[2] = across1[0] / scale, across1[1] / scale, across1[2] / scale
    cross(along, across1, across2)
