"""Strain of a soft body at its vertices, from its positions at rest and at present.

A triangle has the edges E = [X₁ - X₀, X₂ - X₀] at rest, in an orthonormal basis of its plane (2, 2), and at present
e = [x₁ - x₀, x₂ - x₀] (3, 2). Its in-plane deformation gradient F = e E⁻¹ has the largest principal stretch

    λ = √(½ (a + c) + √(¼ (a - c)² + b²)),   [a b; b c] = FᵀF

(Bonet and Wood, Nonlinear Continuum Mechanics for Finite Element Analysis, 2008, chapter 4: λ² is an eigenvalue of the
right Cauchy-Green tensor FᵀF). The strain is λ - 1, the elongation of the direction that is stretched most; that of a
segment is l/L - 1.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.meshing.boundary import boundary_faces


class VertexStrain:
    """Strain at vertices: the mean of that of the triangles or segments around, weighted by area or length at rest.

    Solids have that of their surface, and 0 inside. Elements without extent at rest, such as particles, have none.

    Args:
        cells: Tetrahedra (k, 4), triangles (k, 3) or segments (k, 2).
        rest: Vertices at rest, (V, 3) [m].
    """

    def __init__(self, cells: Ints, rest: Array) -> None:
        from scipy.sparse import coo_array

        elements = boundary_faces(cells) if cells.shape[1] == 4 else cells
        self._elements, self._extents = elements, _extents(rest[elements])
        measures = np.prod(self._extents[:, :2], axis=1)  # twice the area, or the length
        self._elements, self._extents = elements[measures > 0.0], self._extents[measures > 0.0]
        weights = np.repeat(measures[measures > 0.0], elements.shape[1])
        vertices = self._elements.ravel()
        weights /= np.bincount(vertices, weights, len(rest))[vertices]
        columns = np.repeat(np.arange(len(self._elements)), elements.shape[1])
        self._mean = coo_array((weights, (vertices, columns)), shape=(len(rest), len(self._elements))).tocsr()

    def at(self, positions: Array) -> Array:
        """The strain at each vertex where the vertices are at `positions`, (V, 3) [m]: (V,)."""
        return np.asarray(self._mean @ (_stretches(positions[self._elements], self._extents) - 1.0))


def _extents(corners: Array) -> Array:
    """Entries of E = [l p; 0 h], as (l, h, p), (k, 3); of segments (k, 2, 3) with h = 1, p = 0 [m]."""
    first = corners[:, 1] - corners[:, 0]
    length = np.linalg.norm(first, axis=1)
    if corners.shape[1] == 2:
        return np.stack([length, np.ones_like(length), np.zeros_like(length)], axis=1)
    second = corners[:, 2] - corners[:, 0]
    along = np.sum(first * second, axis=1) / np.maximum(length, 1e-300)
    height = np.linalg.norm(np.cross(first, second), axis=1) / np.maximum(length, 1e-300)
    return np.stack([length, height, along], axis=1)


def _stretches(corners: Array, extents: Array) -> Array:
    """λ of triangles (k, 3, 3), or l/L of segments (k, 2, 3): (k,)."""
    length, height, along = extents.T[:, :, None]
    first = (corners[:, 1] - corners[:, 0]) / length  # columns of F
    if corners.shape[1] == 2:
        return np.linalg.norm(first, axis=1)
    second = (corners[:, 2] - corners[:, 0] - along * first) / height
    a, b, c = (np.sum(u * v, axis=1) for u, v in ((first, first), (first, second), (second, second)))
    return np.sqrt(0.5 * (a + c) + np.hypot(0.5 * (a - c), b))
