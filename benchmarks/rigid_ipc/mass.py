"""Volume, centre and second moments of triangles (as a solid, or as a surface), edges or points.

All are sums over simplices σ with corners v₀ … v_d, with s = Σ vᵢ and |σ| their measure:

    ∫ 1 = |σ|,   ∫ x = |σ| s / (d + 1),   ∫ x xᵀ = |σ| (Σ vᵢ vᵢᵀ + s sᵀ) / ((d + 1)(d + 2))

(J. B. Lasserre and K. E. Avrachenkov 2001, «The multi-dimensional version of ∫ xᵖ dx»). A solid is the signed sum of
the tetrahedra of its triangles and the origin.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from benchmarks.rigid_ipc.meshes import Mesh
from ipc_articulation.arrays import Array

FEWEST_OF_A_SOLID = 4  # triangles; rigid-ipc takes fewer for a surface


@dataclass(frozen=True)
class Moments:
    """What a density multiplies: of a surface, line or point cloud «volume» is area, length or number."""

    volume: float
    centre: Array  # (3,) [m]
    second: Array  # (3, 3), ∫ x xᵀ about the centre


def moments(mesh: Mesh) -> Moments:
    """As rigid-ipc chooses: a solid if its signed volume is positive, else a surface; without triangles, lines; else
    points that each count as 1."""
    if len(mesh.faces) >= FEWEST_OF_A_SOLID:
        solid = _sums(mesh.points[mesh.faces], 3)
        if solid[0] > 0.0:
            return _about_the_centre(*solid)
    simplices = (
        mesh.faces if len(mesh.faces) else mesh.edges if len(mesh.edges) else np.arange(len(mesh.points))[:, None]
    )
    return _about_the_centre(*_sums(mesh.points[simplices], simplices.shape[1] - 1))


def _sums(corners: Array, d: int) -> tuple[float, Array, Array]:
    """∫ 1, ∫ x and ∫ x xᵀ over simplices of dimension d with corners (n, k, 3); a missing corner is the origin."""
    size, s = _measures(corners, d), corners.sum(axis=1)
    second = np.einsum("n,nki,nkj->ij", size, corners, corners) + np.einsum("n,ni,nj->ij", size, s, s)
    return float(size.sum()), size @ s / (d + 1), second / ((d + 1) * (d + 2))


def _measures(corners: Array, d: int) -> Array:
    """Signed volumes of tetrahedra with the origin, areas, lengths, or ones: (n, k, 3) -> (n,)."""
    if d == 3:
        return np.linalg.det(corners) / 6.0
    sides = corners[:, 1:] - corners[:, :1]
    if d == 2:
        return 0.5 * np.linalg.norm(np.cross(sides[:, 0], sides[:, 1]), axis=1)
    return np.linalg.norm(sides[:, 0], axis=1) if d == 1 else np.ones(len(corners))


def _about_the_centre(volume: float, first: Array, second: Array) -> Moments:
    c = first / volume
    return Moments(volume, c, second - volume * np.outer(c, c))
