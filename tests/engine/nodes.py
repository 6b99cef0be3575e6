"""Energies and derivatives of terms by nodes, as arrays of numpy, to hold against differences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ipc_articulation.arrays import Array, Bools, Ints
from ipc_articulation.compiled import compiled
from ipc_articulation.contact.nodes import PLACE
from ipc_articulation.engine.newton.core import Core
from ipc_articulation.engine.terms.term import Sums, Term
from ipc_articulation.frontend.nodes.numbering import nodes_of
from ipc_articulation.linear_system.system import cleared, empty_matrix, with_room


class Nodes:
    """Rows of nodes, of which all move that are not fixed.

    Attributes:
        moving: Bodies, (B,).
        is_free: Rows that have unknowns, (R,).
        matrix: The core's own, as terms keep the places of their blocks.
        free: Numbers of nodes that are unknown, (3 N,).
    """

    def __init__(self, first: Ints, body: Ints, is_fixed: Bools, matrix: Any = None) -> None:
        self.matrix = empty_matrix(first) if matrix is None else matrix
        self.first, self.body, self._is_fixed = first, body, is_fixed
        self.row_of_node = np.repeat(np.arange(len(body)), np.diff(first))
        movable = np.zeros(int(body.max()) + 1, dtype=np.bool_)
        movable[body[~is_fixed]] = True
        self.select(movable)

    @classmethod
    def of_core(cls, core: Core) -> Nodes:
        numbering = core.numbering
        return cls(numbering.first, numbering.body, numbering.is_fixed, matrix_of(core.work))

    @classmethod
    def of_bodies(cls, count: int) -> Nodes:
        """Of affine bodies."""
        return cls(4 * np.arange(count + 1), np.arange(count), np.zeros(count, dtype=np.bool_))

    def select(self, moving: Bools) -> None:
        """From now on only the bodies (B,) of a mask move."""
        self.moving, self.is_free = moving, moving[self.body] & ~self._is_fixed
        self.free = np.repeat(self.is_free, 3 * np.diff(self.first))

    def energy(self, term: Term, x: Array) -> float:
        """With nodes at x (N, 3)."""
        E = np.zeros(len(self.moving))
        term.add_energies(x, self.moving, E)
        return float(E.sum())

    def gradient(self, term: Term, x: Array) -> Array:
        """Of a term, (3 N,)."""
        return self.add([term], x, False).ravel()

    def derivatives(self, term: Term, x: Array, is_projected: bool) -> tuple[Array, Array]:
        """Gradient (3 N,) and Hessian (3 N, 3 N)."""
        g = self.add([term], x, is_projected)
        return g.ravel(), dense(self.matrix)

    def add(self, terms: Sequence[Term], x: Array, is_projected: bool) -> Array:
        """The gradient (N, 3) of terms, whose Hessian is in the matrix then."""
        room = sum(term.room for term in terms), sum(term.numbers for term in terms)
        self.matrix, before = with_room(self.matrix, *room), _count(self.matrix)
        projected, g = np.full(len(self.moving), is_projected), np.zeros_like(x)
        to = _sums(self.moving, projected, self.is_free, self.row_of_node, self.matrix, g)
        for term in terms:
            term.add_derivatives(x, to)
        assert _count(self.matrix) - before <= room[0]
        return g


@compiled
def _count(matrix):
    return matrix.used[0]


@compiled
def matrix_of(work):
    return work.sums.matrix


@compiled
def _sums(moving, projected, is_free, row_of_node, matrix, g):
    cleared(matrix)
    return Sums(moving, projected, is_free, row_of_node, matrix, g)


@compiled
def _numbers(matrix):
    m = matrix.used[0]
    return matrix.first, matrix.own, matrix.rows[:m], matrix.cols[:m], matrix.start[:m], matrix.numbers


def dense(matrix: Any) -> Array:
    """H (3 N, 3 N)."""
    first, own, rows, cols, start, numbers = _numbers(matrix)
    H = np.zeros((3 * first[-1], 3 * first[-1]))
    for i, j, at in zip([*range(len(own)), *rows], [*range(len(own)), *cols], [*own, *start], strict=True):
        (a, b), (c, d) = (3 * first[r : r + 2] for r in (i, j))
        H[a:b, c:d] = numbers[at : at + (b - a) * (d - c)].reshape(b - a, d - c)
        H[c:d, a:b] = H[a:b, c:d].T
    return H


def energy(term: Term, q: Array) -> float:
    """Of affine bodies at q (n, 12)."""
    return Nodes.of_bodies(len(q)).energy(term, nodes_of(q).reshape(-1, 3))


def derivatives(term: Term, q: Array, is_projected: bool = True) -> tuple[Array, Array]:
    """Gradient (12 n,) and Hessian (12 n, 12 n) by the coordinates q (n, 12) of affine bodies."""
    g, H = Nodes.of_bodies(len(q)).derivatives(term, nodes_of(q).reshape(-1, 3), is_projected)
    place = (12 * np.arange(len(q))[:, None] + PLACE).ravel()
    return g[place], H[np.ix_(place, place)]
