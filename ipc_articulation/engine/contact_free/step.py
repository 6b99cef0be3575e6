"""One step without contact, from the prediction to the joint angles."""

from __future__ import annotations

import numpy as np

from ipc_articulation.compiled import compiled
from ipc_articulation.engine import joint_coordinates
from ipc_articulation.engine.contact_free.newton import minimise
from ipc_articulation.engine.contact_free.potential import body_energies
from ipc_articulation.engine.contact_free.problem import HeldProblem, Problem
from ipc_articulation.engine.newton.extrapolation import lower, rigid_motion
from ipc_articulation.engine.newton.newton_report import NewtonReport, NewtonResult
from ipc_articulation.engine.rest import Rested, end_step, settle
from ipc_articulation.engine.state import EngineState
from ipc_articulation.engine.stopwatch import Stopwatch
from ipc_articulation.engine.terms.articulation import Articulation
from ipc_articulation.engine.usual_terms import begin_step


def take(
    state: EngineState, problem: HeldProblem | Problem, articulation: Articulation | None, dt: float, watch: Stopwatch
) -> tuple[EngineState, Rested | None, NewtonReport] | None:
    """Advance bodies that cannot touch by dt [s], with the term of their articulations; see `engine.step`.

    Returns:
        The state after the step, the bodies that rested and a report; None if the general step must be taken: if an
        articulation's input is not valid, Newton did not converge, or a number is not finite.
    """
    q_ref = state.q if articulation is None else articulation.give_step(state.q)
    watch.lap("begin")
    q, qdot, theta, is_usual, awake, iterations, searches, rested, found, early = _advance(problem, *state, q_ref, dt)
    watch.lap("newton")
    if not is_usual:
        return None
    after = state._replace(q=q, qdot=qdot, theta=theta, q_before=state.q, qdot_before=state.qdot)
    watch.lap("write back")
    result = NewtonResult.SEMI_IMPLICIT if early else NewtonResult.CONVERGED
    return after, Rested(rested, dt) if found else None, NewtonReport(result, iterations, awake, searches)


@compiled
def _advance(
    problem,
    q,
    qdot,
    theta,
    q_before,
    qdot_before,
    pairs,
    resistances,
    anchored,
    anchors,
    creases,
    springs,
    stretches,
    q_ref,
    dt,
):
    """The stages of `engine.step`, with reference poses q_ref (n, 12).

    The state is passed as separate arrays, because unpacking it costs a microsecond.

    Returns:
        q, q̇ and θ after the step; whether all went as usual; the numbers of bodies that moved, of Newton iterations
        and of line-search steps; the bodies that rested, (n,); whether there are any; and whether an island ended
        before it had converged.
    """
    bodies = problem.bodies
    held = pairs, resistances, anchored, anchors, creases, springs, stretches
    state = EngineState(q, qdot, theta, q_before, qdot_before, *held)
    if not begin_step(problem.terms, state, q_ref, dt):
        return q, qdot, theta, False, 0, 0, 0, bodies.driven, False, False
    start, E, is_measured = _start(problem, state, dt)
    q, is_usual, iterations, searches, early = minimise(problem, start, E, is_measured, dt)
    settle(bodies.surfaces, bodies.extent, bodies.gravity, bodies.labels, bodies.driven | early, state.q, q, dt)
    qdot, rested, found = end_step(problem.order, state, q, bodies.movable, early, dt)
    theta = joint_coordinates.follow(*problem.joints, state.theta, q)
    return q, qdot, theta, is_usual, bodies.movable.sum(), iterations, searches, rested, found, early.any()


@compiled
def _start(problem, state, dt):
    """Start of Newton's method (n, 12), its energies, and whether these were computed; see `extrapolation.advance`."""
    bodies = problem.bodies
    motion = rigid_motion(state.q, state.qdot, bodies.movable, bodies.center, bodies.is_link, *bodies.tree, dt)
    if not motion.any():
        return state.q.copy(), np.zeros(len(motion)), False
    ahead = state.q + motion
    E, E_ahead = body_energies(problem, state.q, bodies.movable), body_energies(problem, ahead, bodies.movable)
    start, E = lower(bodies.labels, state.q, E, ahead, E_ahead)
    return start, E, True
