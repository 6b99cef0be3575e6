"""The terms that most scenes have, added by one compiled call: inertia, stiff bodies, joints and articulations.

What a scene has not is empty, so that machine code is the same for all.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ipc_articulation.compiled import compiled
from ipc_articulation.engine.terms import ortho_potential
from ipc_articulation.engine.terms.kinetic import _ROUNDING as ROUNDING
from prototypes.core.references import by_reference
from prototypes.core.term import Term
from prototypes.core.terms import shapes, wells
from prototypes.core.terms.inertia import Kinetic
from prototypes.core.terms.shapes import Shape, Stiff

_stiff_energies, _stiff_derivatives = shapes.KERNELS[ortho_potential.add_energy]


class _Usual(NamedTuple):
    """What the terms hold."""

    wells: Any  # of `terms.inertia`
    inertia: Any  # the same with the bodies whose inertia an articulation owns
    stiff: Any  # of `terms.shapes`


UsualType, Usual = by_reference(_Usual, __name__)


@compiled
def _hold(wells, inertia, stiff):
    return Usual(wells, inertia, stiff)


@compiled
def _no_shapes(nodes):
    return Stiff(np.zeros(0), np.zeros((nodes, 3)))


def take_usual(terms: list[Term], nodes: int) -> tuple[Any, list[Term]]:
    """What the usual ones of a scene's terms hold, which has N nodes; and the others."""
    usual: dict[str, Term] = {}
    for term in terms:
        if isinstance(term, Kinetic) or (isinstance(term, Shape) and term.name == ortho_potential.NAME):
            usual[term.name] = term
    shape = usual.get(ortho_potential.NAME)
    inertia: Any = usual[Kinetic.name]
    held = _hold(inertia.wells, inertia.inertia, _no_shapes(nodes) if shape is None else shape.stiff)
    return held, [term for term in terms if term.name not in usual]


@compiled
def add_energies(usual, x, moving, E):
    """Add the energies of moving bodies to E (B,), with nodes at x (N, 3)."""
    wells.add_energies(usual.wells, x, moving, E)
    _stiff_energies(usual.stiff, x, moving, E)


@compiled
def add_derivatives(usual, x, to):
    """Add gradient and Hessian to `Sums`, with nodes at x (N, 3)."""
    wells.add_derivatives(usual.wells, x, to)
    _stiff_derivatives(usual.stiff, x, to)


@compiled
def rounding(usual, x, moving):
    """By how much rounding of nodes x (N, 3) may change energies, (B,)."""
    return wells.noise(usual.inertia, x, moving, ROUNDING)


@compiled
def follow(usual, step):
    """Report the change of nodes (N, 3) by a Newton step; zeros where a minimisation begins anew."""
    usual.stiff.step[:] = step
