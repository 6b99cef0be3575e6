"""Regular meshes of boxes and rectangles, centred at the origin."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ipc_articulation.arrays import Array, Ints

# A cell's corners are numbered by their coordinates: corner x + 2 y + 4 z. Cells with an even sum of indices are cut at
# the corners 1, 2, 4, 7, the others at 0, 3, 5, 6, so that the diagonals on common faces are the same.
_EVEN = np.array([[0, 1, 2, 4], [3, 2, 1, 7], [5, 1, 4, 7], [6, 4, 2, 7], [1, 2, 4, 7]])
_ODD = np.array([[1, 3, 0, 5], [2, 0, 3, 6], [4, 0, 6, 5], [7, 3, 5, 6], [0, 3, 6, 5]])


def box_cells(size: Sequence[float], spacing: float) -> tuple[int, int, int]:
    """Number of cells along each axis, whose edges are nearly `spacing` long, at least one."""
    a, b, c = (max(1, round(length / spacing)) for length in size)
    return a, b, c


def box_tetrahedra(size: Sequence[float], cells: Sequence[int]) -> tuple[Array, Ints]:
    """A box of regular cells, five tetrahedra each.

    Args:
        size: Lengths of the edges, (3,) [m].
        cells: Number of cells along each axis, (3,).

    Returns:
        Vertices, (V, 3) [m], and tetrahedra of positive volume, (T, 4).
    """
    vertices = _lattice(size, cells)
    strides = np.array([1, cells[0] + 1, (cells[0] + 1) * (cells[1] + 1)])
    corners = np.array([[k & 1, k >> 1 & 1, k >> 2] for k in range(8)]) @ strides
    index = np.stack(np.unravel_index(np.arange(np.prod(cells)), tuple(cells), order="F"), axis=1)  # (cells, 3)
    cell = (index @ strides)[:, None] + corners
    is_odd = index.sum(axis=1) % 2 == 1
    tetrahedra = np.where(is_odd[:, None, None], cell[:, _ODD], cell[:, _EVEN]).reshape(-1, 4)
    return vertices, _positive(vertices, tetrahedra)


def rectangle_triangles(size: Sequence[float], cells: Sequence[int]) -> tuple[Array, Ints]:
    """A rectangle in the plane z = 0 of regular cells, two triangles each, whose diagonals alternate.

    Args:
        size: Lengths along x and y, (2,) [m].
        cells: Number of cells along x and y, (2,).

    Returns:
        Vertices, (V, 3) [m], and triangles, counter-clockwise seen from +z, (F, 3).
    """
    vertices = _lattice((*size, 0.0), (*cells, 0))
    i, j = np.unravel_index(np.arange(cells[0] * cells[1]), tuple(cells), order="F")
    a = i + (cells[0] + 1) * j
    b, c = a + 1, a + cells[0] + 1
    d = c + 1
    rising = np.stack([np.stack([a, b, d], 1), np.stack([a, d, c], 1)], 1)
    falling = np.stack([np.stack([a, b, c], 1), np.stack([b, d, c], 1)], 1)
    return vertices, np.where(((i + j) % 2 == 0)[:, None, None], rising, falling).reshape(-1, 3)


def _lattice(size: Sequence[float], cells: Sequence[int]) -> Array:
    """Points of a regular lattice, x fastest, (n, 3)."""
    x, y, z = (np.linspace(-0.5 * length, 0.5 * length, n + 1) for length, n in zip(size, cells, strict=True))
    return np.stack([axis.ravel(order="F") for axis in np.meshgrid(x, y, z, indexing="ij")], axis=1)


def _positive(vertices: Array, tetrahedra: Ints) -> Ints:
    """Tetrahedra with two corners exchanged where their volume is negative."""
    negative = np.linalg.det(vertices[tetrahedra[:, 1:]] - vertices[tetrahedra[:, :1]]) < 0.0
    tetrahedra[negative] = tetrahedra[negative][:, [0, 2, 1, 3]]
    return tetrahedra
