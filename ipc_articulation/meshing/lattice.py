"""The body-centred cubic lattice and its tetrahedra, as far as they may be inside a surface.

Corners of cubes of side a are one half of the points, their centres the other. Each edge of a cube and two centres of
neighbouring cubes around it are a tetrahedron: two edges of length a, four of √3/2 a, all dihedral angles 60° or 90°.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ipc_articulation.arrays import Array, Bools, Ints
from ipc_articulation.meshing.columns import inside

_OFFSET = np.array([0.5122, 0.4871, 0.5037])  # of the lattice, so that its lines seldom meet vertices of a shape


@dataclass(frozen=True)
class Lattice:
    """Points of a lattice with those tetrahedra that have a point inside."""

    points: Array  # (n, 3) [m]
    is_inside: Bools  # (n,)
    tetrahedra: Ints  # (T, 4)


def lattice_around(vertices: Array, faces: Ints, spacing: float) -> Lattice:
    """The lattice about a closed surface.

    Args:
        vertices: Of the surface, (V, 3) [m].
        faces: Its triangles, (F, 3).
        spacing: a [m].
    """
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    origin = low - (1.0 + _OFFSET) * spacing
    counts = np.ceil((high - origin) / spacing).astype(np.int64) + 2
    kinds = [
        (origin + half * spacing, inside(vertices, faces, origin + half * spacing, spacing, counts))
        for half in (0.0, 0.5)
    ]
    index = np.stack(np.meshgrid(*map(np.arange, counts), indexing="ij"), axis=-1).reshape(-1, 3)
    points = np.concatenate([start + spacing * index for start, _ in kinds])
    is_inside = np.concatenate([flags.ravel() for _, flags in kinds])
    tetrahedra = _tetrahedra(counts)
    tetrahedra = tetrahedra[is_inside[tetrahedra].any(axis=1)]
    used, inverse = np.unique(tetrahedra, return_inverse=True)
    return Lattice(points[used], is_inside[used], inverse.reshape(-1, 4))


def _tetrahedra(counts: Ints) -> Ints:
    """All tetrahedra of a block of cubes; corners come first, (T, 4)."""
    total = int(np.prod(counts))

    def number(index: Ints) -> Ints:
        return np.ravel_multi_index(tuple(np.moveaxis(index, -1, 0)), tuple(counts))

    parts = []
    for axis in range(3):
        u, v = np.eye(3, dtype=np.int64)[[(axis + 1) % 3, (axis + 2) % 3]]
        along = np.eye(3, dtype=np.int64)[axis]
        ranges = [np.arange(1 if k != axis else 0, n - 1) for k, n in enumerate(counts)]
        start = np.stack(np.meshgrid(*ranges, indexing="ij"), axis=-1).reshape(-1, 3)
        ring = [start - u - v, start - v, start, start - u]  # the cubes around the edge, by their first corners
        for k in range(4):
            corners = [number(start), number(start + along)]
            centres = [total + number(ring[k]), total + number(ring[(k + 1) % 4])]
            parts.append(np.stack(corners + centres, axis=1))
    return np.concatenate(parts)
