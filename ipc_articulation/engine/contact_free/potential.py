"""The incremental potential of a step without contact: the terms of `engine.terms`, summed by compiled code.

The only file of this package that names terms. Their kernels are called one by one: a function made from a table of
kernels gives the same numbers, but makes a step of the hinge 8 to 10 µs slower (of 70).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from ipc_articulation.arrays import Ints
from ipc_articulation.articulation.energy import ArticulationEnergy
from ipc_articulation.articulation.evaluation import (
    Articulations,
    HeldArticulations,
    freedom_energies,
    linearize,
    take,
)
from ipc_articulation.articulation.joints import Joints
from ipc_articulation.compiled import compiled
from ipc_articulation.engine import rows
from ipc_articulation.engine.contact_free.system import clear, solve_again
from ipc_articulation.engine.linear_system.block_sums import add_coupled, add_diagonal, add_pairs
from ipc_articulation.engine.newton.restrained_step import loads, press, restrained
from ipc_articulation.engine.terms import joint_penalty, kinetic, ortho_potential, shape
from ipc_articulation.engine.terms.articulation import Articulation
from ipc_articulation.engine.terms.joint_penalty import JointPenalties, Penalties
from ipc_articulation.engine.terms.kinetic import Inertias, Kinetic
from ipc_articulation.engine.terms.shape import Shapes

TERMS = {Kinetic.name, ortho_potential.NAME, JointPenalties.name, Articulation.name}


class TermArrays(NamedTuple):
    """The arrays of the terms; the classes of the terms use the same arrays."""

    inertias: Inertias
    shapes: Shapes
    penalties: Penalties
    articulations: HeldArticulations | Articulations
    owner: Ints  # (F,) the body to which the energy of each freedom of an articulation is added


def gather_terms(found: Mapping[str, Any], n: int) -> TermArrays:
    """The arrays of the terms of n bodies, by name; empty for a term that the scene does not have.

    Args:
        found: The terms of the scene, among `TERMS`.
        n: Number of bodies.
    """
    articulation: Articulation | None = found.get(Articulation.name)
    return TermArrays(
        inertias=found[Kinetic.name].arrays,
        shapes=found.get(ortho_potential.NAME, ortho_potential.make(np.zeros(n))).arrays,
        penalties=found.get(JointPenalties.name, JointPenalties([], np.zeros(n))).arrays,
        articulations=ArticulationEnergy(Joints.concatenate([]), n, ()).held
        if articulation is None
        else articulation.arrays,
        owner=np.zeros(0, dtype=np.int64) if articulation is None else articulation.owner,
    )


@compiled
def begin_step(problem, state, q_ref, dt):
    """Compute everything that is constant in a step, with reference poses q_ref (n, 12).

    Returns:
        Whether the input of the articulations is valid.
    """
    kinetic.begin(problem.inertias, state, dt)
    shape.begin(problem.shapes, dt)
    return take(problem.articulations, q_ref)


@compiled
def body_energies(problem, q, moving):
    """E(q) of the moving bodies, (n,); that of several bodies is added to one. See `Potential.body_energies`."""
    E = np.zeros(len(q))
    kinetic.add_energy(problem.inertias, q, moving, E)
    ortho_potential.add_energy(q, problem.shapes.c, moving, E)
    of_joints, bodies = joint_penalty.energies(problem.penalties, q), problem.penalties.bodies
    for j in range(len(of_joints)):
        E[bodies[j, 0] if moving[bodies[j, 0]] else bodies[j, 1]] += of_joints[j]
    rows.add_at(E, problem.owner, freedom_energies(problem.articulations, q))
    return E


@compiled
def assemble(problem, q, moving):
    """Returns: the gradient (n, 12). The projected Hessian is added to the problem's `H`."""
    g, H, shapes = np.zeros(q.shape), problem.H, problem.shapes
    clear(H, moving)
    kinetic.add_gradient(problem.inertias, q, moving, g)
    add_diagonal(H.is_split, H.bodies, problem.inertias.M, H.diagonal)
    shapes.H[:] = 0.0
    ortho_potential.add_derivatives(q, shapes.c, shapes.dA, moving, True, g, shapes.H)
    add_diagonal(H.is_split, H.bodies, shapes.H, H.diagonal)
    joint_penalty.add_derivatives(problem.penalties, q, g)
    add_pairs(H.place, problem.penalties.bodies, problem.penalties.blocks, H.diagonal, H.upper, H.number)
    _assemble_articulations(problem.articulations, q, g, H)
    return g


@compiled
def _assemble_articulations(articulations, q, g, H):
    bodies, starts = articulations.bodies, articulations.starts
    w, _, J, curvature = linearize(articulations, q, True)
    rows.add_to_pairs(g, bodies, w, J)
    add_pairs(H.place, articulations.joints.bodies, curvature, H.diagonal, H.upper, H.number)
    first = 0
    for a in range(len(starts) - 1):
        begin, end = starts[a], starts[a + 1]
        size = end - begin
        M = articulations.mass[first : first + size * size].reshape(size, size)
        add_coupled(H.place, bodies[begin:end], J[begin:end], M, H.diagonal, H.upper, H.number)
        first += size * size


@compiled
def restrain(problem, q, dq):
    """The Newton step (n, 12) at q with the springs of the joints; see `newton.restrained_step`."""
    held, H = problem.articulations, problem.H
    _, delta, J, _ = linearize(held, q, False)
    given = held.rows, held.springs, held.row_tilde, delta
    labels = problem.bodies.labels
    is_pressed, rows, springs, tilde, x, ahead, part = press(dq, H.place, labels, held.bodies, J, *given)
    if not is_pressed:
        return dq
    V = solve_again(problem, loads(held.bodies, J, rows, part, len(dq)))
    return restrained(dq, V, labels, held.bodies, J, rows, springs, tilde, x, ahead, part)


@compiled
def follow(problem, step):
    """Report a Newton step (n, 12) to the terms."""
    shape.follow(problem.shapes, step)
