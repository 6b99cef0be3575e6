"""The terms that most scenes have, added by one compiled call: inertia, stiff bodies, joints and articulations.

What a scene has not is empty, so that machine code is the same for all.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ipc_articulation.articulation.energy import ArticulationEnergy
from ipc_articulation.articulation.joints import Joints
from ipc_articulation.compiled import compiled
from ipc_articulation.engine.terms import articulations, joint_penalty, ortho_potential, wells
from ipc_articulation.engine.terms.articulation import Articulation
from ipc_articulation.engine.terms.articulations import linearized
from ipc_articulation.engine.terms.joint_penalty import JointPenalties
from ipc_articulation.engine.terms.kinetic import Kinetic
from ipc_articulation.engine.terms.shape import hold as hold_shapes
from ipc_articulation.engine.terms.shape import set_step
from ipc_articulation.engine.terms.term import NO_PAIRS, Term
from ipc_articulation.references import by_reference

_NAMES = Kinetic.name, ortho_potential.NAME, JointPenalties.name, Articulation.name
_ROUNDING = 8.0 * float(np.finfo(np.float64).eps)  # of a coordinate: vertices are sums of a few products
_stiff_energies, _stiff_derivatives = ortho_potential.KERNELS


class _Usual(NamedTuple):
    """What the terms hold."""

    wells: Any  # of `terms.kinetic`
    inertia: Any  # the same with the bodies whose inertia an articulation owns
    stiff: Any  # of `terms.shape`
    penalties: Any  # of `terms.joint_penalty`
    articulations: Any  # of `terms.articulations`
    affine: int  # number of affine bodies


UsualType, Usual = by_reference(_Usual, __name__)


@compiled
def _hold(wells, inertia, stiff, penalties, articulations, affine):
    return Usual(wells, inertia, stiff, penalties, articulations, affine)


def take_usual(terms: list[Term], affine: int, nodes: int) -> tuple[Any, list[Term]]:
    """What the usual ones of a scene's terms hold, with A affine bodies and N nodes; and the others."""
    usual: dict[str, Any] = {term.name: term for term in terms if term.name in _NAMES}
    inertia, (shape, penalties, driven) = usual[Kinetic.name], (usual.get(name) for name in _NAMES[1:])
    held = _hold(
        inertia.wells,
        inertia.inertia,
        hold_shapes(np.zeros(0), nodes) if shape is None else shape.stiff,
        JointPenalties([], np.zeros(affine)).penalties if penalties is None else penalties.penalties,
        _no_articulations(affine) if driven is None else driven.held,
        affine,
    )
    return held, [term for term in terms if term.name not in usual]


def _no_articulations(affine: int) -> Any:
    held, none = ArticulationEnergy(Joints.concatenate([]), affine, ()).held, np.zeros(0)
    return linearized(held, none.astype(np.int64), NO_PAIRS, none.reshape(0, 24), none)


@compiled
def add_energies(usual, x, moving, E):
    """Add the energies of moving bodies to E (B,), with nodes at x (N, 3)."""
    wells.add_energies(usual.wells, x, moving, E)
    _stiff_energies(usual.stiff, x, moving, E)
    if len(usual.penalties.kind):
        joint_penalty.add_energies(usual.penalties, x, moving, E)
    if len(usual.articulations.owner):
        articulations.add_energies(usual.articulations, usual.affine, x, E)


@compiled
def add_derivatives(usual, x, to):
    """Add gradient and Hessian to `Sums`, with nodes at x (N, 3)."""
    wells.add_derivatives(usual.wells, x, to)
    _stiff_derivatives(usual.stiff, x, to)
    if len(usual.penalties.kind):
        joint_penalty.add_derivatives(usual.penalties, x, to)
    if len(usual.articulations.owner):
        articulations.add_derivatives(usual.articulations, usual.affine, x, to)


@compiled
def begin(usual, dt):
    """Begin a step of dt [s]; x̃ of inertia is written by the one that calls."""
    set_step(usual.stiff, dt)


@compiled
def rounding(usual, x, moving):
    """By how much rounding of nodes x (N, 3) may change energies, (B,): 8 ε Σ |(W (x - x̃))| |x|.

    The inertial forces are in balance with all others, which x rounds as well. Far from the origin this is more than a
    small part of the energy, which the step's motion alone determines.
    """
    return wells.noise(usual.inertia, x, moving, _ROUNDING)


@compiled
def follow(usual, x, ahead):
    """Report the way of nodes (N, 3) in a Newton step; it is none where a minimisation begins anew."""
    step = usual.stiff.step
    for n in range(len(step)):
        for k in range(3):
            step[n, k] = ahead[n, k] - x[n, k]
