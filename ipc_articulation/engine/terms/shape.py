"""Stiff energies c W(A) that keep affine bodies rigid, c = dt² v κ; `ortho_potential` and `arap` have W by the columns
of A, which are nodes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ipc_articulation.arrays import Array, Bools
from ipc_articulation.compiled import compiled
from ipc_articulation.engine.scene.scene_context import SceneContext
from ipc_articulation.engine.state import EngineState
from ipc_articulation.engine.terms.coordinates import block_of
from ipc_articulation.engine.terms.term import Term
from ipc_articulation.references import by_reference


class _Stiff(NamedTuple):
    """Of A bodies."""

    stiffness: Array  # (A,) v κ [J], zero for those without this energy
    c: Array  # (A,) dt² v κ of the present step [J·s²]
    step: Array  # (N, 3) last Newton step


StiffType, Stiff = by_reference(_Stiff, __name__)


@compiled
def hold(stiffness, nodes):
    """`Stiff` of v κ (A,) [J] and N nodes."""
    return Stiff(stiffness, np.zeros(len(stiffness)), np.zeros((nodes, 3)))


@compiled
def set_step(stiff, dt):
    """Begin a step of dt [s]."""
    stiff.c[:] = dt * dt * stiff.stiffness
    stiff.step[:] = 0.0


Kernels = tuple[Callable[..., None], Callable[..., None]]


def over_nodes(energy: Any, add_derivatives: Any) -> Kernels:
    """Energies and derivatives by nodes of the kernels of one body.

    Args:
        energy: W of Aᵀ (3, 3), whose rows are nodes.
        add_derivatives: Adds the derivatives of c W to g (3, 3) and the lower right of H (12, 12), by nodes, from
            (Aᵀ, dAᵀ, c, project, g, H), dA the last change of A in the step.
    """

    @compiled
    def energies_by_nodes(stiff, x, moving, E):
        for b in range(len(stiff.c)):
            if moving[b] and stiff.c[b] > 0.0:
                E[b] += stiff.c[b] * energy(x[4 * b + 1 : 4 * b + 4])

    @compiled
    def derivatives_by_nodes(stiff, x, to):
        for b in range(len(stiff.c)):
            if to.is_free[b] and stiff.c[b] > 0.0:
                begin, end, H = 4 * b + 1, 4 * b + 4, block_of(to.matrix, b, b)
                add_derivatives(x[begin:end], stiff.step[begin:end], stiff.c[b], to.projected[b], to.g[begin:end], H)

    return energies_by_nodes, derivatives_by_nodes


class Shape(Term):
    """Σ c W(A) over the bodies."""

    def __init__(self, name: str, kernels: Kernels, stiffness: Array, nodes: int) -> None:
        """Take its name in statistics, `over_nodes` of W, v κ of affine bodies (A,) [J], and the number of nodes."""
        self.name, self.stiff = name, hold(stiffness, nodes)
        self._energies, self._derivatives = kernels

    def begin_step(self, state: EngineState, x: Array, dt: float) -> None:
        set_step(self.stiff, dt)

    def add_energies(self, x: Array, moving: Bools, E: Array) -> None:
        self._energies(self.stiff, x, moving, E)

    def add_derivatives(self, x: Array, to: Any) -> None:
        self._derivatives(self.stiff, x, to)


def read_shape(name: str, kernels: Kernels, slots: Sequence[Any], context: SceneContext) -> Shape:
    """The term of the affine bodies among the slots that are not fixed."""
    bodies, numbering = context.bodies, context.numbering
    stiffness = bodies.volume * bodies.kappa * (bodies.belongs_to(slots) & ~bodies.is_fixed)
    return Shape(name, kernels, stiffness[: numbering.affine], int(numbering.first[-1]))
