"""Elastic energies of soft bodies, and stitches between bodies of all kinds: E = dt² Σ W over the elements.

Each law W is a module of `elasticity`, and these are its elements: of soft vertices, which are nodes; or of points
y = Σ_a w_a x_a of any rows.
"""

from __future__ import annotations

from functools import cache
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from ipc_articulation.arrays import Array, Bools, Ints
from ipc_articulation.compiled import compiled
from ipc_articulation.engine.state import EngineState
from ipc_articulation.engine.terms.stiffest import Stiffest
from ipc_articulation.engine.terms.term import Term
from ipc_articulation.linear_system.system import find
from ipc_articulation.references import by_reference

_PIECE = 64  # elements whose derivatives are computed at once: they stay in the cache
FIXED, UNKNOWN = -1, -2  # places of blocks


class _Elements(NamedTuple):
    """k elements of v soft vertices."""

    nodes: Ints  # (k, v)
    body: Ints  # (k,)
    constants: Array  # (k, m)
    places: Ints  # (k, v (v + 1)/2) where blocks of two vertices begin among the matrix's numbers


class StitchArrays(NamedTuple):
    """k elements of v points."""

    row: Ints  # (k, v)
    weight: Array  # (k, v, 4) by the nodes of the row
    body: Ints  # (k, v)
    first: Ints  # (R + 1,) first node of each row
    constants: Array  # (k, m)
    number: Ints  # (k, v) of each point among all


ElementsType, Elements = by_reference(_Elements, __name__)
MixedType, Mixed = by_reference(StitchArrays, __name__, "Mixed")


class Group(NamedTuple):
    """Elements of one law, and its kernels for them."""

    energies: Any  # (elements, dt², x, moving, E)
    derivatives: Any  # (elements, dt², x, to)
    elements: Any


class OverElements(Term):
    """Energies of groups of elements."""

    def __init__(self, stiffest: Stiffest, groups: list[Group]) -> None:
        """Take the stiffest element, and the groups."""
        self._stiffest, self._groups, self._square = stiffest, groups, 0.0

    def begin_step(self, state: EngineState, x: Array, dt: float) -> None:
        """Take the time step.

        Raises:
            SceneError: An element is so stiff that the inertia of what it holds is lost; names it.
        """
        self._stiffest.refuse(dt)
        self._square = dt * dt

    def add_energies(self, x: Array, moving: Bools, E: Array) -> None:
        for group in self._groups:
            group.energies(group.elements, self._square, x, moving, E)

    def add_derivatives(self, x: Array, to: Any) -> None:
        for group in self._groups:
            group.derivatives(group.elements, self._square, x, to)


@compiled
def held_elements(nodes, body, constants, places):
    return Elements(nodes, body, constants, places)


@compiled
def held_stitches(mixed):
    return Mixed(*mixed)


@cache
def of_vertices(law: ModuleType) -> tuple[Any, Any]:
    """Kernels of `Elements`, see `Group`."""
    energies, derivatives = law.energies, law.derivatives

    @compiled
    def vertex_energies(of, square, x, moving, E):
        for begin in range(0, len(of.nodes), _PIECE):
            end = min(begin + _PIECE, len(of.nodes))
            if np.any(moving[of.body[begin:end]]):
                W = energies(x, of.nodes[begin:end], of.constants[begin:end])
                for e in range(begin, end):
                    if moving[of.body[e]]:
                        E[of.body[e]] += square * W[e - begin]

    @compiled
    def vertex_derivatives(of, square, x, to):
        _place(of, to)
        projected = to.projected[of.body]
        for begin in range(0, len(of.nodes), _PIECE):
            end = min(begin + _PIECE, len(of.nodes))
            if np.any(to.moving[of.body[begin:end]]):
                g, H = derivatives(x, of.nodes[begin:end], of.constants[begin:end], projected[begin:end])
                _add_elements(of, begin, end, square, g, H, to)

    return vertex_energies, vertex_derivatives


@cache
def of_points(law: ModuleType) -> tuple[Any, Any]:
    """Kernels of `Mixed`, see `Group`."""
    energies, derivatives = law.energies, law.derivatives

    @compiled
    def point_energies(of, square, x, moving, E):
        W = energies(_positions(of, x), of.number, of.constants)
        for e in range(len(W)):
            for body in of.body[e]:
                if moving[body]:
                    E[body] += square * W[e]
                    break

    @compiled
    def point_derivatives(of, square, x, to):
        projected = np.zeros(len(of.body), dtype=np.bool_)
        for e in range(len(projected)):
            for body in of.body[e]:
                projected[e] |= to.projected[body]
        g, H = derivatives(_positions(of, x), of.number, of.constants, projected)
        for e in range(len(g)):
            _add_by_weights(of, e, square, g[e], H[e], to)

    return point_energies, point_derivatives


@compiled
def _place(of, to):
    """Find the blocks of elements, once, see `Term.add_derivatives`."""
    width = of.nodes.shape[1]
    for e in range(len(of.nodes)):
        s = 0
        for a in range(width):
            for b in range(a, width):
                if of.places[e, s] == UNKNOWN:
                    i, j = to.row_of_node[of.nodes[e, a]], to.row_of_node[of.nodes[e, b]]
                    matrix = to.matrix
                    of.places[e, s] = matrix.own[i] if i == j else matrix.start[find(matrix, min(i, j), max(i, j))]
                elif of.places[e, s] >= 0:
                    return
                s += 1


@compiled
def _add_elements(of, begin, end, square, g, H, to):
    """Add g (k, 3v) and H (k, 3v, 3v) of the elements from `begin` to `end`, times dt², where their body moves."""
    nodes, places, body, moving, numbers, sums = of.nodes, of.places, of.body, to.moving, to.matrix.numbers, to.g
    width = nodes.shape[1]
    for e in range(begin, end):
        if not moving[body[e]]:
            continue
        s = 0
        for a in range(width):
            if places[e, s] >= 0:
                for k in range(3):
                    sums[nodes[e, a], k] += square * g[e - begin, 3 * a + k]
            for b in range(a, width):
                at, s = places[e, s], s + 1
                if at < 0:
                    continue
                if nodes[e, a] <= nodes[e, b]:
                    for k in range(3):
                        for m in range(3):
                            numbers[at + 3 * k + m] += square * H[e - begin, 3 * a + k, 3 * b + m]
                else:
                    for k in range(3):
                        for m in range(3):
                            numbers[at + 3 * m + k] += square * H[e - begin, 3 * a + k, 3 * b + m]


@compiled
def _positions(of, x):
    """Points (k v, 3) at nodes x (N, 3)."""
    count, width = of.row.shape
    y = np.zeros((count * width, 3))
    for e in range(count):
        for v in range(width):
            begin, end = of.first[of.row[e, v]], of.first[of.row[e, v] + 1]
            for n in range(begin, end):
                for k in range(3):
                    y[of.number[e, v], k] += of.weight[e, v, n - begin] * x[n, k]
    return y


@compiled
def _add_by_weights(of, e, square, g, H, to):
    """Add g (3v,) and H (3v, 3v) of element e by its points, times dt²."""
    for v in range(of.row.shape[1]):
        i = of.row[e, v]
        if to.is_free[i]:
            for n in range(of.first[i], of.first[i + 1]):
                for k in range(3):
                    to.g[n, k] += square * of.weight[e, v, n - of.first[i]] * g[3 * v + k]
            for w in range(of.row.shape[1]):
                j = of.row[e, w]
                if i <= j and to.is_free[j]:
                    at = to.matrix.own[i] if i == j else to.matrix.start[find(to.matrix, i, j)]
                    _add_block(of, e, v, w, square, H, at, to.matrix.numbers)


@compiled
def _add_block(of, e, v, w, square, H, at, numbers):
    """Add the block of points v and w of element e to that of their rows, whose numbers begin at some place."""
    i, j = of.row[e, v], of.row[e, w]
    height, width = of.first[i + 1] - of.first[i], of.first[j + 1] - of.first[j]
    for a in range(height):
        for k in range(3):
            for b in range(width):
                weight = square * of.weight[e, v, a] * of.weight[e, w, b]
                for m in range(3):
                    numbers[at + (3 * a + k) * 3 * width + 3 * b + m] += weight * H[3 * v + k, 3 * w + m]
