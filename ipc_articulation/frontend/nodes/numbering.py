"""Rows of nodes, and where they are among the engine's rows of twelve coordinates.

An affine body is one row of four nodes, p and the columns of A. A soft vertex, in the engine a corner of a row of
twelve (see `tetrads`), is a row of one node. Rows of affine bodies come first.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ipc_articulation.arrays import Array, Bools, Ints
from ipc_articulation.compiled import compiled
from ipc_articulation.contact.nodes import coordinates, write_nodes
from ipc_articulation.contact.surfaces import Surfaces
from ipc_articulation.frontend.bodies import BodyTable
from ipc_articulation.frontend.contact_world import group_of_rows
from ipc_articulation.references import by_reference


class Numbering(NamedTuple):
    """Rows of nodes, and where they are among the engine's n rows of twelve coordinates, of which A are affine."""

    first: Ints  # (R + 1,) first node of each row
    body: Ints  # (R,)
    is_fixed: Bools  # (R,)
    row: Ints  # (S,) row of twelve of each soft vertex
    label: Ints  # (S,) its corner there: 0 at p, c at p + A e_c
    body_of: Ints  # (n,) body of each row of twelve

    @property
    def affine(self) -> int:
        """A."""
        return len(self.body) - len(self.row)

    def bodies_of(self, nodes: Ints) -> Ints:
        """The bodies that soft vertices, given by their nodes (k,), are of, ascending."""
        return np.unique(self.body[nodes - 3 * self.affine])

    def rows_of(self, bodies: Ints, points: Array) -> Ints:
        """The rows of nodes of points (..., 3) in the frames of rows of twelve coordinates (...)."""
        of_corner = np.zeros((len(self.body_of), 4), dtype=np.int64)
        of_corner[self.row, self.label] = self.affine + np.arange(len(self.row))
        label = np.argmax(np.concatenate([np.full((*bodies.shape, 1), 0.5), points], axis=-1), axis=-1)
        return np.where(bodies < self.affine, bodies, of_corner[bodies, label])


NumbersType, Numbers = by_reference(Numbering, __name__, "Numbers")


@compiled
def by_numbers(numbering):
    """A `Numbering` by reference."""
    return Numbers(*numbering)


def numbering_of(bodies: BodyTable, surfaces: Surfaces) -> Numbering:
    """The rows of nodes of some bodies."""
    affine, body_of = bodies.affine_count, group_of_rows(bodies)
    soft = np.arange(surfaces.first[affine], len(surfaces.points))
    row = surfaces.body[soft]
    label = np.argmax(np.column_stack([np.full(len(soft), 0.5), surfaces.points[soft]]), axis=1)
    of_rows = np.concatenate([np.arange(affine), row])
    first = np.concatenate([4 * np.arange(affine), 4 * affine + np.arange(len(soft) + 1)])
    return Numbering(first, body_of[of_rows], bodies.is_fixed[of_rows], row, label, body_of)


def weights(M: Array, affine: int, whose: Ints, label: Ints) -> Array:
    """W (R, 4, 4) from mass matrices (n, 12, 12)."""
    W = np.zeros((affine + len(whose), 4, 4))
    place = np.array([0, 3, 4, 5])
    W[:affine] = M[:affine][:, place[:, None], place]
    S = M[whose][:, [3, 4, 5], [3, 4, 5]]
    masses = np.column_stack([M[whose, 0, 0] - S.sum(axis=1), S])
    W[affine:, 0, 0] = masses[np.arange(len(whose)), label]
    return W


def nodes_of(q: Array) -> Array:
    """Nodes (k, 4, 3) of affine bodies with coordinates q (k, 12)."""
    return np.concatenate([q[:, None, :3], np.swapaxes(q[:, 3:].reshape(-1, 3, 3), 1, 2)], axis=1)


@compiled
def write_all_nodes(numbers, q, x):
    """Write the nodes x (N, 3) of all coordinates q (n, 12), or their rates."""
    rows, labels = numbers.row, numbers.label
    affine = len(numbers.body) - len(rows)
    write_nodes(q[:affine], x)
    for s in range(len(rows)):
        row, label = rows[s], labels[s]
        for k in range(3):
            x[4 * affine + s, k] = q[row, k] + (q[row, 2 + 3 * k + label] if label > 0 else 0.0)


@compiled
def all_coordinates(numbers, x, q):
    """All coordinates (n, 12) of nodes x (N, 3); corners without a vertex stay where they are in q."""
    soft, result = len(numbers.row), q.copy()
    affine = len(numbers.body) - soft
    result[:affine] = coordinates(x, affine)
    for first in (True, False):
        for s in range(soft):
            row, label = numbers.row[s], numbers.label[s]
            for k in range(3):
                if first and label == 0:
                    for c in range(3):
                        result[row, 3 + 3 * k + c] -= x[4 * affine + s, k] - result[row, k]
                    result[row, k] = x[4 * affine + s, k]
                elif not first and label > 0:
                    result[row, 2 + 3 * k + label] = x[4 * affine + s, k] - result[row, k]
    return result
