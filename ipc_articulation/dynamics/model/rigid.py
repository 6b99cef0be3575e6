"""Checks of users' poses."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ipc_articulation.arrays import Array
from ipc_articulation.errors import ModelError


def rigid(pose: ArrayLike, where: str) -> Array:
    """A pose of a joint as an array.

    Raises:
        ModelError: The pose is no rigid motion.
    """
    H = np.asarray(pose, dtype=float)
    if H.shape != (4, 4) or not np.isfinite(H).all() or np.abs(H[3] - (0, 0, 0, 1)).max() > 0.0:
        raise ModelError(f"{where}: an origin must be a finite (4, 4) pose with last row 0 0 0 1")
    R = H[:3, :3]
    if np.abs(R @ R.T - np.eye(3)).max() > 1e-6 or np.linalg.det(R) < 0.0:
        raise ModelError(f"{where}: the rotation of an origin must be orthogonal with determinant 1")
    return H
