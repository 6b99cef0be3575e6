"""Contact elements that differ from vertex to vertex of a soft body: each pair of primitives has a model of its own.

As in libuipc (`codim_ipc_simplex_contact`), κ and μ of a pair are the means of the table's entries for each vertex of
one primitive with each of the other: 3 of a vertex and a triangle, 4 of two edges, 2 of a vertex and an edge, 1 of two
vertices. It is enabled if all these entries are.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.arrays import Array, Bools, Ints
from ipc_articulation.contact.closest_points import EDGES
from ipc_articulation.contact.materials import Rules
from ipc_articulation.contact.stencils import Stencils


class VertexElements:
    """The contact element of every vertex of a scene."""

    def __init__(self, element: Ints, rules: Rules, choose_resistance: bool = True) -> None:
        """Take the elements (V,) of the vertices, and the contact table; they may choose μ alone, and not κ."""
        self.choose_resistance = choose_resistance
        used, self._of = np.unique(element, return_inverse=True)
        table = np.ix_(used, used)
        self._count, self._enabled = len(used), rules.enabled[table]
        self._resistance, self._friction = rules.resistance[table], rules.friction[table]

    def kind_of(self, kind: Ints, vertices: Ints) -> Ints:
        """A number for the elements of each stencil, (k,): stencils with the same one have the same model.

        Args:
            kind: Of the stencils, see `Stencils`, (k,).
            vertices: (k, 4).
        """
        is_edges = (kind == EDGES)[:, None]
        elements = np.where(is_edges | _are_new(vertices), self._of[vertices], self._count)
        both = np.hstack([np.sort(elements[:, :2], axis=1), np.sort(elements[:, 2:], axis=1)])
        one = np.hstack([elements[:, :1], np.sort(elements[:, 1:], axis=1)])
        ordered = np.where(is_edges, both, one)
        base = self._count + 1
        number = is_edges[:, 0].astype(np.int64)
        for column in ordered.T:
            number = number * base + column
        return number

    def are_enabled(self, kind: Ints, vertices: Ints) -> Bools:
        """Whether the primitives of each stencil may touch, (k,); arguments as of `kind_of`."""
        return mean_of_vertices(self._enabled.astype(np.float64), self._of, kind, vertices) > 1.0 - 1e-9

    def may_meet(self, edge: Ints, face: Ints) -> bool:
        """Whether no vertex of an edge and of a face have elements that may pass through each other."""
        return bool(self._enabled[np.ix_(self._of[edge], self._of[face])].all())

    def resistances(self, stencils: Stencils) -> Array:
        """κ_c of the pairs of some stencils, (P,) [Pa]."""
        return self._of_pairs(self._resistance, stencils)

    def frictions(self, stencils: Stencils) -> Array:
        """μ of the pairs of some stencils, (P,)."""
        return self._of_pairs(self._friction, stencils)

    def _of_pairs(self, table: Array, stencils: Stencils) -> Array:
        rows = np.searchsorted(stencils.pair, np.arange(len(stencils.bodies)))  # the first of each pair
        return mean_of_vertices(table, self._of, stencils.kind[rows], stencils.vertices[rows])


def _are_new(vertices: Ints) -> Bools:
    """Which of the vertices (k, 4) of stencils are not repetitions of the one before: flat faces repeat theirs."""
    is_new = np.ones(vertices.shape, dtype=np.bool_)
    is_new[:, 2] = vertices[:, 2] != vertices[:, 1]
    is_new[:, 3] = (vertices[:, 3] != vertices[:, 2]) & (vertices[:, 3] != vertices[:, 1])
    return is_new


def mean_of_vertices(table: Array, of: Ints, kind: Ints, vertices: Ints) -> Array:
    """The mean of a table (L, L) over the pairs of vertices of both sides of stencils, (k,)."""
    elements = of[vertices]
    edges = 0.25 * sum(table[elements[:, a], elements[:, b]] for a in (0, 1) for b in (2, 3))
    weights = _are_new(vertices)[:, 1:].astype(np.float64)
    faces = np.sum(weights * table[elements[:, :1], elements[:, 1:]], axis=1) / weights.sum(axis=1)
    return np.where(kind == EDGES, edges, faces)
