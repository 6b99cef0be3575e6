"""Stiff energies c W(A) that keep affine bodies rigid, c = dt² v κ; `ortho_potential` and `arap` have W by q."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ipc_articulation.affine import DOF
from ipc_articulation.arrays import Array, Bools
from ipc_articulation.compiled import compiled
from ipc_articulation.contact.nodes import coordinates
from ipc_articulation.engine.scene.scene_context import SceneContext
from ipc_articulation.engine.state import EngineState
from ipc_articulation.engine.terms.coordinates import add_block, add_gradients, block_of
from ipc_articulation.engine.terms.term import Term
from ipc_articulation.references import by_reference


class _Stiff(NamedTuple):
    """Of A bodies."""

    c: Array  # (A,) dt² v κ of the present step [J·s²], zero for those without this energy
    step: Array  # (N, 3) last Newton step


StiffType, Stiff = by_reference(_Stiff, __name__)


@compiled
def _held(c, step):
    return Stiff(c, step)


Kernels = tuple[Callable[..., None], Callable[..., None]]


def over_nodes(add_energy: Any, add_derivatives: Any) -> Kernels:
    """Energies and derivatives by nodes of kernels by coordinates.

    Args:
        add_energy: Adds c W of the moving bodies to E (A,), from (q, c, moving, E), q (A, 12).
        add_derivatives: Adds its gradient to g (A, 12) and a Hessian to H (A, 12, 12), from (q, c, dA, moving,
            projected, g, H), dA (A, 9) the last change of the matrices A in the step.
    """

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


class Shape(Term):
    """Σ c W(A) over the bodies."""

    def __init__(self, name: str, kernels: Kernels, stiffness: Array, nodes: int) -> None:
        """Take its name in statistics, `over_nodes` of W, v κ of affine bodies (A,) [J], and the number of nodes."""
        self.name, self.stiffness, self._c = name, stiffness, np.zeros(len(stiffness))
        self._energies, self._derivatives = kernels
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


def read_shape(name: str, kernels: Kernels, slots: Sequence[Any], context: SceneContext) -> Shape:
    """The term of the affine bodies among the slots that are not fixed."""
    bodies, numbering = context.bodies, context.numbering
    stiffness = bodies.volume * bodies.kappa * (bodies.belongs_to(slots) & ~bodies.is_fixed)
    return Shape(name, kernels, stiffness[: numbering.affine], int(numbering.first[-1]))
