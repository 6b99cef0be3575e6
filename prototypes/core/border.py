"""Between the coordinates q (n, 12) of libuipc and of the engine's state, and nodes (N, 3)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.compiled import compiled
from prototypes.core.joints import coordinates, write_nodes


class Border(NamedTuple):
    """Where each soft vertex is among the rows of twelve, four to a row (see `tetrads`); affine bodies come first."""

    affine: int
    row: Ints  # (k,) of twelve
    label: Ints  # (k,) its place among the four
    body: Ints  # (n,) body of each row of twelve

    def nodes(self, q: Array) -> Array:
        """Nodes of coordinates, or rates of both."""
        x = np.empty((4 * self.affine + len(self.row), 3))
        write_nodes(q[: self.affine], x)
        if len(self.row):
            _write_vertices(q, self.affine, self.row, self.label, x)
        return x

    def coordinates(self, x: Array, q: Array) -> Array:
        """Coordinates of nodes; what no vertex says is as in q."""
        if not len(self.row):
            return coordinates(x, self.affine)
        result = q.copy()
        result[: self.affine] = coordinates(x, self.affine)
        _write_rows(x, self.affine, self.row, self.label, result)
        return result


@compiled
def _write_vertices(q, affine, row, label, x):
    for v in range(len(row)):
        for k in range(3):
            x[4 * affine + v, k] = q[row[v], k]
            if label[v] > 0:
                x[4 * affine + v, k] += q[row[v], 2 + 3 * k + label[v]]


@compiled
def _write_rows(x, affine, row, label, q):
    for first in (True, False):
        for v in range(len(row)):
            for k in range(3):
                if first and label[v] == 0:
                    q[row[v], k] = x[4 * affine + v, k]
                elif not first and label[v] > 0:
                    q[row[v], 2 + 3 * k + label[v]] = x[4 * affine + v, k] - q[row[v], k]
