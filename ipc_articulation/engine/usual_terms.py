"""The terms of bodies that are rigid but for their strain, with joints and articulations, summed by compiled code.

The classes of the terms use the same arrays and kernels, one call of each at a time. Their kernels are named here one
by one: a function made from a table of kernels gives the same numbers, but makes a step of the hinge 8 to 10 µs slower
(of 70).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numba import config, types
from numba.experimental import structref

from ipc_articulation.affine import DOF
from ipc_articulation.arrays import Ints
from ipc_articulation.articulation.energy import ArticulationEnergy
from ipc_articulation.articulation.evaluation import (
    Articulations,
    HeldArticulations,
    differentiate,
    freedom_energies,
    take,
)
from ipc_articulation.articulation.joints import Joints
from ipc_articulation.compiled import compiled
from ipc_articulation.contact.pair_blocks import clear
from ipc_articulation.engine import rows
from ipc_articulation.engine.linear_system.block_sums import add_coupled, add_diagonal, add_pairs
from ipc_articulation.engine.linear_system.hessian import Coupled
from ipc_articulation.engine.terms import joint_penalty, kinetic, ortho_potential, shape
from ipc_articulation.engine.terms.articulation import Articulation
from ipc_articulation.engine.terms.joint_penalty import JointPenalties, Penalties
from ipc_articulation.engine.terms.kinetic import Inertias, Kinetic
from ipc_articulation.engine.terms.shape import Shapes
from ipc_articulation.engine.terms.term import Term

_MANY = 64  # freedoms of an articulation that is a term of its own
USUAL = (Kinetic.name, ortho_potential.NAME, JointPenalties.name, Articulation.name)  # in the order of their sum


class TermArrays(NamedTuple):
    """The arrays of the terms."""

    inertias: Inertias
    shapes: Shapes
    penalties: Penalties
    articulations: HeldArticulations | Articulations
    owner: Ints  # (F,) the body to which the energy of each freedom of an articulation is added


@structref.register
class _HeldTermsType(types.StructRef):
    """Numba's type of `HeldTerms`."""


class HeldTerms(structref.StructRefProxy):
    """The arrays, which compiled functions pass by reference: unpacking them would cost some µs per call."""


structref.define_proxy(HeldTerms, _HeldTermsType, TermArrays._fields)


@compiled
def _hold(arrays):
    """A reference to the arrays; made from Python it would take a second in each process, because it is not cached."""
    return HeldTerms(*arrays)


def hold_terms(found: Mapping[str, Any], n: int) -> HeldTerms | TermArrays:
    """The arrays of the usual terms of n bodies, by name; empty for a term that is not among those found."""
    articulation: Articulation | None = found.get(Articulation.name)
    arrays = TermArrays(
        inertias=found[Kinetic.name].arrays,
        shapes=found.get(ortho_potential.NAME, ortho_potential.make(np.zeros(n))).arrays,
        penalties=found.get(JointPenalties.name, JointPenalties([], np.zeros(n))).arrays,
        articulations=ArticulationEnergy(Joints.concatenate([]), n, ()).held
        if articulation is None
        else articulation.arrays,
        owner=np.zeros(0, dtype=np.int64) if articulation is None else articulation.owner,
    )
    return arrays if config.DISABLE_JIT else _hold(arrays)


def usual_of(terms: Sequence[Term]) -> list[Term]:
    """The first terms of a potential, for which one compiled sum may stand: a part of `USUAL`, in its order.

    Articulations of which one is large are left out.
    """
    found: list[Term] = []
    left = list(USUAL)
    for term in terms:
        is_large = isinstance(term, Articulation) and max(map(len, term.blocks)) > _MANY
        if term.name not in left or is_large:
            break
        del left[: left.index(term.name) + 1]
        found.append(term)
    return found if found and isinstance(found[0], Kinetic) else []


def room_of(terms: Sequence[Term]) -> int:
    """The largest number of blocks above the diagonal that usual terms add."""
    sizes = [len(bodies) for term in terms if isinstance(term, Articulation) for bodies in term.blocks]
    pairs = sum(len(term.joints) for term in terms)
    return pairs + sum(size * (2 * size - 1) for size in sizes)


@compiled
def begin_step(terms, state, q_ref, dt):
    """Compute everything that is constant in a step, with reference poses q_ref (n, 12).

    Returns:
        Whether the input of the articulations is valid.
    """
    kinetic.begin(terms.inertias, state, dt)
    shape.begin(terms.shapes, dt)
    return take(terms.articulations, q_ref)


@compiled
def add_energies(terms, q, moving, E):
    """Add E(q) of the moving bodies to E (n,); that of several is added to one. See `Potential.body_energies`."""
    kinetic.add_energy(terms.inertias, q, moving, E)
    ortho_potential.add_energy(q, terms.shapes.c, moving, E)
    of_joints, bodies = joint_penalty.energies(terms.penalties, q), terms.penalties.bodies
    for j in range(len(of_joints)):
        E[bodies[j, 0] if moving[bodies[j, 0]] else bodies[j, 1]] += of_joints[j]
    rows.add_at(E, terms.owner, freedom_energies(terms.articulations, q))


@compiled(nogil=True)
def add_derivatives(terms, q, force, w, moving, projected, g, H, J):
    """Add the gradient to g (n, 12), and the Hessian, exact or projected, to the `Blocks` H, for bodies that move.

    Args:
        terms: `HeldTerms`.
        q: (n, 12).
        force: Of the freedoms of articulations, and the next one, see `evaluation.forces`, (F,).
        w: (F,)
        moving: Bodies that move, (n,); the others have no place in H. Those of a part of the scene may be left out.
        projected: Bodies whose Hessian is projected, (n,).
        g: (n, 12); nothing is added for other bodies.
        H: With room.
        J: ∂δθ/∂q (F, 24), which is written for joints of which a body moves.

    Returns:
        The number of blocks of H above the diagonal.
    """
    shapes, penalties = terms.shapes, terms.penalties
    kinetic.add_gradient(terms.inertias, q, moving, g)
    add_diagonal(H.is_split, H.place, terms.inertias.M, H.diagonal)
    clear(shapes.H, moving)
    ortho_potential.add_derivatives(q, shapes.c, shapes.dA, moving, projected, g, shapes.H)
    add_diagonal(H.is_split, H.place, shapes.H, H.diagonal)
    joint_penalty.add_derivatives(penalties, q, moving, g)
    joint_penalty.add_residual_curvature(penalties, q, moving, projected)
    number = add_pairs(H.place, penalties.bodies, penalties.blocks, H.diagonal, H.upper, H.number)
    return _add_articulations(terms.articulations, q, force, w, moving, projected, g, H, J, number)


@compiled
def _add_articulations(articulations, q, force, w, moving, projected, g, H, J, number):
    bodies, m = articulations.bodies, len(articulations.joints.kind)
    curvature = np.empty((m, 2 * DOF, 2 * DOF))
    differentiate(articulations, q, w, moving, projected, 0, m, J, curvature)
    for f in range(len(bodies)):
        for side in range(2):
            if moving[bodies[f, side]]:
                for i in range(DOF):
                    g[bodies[f, side], i] += force[f] * J[f, DOF * side + i]
    number = add_pairs(H.place, articulations.joints.bodies, curvature, H.diagonal, H.upper, number)
    coupled = Coupled(bodies, J, articulations.starts, articulations.mass)
    return add_coupled(H.place, coupled, H.diagonal, H.upper, number)
