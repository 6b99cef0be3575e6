"""The rows of coordinates of soft bodies: their vertices, four to a row (see `tetrads`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ipc_articulation import tetrads
from ipc_articulation.arrays import Array, Bools, Ints
from ipc_articulation.frontend.soft.soft_body import SoftBody

MANY = 1000  # tetrahedra or triangles


@dataclass(frozen=True)
class SoftRows:
    """The rows of soft bodies, m in all."""

    bodies: tuple[SoftBody, ...]
    members: tuple[Ints, ...]  # (m_b, 4) the vertices in the rows of each body, NOBODY where there is none
    first: Ints  # (s + 1,) the first row of each body among the soft ones, and m

    @cached_property
    def has(self) -> Bools:
        """Whether there is a vertex at a place of a row, (m, 4)."""
        return np.concatenate([np.zeros((0, tetrads.SIZE), dtype=bool), *(of != tetrads.NOBODY for of in self.members)])

    @cached_property
    def has_many_elements(self) -> bool:
        """Whether most vertices are those of solids and shells with many elements, of which factors fill up."""
        of = [(len(body.tetrahedra) + len(body.triangles), len(body.mass)) for body in self.bodies]
        filling = sum(vertices for elements, vertices in of if elements)
        return sum(elements for elements, _ in of) >= MANY and 4 * filling >= 3 * int(self.has.sum())

    @cached_property
    def counts(self) -> Ints:
        """Number of vertices of each row, (m,)."""
        return self.has.sum(axis=1)

    @cached_property
    def labels(self) -> Array:
        """Local positions of all vertices, row by row, (v, 3)."""
        return tetrads.LABELS[np.nonzero(self.has)[1]]

    @cached_property
    def places(self) -> tuple[Ints, ...]:
        """Where among all vertices, row by row, the vertices of each body are, (V,) each."""
        found, begin = [], 0
        for of in self.members:
            order = of[of != tetrads.NOBODY]
            place = np.empty(len(order), dtype=np.int64)
            place[order] = begin + np.arange(len(order))
            found.append(place)
            begin += len(order)
        return tuple(found)

    def chains(self, begin: int, is_fixed: Bools) -> Ints:
        """Pairs of rows that connect all rows of each body that move, (k, 2); the first soft row is `begin`.

        All that a soft body is in contact with is one minimisation problem with it.
        """
        pairs = [np.zeros((0, 2), dtype=np.int64)]
        for first, end in zip(begin + self.first[:-1], begin + self.first[1:], strict=True):
            moving = first + np.flatnonzero(~is_fixed[first:end])
            pairs.append(np.stack([moving[:-1], moving[1:]], axis=1))
        return np.concatenate(pairs)

    def column(self, values: Sequence[Array], missing: float = 0.0) -> Array:
        """Values (V, ...) of the vertices of each body as rows (m, 4, ...), with another number where there is none."""
        parts = []
        for of, own in zip(self.members, values, strict=True):
            rows = np.asarray(own, dtype=np.float64)[of]
            rows[of == tetrads.NOBODY] = missing
            parts.append(rows)
        return np.concatenate(parts)

    def positions(self, values: Sequence[Array]) -> Array:
        """Coordinates (m, 12) of rows with vertices at (V, 3), body by body; others are where the first of a row is."""
        x = self.column(values)
        return tetrads.coordinates(np.where(self.has[:, :, None], x, x[:, :1]))

    def rates(self, values: Sequence[Array]) -> Array:
        """Rates of coordinates (m, 12) of vertices with velocities, or accelerations, (V, 3); others have none."""
        return tetrads.coordinates(self.column(values))

    def vertices_of(self, q: Array) -> list[Array]:
        """The vertices (V, 3) of each body, from coordinates (m, 12) of the soft rows, or from their rates."""
        x, found = tetrads.vertices(q), []
        for of, first, end in zip(self.members, self.first[:-1], self.first[1:], strict=True):
            own = np.empty((int((of != tetrads.NOBODY).sum()), 3))
            own[of[of != tetrads.NOBODY]] = x[first:end][of != tetrads.NOBODY]
            found.append(own)
        return found

    def written(self, q: Array, q_first: Array) -> list[Array]:
        """The same as the engine writes them: fixed vertices where they were at first, (m, 12), are that to the bit."""
        found, at_first = self.vertices_of(q), self.vertices_of(q_first)
        for body, x, x_first in zip(self.bodies, found, at_first, strict=True):
            stays = body.is_fixed & (x == x_first).all(axis=1)
            x[stays] = body.x[stays]  # p + A x̄ is rounded
        return found


NO_SOFT_ROWS = SoftRows((), (), np.zeros(1, dtype=np.int64))


def soft_rows(bodies: Sequence[SoftBody]) -> SoftRows:
    """The rows of some bodies, one body after the other."""
    members = tuple(tetrads.group(_kinds(body), _edges(body)) for body in bodies)
    return SoftRows(tuple(bodies), members, np.cumsum([0, *map(len, members)]).astype(np.int64))


def _kinds(body: SoftBody) -> Ints:
    """What the vertices of a row have in common: fixed or not, dynamic or not, on the surface or not, (V,)."""
    return 4 * body.is_fixed + 2 * body.is_dynamic + touching_vertices(body)


def touching_vertices(body: SoftBody) -> Bools:
    """Which vertices may touch anything: those labelled as surface, and those of edges and faces that are, (V,)."""
    touching = body.surface_vertices.copy()
    touching[body.surface_edges] = True
    touching[body.surface_faces] = True
    return touching


def _edges(body: SoftBody) -> Ints:
    """Neighbours, (k, 2): vertices that have an edge or an element in common."""
    parts = [body.edges]
    for elements in (body.triangles, body.tetrahedra):
        width = elements.shape[1]
        parts += [elements[:, [a, b]] for a in range(width) for b in range(a + 1, width)]
    return np.unique(np.sort(np.concatenate(parts), axis=1), axis=0)
