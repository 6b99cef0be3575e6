"""Stiff energies c W(A) that keep affine bodies rigid, c = dt² v κ; `engine.terms` has each W by coordinates q."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ipc_articulation.affine import DOF
from ipc_articulation.arrays import Array, Bools
from ipc_articulation.compiled import compiled
from ipc_articulation.engine.state import EngineState
from ipc_articulation.engine.terms import arap, ortho_potential
from ipc_articulation.engine.terms.shape import ShapeEnergy
from prototypes.core.references import by_reference
from prototypes.core.term import Term
from prototypes.core.terms.coordinates import add_block, add_gradients, block_of, coordinates


class _Stiff(NamedTuple):
    """Of A bodies."""

    c: Array  # (A,) dt² v κ of the present step [J·s²], zero for those without this energy
    step: Array  # (N, 3) last Newton step


StiffType, Stiff = by_reference(_Stiff, __name__)


@compiled
def _held(c, step):
    return Stiff(c, step)


def _over_nodes(add_energy: Any, add_derivatives: Any) -> tuple[Callable[..., None], Callable[..., None]]:
    """Energies and derivatives by nodes of kernels by coordinates, see `ShapeEnergy`."""

    @compiled
    def energies_by_nodes(stiff, x, moving, E):
        add_energy(coordinates(x, len(stiff.c)), stiff.c, moving, E)

    @compiled
    def derivatives_by_nodes(stiff, x, to):
        affine = len(stiff.c)
        g, H, dA = np.zeros((affine, DOF)), np.zeros((affine, DOF, DOF)), coordinates(stiff.step, affine)[:, 3:].copy()
        add_derivatives(coordinates(x, affine), stiff.c, dA, to.is_free, to.projected, g, H)
        add_gradients(g, to)
        for b in range(affine):
            if to.is_free[b] and stiff.c[b] > 0.0:
                add_block(H[b], 0, 0, block_of(to.matrix, b, b))

    return energies_by_nodes, derivatives_by_nodes


KERNELS = {
    kernels.add_energy: _over_nodes(kernels.add_energy, kernels.add_derivatives) for kernels in (ortho_potential, arap)
}


class Shape(Term):
    """Σ c W(A) over the bodies."""

    def __init__(self, source: ShapeEnergy, affine: int, nodes: int) -> None:
        """Take the engine's term, and the numbers of affine bodies and of all nodes."""
        self.name = source.name
        self._energies, self._derivatives = KERNELS[source._add_energy]
        self.stiffness, self._c = source.arrays.stiffness[:affine], np.zeros(affine)
        self._step = np.zeros((nodes, 3))
        self.stiff = _held(self._c, self._step)

    def begin_step(self, state: EngineState, x: Array, dt: float) -> None:
        self._c[:] = dt * dt * self.stiffness
        self._step[:] = 0.0

    def follow(self, step: Array) -> None:
        self._step[:] = step

    def add_energies(self, x: Array, y: Array, moving: Bools, E: Array) -> None:
        self._energies(self.stiff, x, moving, E)

    def add_derivatives(self, x: Array, y: Array, to: Any) -> None:
        self._derivatives(self.stiff, x, to)
