"""Rest shapes of tetrahedra."""

from __future__ import annotations

import numpy as np

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.elasticity.deformation import shape_gradients
from ipc_articulation.errors import MeshError


def shape_and_volume(X: Array, tetrahedra: Ints) -> tuple[Array, Array]:
    """Shape gradients, (k, 12) [1/m], and volumes, (k,) [m³], of tetrahedra (k, 4) at X (n, 3) [m].

    Raises:
        MeshError: A volume is not positive; v = det(x₁ - x₀, x₂ - x₀, x₃ - x₀)/6.
    """
    D = np.swapaxes(X[tetrahedra[:, 1:]] - X[tetrahedra[:, :1]], 1, 2)
    v = np.linalg.det(D) / 6.0
    if not np.all(v > 0.0):
        e = int(np.argmin(v > 0.0))
        raise MeshError(f"tetrahedron {e} has the volume {v[e]:.3g} m³ at rest; it must be positive")
    return shape_gradients(D).reshape(-1, 12), v
