"""From an energy of one element to functions of all elements of a mesh."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.elasticity.kernel import kernel


class OverElements(NamedTuple):
    """Functions of vertices x (n, 3) [m], elements (k, v) of v vertices each and their constants (k, m).

    The first two are compiled. The others are parts of `derivatives`, for those who need only one.
    """

    energies: Any  # (x, elements, constants) -> (k,) [J]
    derivatives: Any  # (x, elements, constants, projected) -> (k, 3v) [N], (k, 3v, 3v) [N/m], projected (k,) or exact
    gradients: Callable[[Array, Ints, Array], Array]
    hessians: Callable[[Array, Ints, Array, bool], Array]


@kernel
def nothing():
    """The scratch arrays of an energy that needs none."""
    return 0


def over_elements(vertices: int, scratch: Any, energy: Any, derivatives: Any) -> OverElements:
    """Make them of the compiled functions of one element with vertices x (v, 3) and constants c (m,).

    Args:
        vertices: v.
        scratch: () -> arrays for intermediate results, which all elements of a call use one after the other.
        energy: (x, c, scratch) -> E.
        derivatives: (x, c, project, scratch, g, H) writes g (3v,), the three numbers of a vertex after those of the
            vertex before it, and H (3v, 3v), which are 0 before.
    """

    @kernel
    def all_energies(x, elements, constants):
        E = np.empty(len(elements))
        own, arrays = np.empty((vertices, 3)), scratch()
        for e in range(len(elements)):
            for v in range(vertices):
                for i in range(3):
                    own[v, i] = x[elements[e, v], i]
            E[e] = energy(own, constants[e], arrays)
        return E

    @kernel
    def all_derivatives(x, elements, constants, projected):
        count, size = len(elements), 3 * vertices
        g, H = np.zeros((count, size)), np.zeros((count, size, size))
        own, arrays = np.empty((vertices, 3)), scratch()
        for e in range(count):
            for v in range(vertices):
                for i in range(3):
                    own[v, i] = x[elements[e, v], i]
            derivatives(own, constants[e], projected[e], arrays, g[e], H[e])
        return g, H

    def gradients(x: Array, elements: Ints, constants: Array) -> Array:
        return all_derivatives(x, elements, constants, np.ones(len(elements), dtype=np.bool_))[0]

    def hessians(x: Array, elements: Ints, constants: Array, project: bool) -> Array:
        return all_derivatives(x, elements, constants, np.full(len(elements), project))[1]

    return OverElements(all_energies, all_derivatives, gradients, hessians)
