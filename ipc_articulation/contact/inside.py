"""Closed surfaces inside others: they do not intersect, and could never leave again."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ipc_articulation.arrays import Array


def is_inside(points: Array, vertices: Array, faces: NDArray[np.integer]) -> bool:
    """Whether a surface that does not intersect a closed one lies inside it.

    Args:
        points: Vertices of the former, (k, 3) [m].
        vertices: Those of the closed one, (V, 3) [m].
        faces: Its triangles, (F, 3).
    """
    if not len(points) or not len(faces):
        return False
    corners = vertices[faces]
    low, high = corners.min(axis=(0, 1)), corners.max(axis=(0, 1))
    return bool(((points >= low) & (points <= high)).all()) and _winding(points[0], corners) > 0.5


def _winding(point: Array, corners: Array) -> float:
    """How many times a closed surface goes around a point: Σ Ω / 4π over the solid angles of triangles (F, 3, 3).

    tan ½Ω = a·(b×c) / (|a||b||c| + |c| a·b + |b| a·c + |a| b·c) (A. van Oosterom, J. Strackee, 1983).
    """
    a, b, c = (corners[:, k] - point for k in range(3))
    la, lb, lc = (np.linalg.norm(side, axis=1) for side in (a, b, c))
    over = np.einsum("ij,ij->i", a, np.cross(b, c))
    under = la * lb * lc + lc * (a * b).sum(1) + lb * (a * c).sum(1) + la * (b * c).sum(1)
    return float(np.arctan2(over, under).sum() / (2.0 * np.pi))
