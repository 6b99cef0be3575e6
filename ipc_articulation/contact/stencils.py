"""Stencils: the pairs of primitives that contact looks at, sorted by the pair of bodies that they belong to."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from ipc_articulation.contact.barrier import MOLLIFIED
from ipc_articulation.contact.closest_points import EDGES
from ipc_articulation.contact.surfaces import Surfaces

Ints = NDArray[np.int64]

VERTEX_OF_FIRST, VERTEX_OF_SECOND = 1, 2  # kinds besides EDGES: the vertex belongs to this body of the pair


@dataclass(frozen=True)
class Stencils:
    """k stencils over P pairs of bodies."""

    bodies: Ints  # (P, 2)
    pair: Ints  # (k,) row of `bodies`, ascending within each kind
    kind: Ints  # (k,) EDGES, VERTEX_OF_FIRST or VERTEX_OF_SECOND
    vertices: Ints  # (k, 4) both ends of both edges, those of the first body first; or the vertex and the face's
    mollified: NDArray[np.float64]  # (k,) ε of the edges' mollifier [m⁴]; 0 for a vertex and a face

    def rows(self, chosen: Ints) -> Stencils:
        """Some of the stencils, and only their pairs of bodies."""
        rows, pair = pairs_of(self.pair, chosen, len(self.bodies))
        of_each = self.kind[chosen], self.vertices[chosen], self.mollified[chosen]
        return Stencils(self.bodies[rows], pair, *of_each)

    def __len__(self) -> int:
        return len(self.pair)


@njit(cache=True)
def pairs_of(pair, chosen, count):
    """The pairs of bodies that some of the stencils belong to.

    Args:
        pair: The pair of each stencil, (k,), below `count`.
        chosen: Rows of some stencils, (c,).
        count: Number of pairs.

    Returns:
        The pairs in order, (p,), and the place among them of each chosen stencil's, (c,).
    """
    place = np.full(count, -1, dtype=np.int64)
    for s in chosen:
        place[pair[s]] = 0
    rows, p = np.empty(count, dtype=np.int64), 0
    for k in range(count):
        if place[k] == 0:
            rows[p], place[k] = k, p
            p += 1
    among = np.empty(len(chosen), dtype=np.int64)
    for c in range(len(chosen)):
        among[c] = place[pair[chosen[c]]]
    return rows[:p], among


def make_stencils(surfaces: Surfaces, bodies: Ints, edges: Ints, first: Ints, second: Ints) -> Stencils:
    """Stencils of pairs found.

    Args:
        surfaces: The primitives.
        bodies: The pairs of bodies, (P, 2).
        edges: Rows (pair, edge, edge).
        first: Rows (pair, face, vertex), the vertex belonging to the first body of the pair.
        second: Rows (pair, face, vertex), the vertex belonging to the second.
    """
    found = np.concatenate([first, second])
    ends = np.concatenate([surfaces.edges[edges[:, 1]], surfaces.edges[edges[:, 2]]], axis=1)
    corners = np.concatenate([found[:, 2:], surfaces.faces[found[:, 1]]], axis=1)
    kinds = np.repeat([EDGES, VERTEX_OF_FIRST, VERTEX_OF_SECOND], [len(edges), len(first), len(second)])
    squares = surfaces.squared_lengths[edges[:, 1]] * surfaces.squared_lengths[edges[:, 2]]
    return Stencils(
        bodies,
        np.concatenate([edges[:, 0], found[:, 0]]),
        kinds.astype(np.int64),
        np.concatenate([ends, corners]).astype(np.int64),
        np.concatenate([MOLLIFIED * squares, np.zeros(len(found))]),
    )


def no_stencils() -> Stencils:
    """None at all."""
    none = np.zeros((0, 4), dtype=np.int64)
    return Stencils(none[:, :2].copy(), none[:, 0].copy(), none[:, 0].copy(), none, np.zeros(0))
