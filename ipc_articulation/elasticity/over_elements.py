"""From an energy of one element to functions of all elements of a mesh."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ipc_articulation.compiled import compiled


class OverElements(NamedTuple):
    """Compiled functions of vertices x (n, 3) [m], elements (k, v) of v vertices each and their constants (k, m)."""

    energies: Any  # (x, elements, constants) -> (k,) [J]
    gradients: Any  # (x, elements, constants) -> (k, 3v) [N]
    hessians: Any  # (x, elements, constants, project) -> (k, 3v, 3v) [N/m], projected or exact


def over_elements(energy: Any, gradient: Any, hessian: Any) -> OverElements:
    """Make them of the compiled functions of one element with vertices x (v, 3) and constants c (m,).

    Args:
        energy: (x, c) -> E.
        gradient: (x, c, g) writes g (3v,), the three numbers of a vertex after those of the vertex before it.
        hessian: (x, c, project, H) writes H (3v, 3v).
    """

    @compiled
    def energies(x, elements, constants):
        E = np.empty(len(elements))
        for e in range(len(elements)):
            E[e] = energy(x[elements[e]], constants[e])
        return E

    @compiled
    def gradients(x, elements, constants):
        g = np.empty((len(elements), 3 * elements.shape[1]))
        for e in range(len(elements)):
            gradient(x[elements[e]], constants[e], g[e])
        return g

    @compiled
    def hessians(x, elements, constants, project):
        H = np.empty((len(elements), 3 * elements.shape[1], 3 * elements.shape[1]))
        for e in range(len(elements)):
            hessian(x[elements[e]], constants[e], project, H[e])
        return H

    return OverElements(energies, gradients, hessians)
