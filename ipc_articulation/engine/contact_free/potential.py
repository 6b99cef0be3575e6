"""The incremental potential of a step without contact, and its Newton system."""

from __future__ import annotations

import numpy as np

from ipc_articulation.affine import DOF
from ipc_articulation.articulation.evaluation import forces
from ipc_articulation.compiled import compiled
from ipc_articulation.engine import usual_terms
from ipc_articulation.engine.contact_free.system import clear, solve_again
from ipc_articulation.engine.terms.restrained_step import loads, press, restrained


@compiled
def body_energies(problem, q, moving):
    """E(q) of the moving bodies, (n,); that of several bodies is added to one. See `Potential.body_energies`."""
    E = np.zeros(len(q))
    usual_terms.add_energies(problem.terms, q, moving, E)
    return E


@compiled
def assemble(problem, q, moving):
    """The projected Hessian is written to the problem's `H`.

    Returns:
        The gradient (n, 12), ∂δθ/∂q (F, 24), and δθ (F,).
    """
    force, delta, w = forces(problem.terms.articulations, q)
    g, J = np.zeros(q.shape), np.zeros((len(w), 2 * DOF))
    clear(problem.H, moving)
    usual_terms.add_derivatives(problem.terms, q, force, w, moving, np.ones(len(q), dtype=np.bool_), g, problem.H, J)
    return g, J, delta


@compiled
def restrain(problem, J, delta, dq):
    """The Newton step (n, 12) with the springs of the joints; see `terms.restrained_step`."""
    held, H = problem.terms.articulations, problem.H
    given = held.rows, held.springs, held.row_tilde, delta
    labels = problem.bodies.labels
    is_pressed, rows, springs, tilde, x, ahead, part = press(dq, H.place, labels, held.bodies, J, *given)
    if not is_pressed:
        return dq
    V = solve_again(problem, loads(held.bodies, J, rows, part, len(dq)))
    return restrained(dq, V, labels, held.bodies, J, rows, springs, tilde, x, ahead, part)
