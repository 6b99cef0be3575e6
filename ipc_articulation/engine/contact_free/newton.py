"""Newton's method of a step without contact: `engine.newton`, compiled, for islands that do not change in the step."""

from __future__ import annotations

import numpy as np

from ipc_articulation.compiled import compiled
from ipc_articulation.contact.surfaces import motions
from ipc_articulation.engine import islands, rows
from ipc_articulation.engine.contact_free.potential import assemble, body_energies, restrain
from ipc_articulation.engine.contact_free.system import solve
from ipc_articulation.engine.newton.convergence import are_done, attenuated, end_early, step_sizes
from ipc_articulation.engine.newton.line_search import halve, highest_allowed
from ipc_articulation.engine.terms import shape


@compiled
def minimise(problem, q, E, is_measured, dt):
    """Minimise the potential from q (n, 12); see `engine.newton.minimise`.

    Args:
        problem: A `HeldProblem` whose step has begun.
        q: Where to start.
        E: Energies of the bodies there, (n,).
        is_measured: Whether these are known.
        dt: Time step [s].

    Returns:
        The minimiser; whether no special case occurred, otherwise it is invalid; the numbers of Newton iterations and
        of line-search steps; and the bodies whose islands ended before they had converged, (n,).
    """
    bodies, limits = problem.bodies, problem.limits
    moving, alpha, size, beta = bodies.movable, np.ones(len(q)), np.zeros(len(q)), np.ones(len(q))
    count, iterations, searches, early = moving.sum(), 0, 0, np.zeros(len(q), dtype=np.bool_)
    while count > 0:
        iterations += 1
        g, J, delta = assemble(problem, q, moving)
        dq, is_solved = solve(problem, g)
        if iterations > limits.max_iter or not (is_solved and rows.are_finite(g)):
            return q, False, iterations, searches, early
        if problem.terms.articulations.springs.any():
            dq = restrain(problem, J, delta, dq)
        last, size = size, _sizes(bodies, limits, dq, dt)
        done = _are_done(bodies, limits, moving, size, last, alpha)
        q, alpha, E, is_measured, steps = _search(problem, q, dq, moving, done, E, is_measured)
        if steps < 0:
            return q, False, iterations, searches, early
        searches += steps
        if limits.semi_implicit and iterations > limits.semi_implicit_start:
            beta = attenuated(bodies.labels, beta, alpha, bodies.exact)
        if iterations > limits.min_iter:
            if limits.semi_implicit:
                done, ends_early = end_early(done, beta, limits.semi_implicit_tol, moving)
                early |= ends_early
            moving, count, _ = islands.unfinished(bodies.labels, moving, done, bodies.movable)
    return q, True, iterations, searches, early


@compiled
def _sizes(bodies, limits, dq, dt):
    far, is_soft = motions(*bodies.surfaces, dq), np.zeros(len(dq), dtype=np.bool_)
    return step_sizes(bodies.labels, far, dq, limits.velocity_tol * dt, limits.transrate_tol * dt, is_soft)


@compiled
def _are_done(bodies, limits, moving, size, last, alpha):
    whole, is_soft = np.ones(len(size)), np.zeros(len(size), dtype=np.bool_)
    given = bodies.labels, moving, bodies.movable, bodies.remainder, is_soft
    return are_done(*given, whole, size, last, alpha, limits.ccd_tol, True)


@compiled
def _search(problem, q, dq, moving, done, E, is_measured):
    """Halve the steps of unfinished islands until their energy does not rise; see `engine.line_search`.

    Returns:
        Coordinates (n, 12); the fractions that were taken (n,); the energies there, and whether they were measured; and
        the number of line-search steps, -1 if an island found no decrease or an energy is not a number.
    """
    labels, alpha, searching, count = problem.bodies.labels, np.ones(len(q)), moving.copy(), 0
    for b in range(len(q)):
        searching[b] = moving[b] and not done[b]
        count += searching[b]
    after, step = rows.advanced(q, alpha, dq)
    if count == 0:
        shape.follow(problem.terms.shapes, step)
        return after, alpha, E, False, 0
    if not is_measured:
        E = body_energies(problem, q, moving)
    highest, are_numbers = highest_allowed(labels, E)
    for k in range(problem.limits.line_search_max_iter if are_numbers else 0):
        E = body_energies(problem, after, moving)
        alpha, is_halved = halve(labels, searching, E, highest, alpha)
        if not is_halved:
            shape.follow(problem.terms.shapes, step)
            return after, alpha, E, True, k + 1
        after, step = rows.advanced(q, alpha, dq)
    return q, alpha, E, False, -1
