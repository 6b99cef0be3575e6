"""One step without contact, from the prediction to the joint angles."""

from __future__ import annotations

import numpy as np

from ipc_articulation.compiled import compiled
from ipc_articulation.contact.surfaces import motions
from ipc_articulation.engine import integrator, joint_coordinates, rows
from ipc_articulation.engine.contact_free.newton import minimise
from ipc_articulation.engine.contact_free.potential import begin_step, body_energies
from ipc_articulation.engine.contact_free.problem import Held, Problem
from ipc_articulation.engine.newton.extrapolation import lower, rigid_motion
from ipc_articulation.engine.newton.newton_report import NewtonReport, NewtonResult
from ipc_articulation.engine.newton.rest import Rest, put_back, rested
from ipc_articulation.engine.output.stopwatch import Stopwatch
from ipc_articulation.engine.scene.model import Model
from ipc_articulation.engine.state import State


def take(
    state: State, model: Model, problem: Held | Problem, rest: Rest, dt: float, watch: Stopwatch
) -> tuple[State, NewtonReport] | None:
    """Advance by dt [s] a model that cannot touch; see `engine.step`.

    Returns:
        The state after the step and a report; None where the general step must be taken: where bodies sleep, an
        articulation's input is not valid, Newton did not converge, or something is not finite.
    """
    if rest.has_sleepers(state, dt):
        return None
    q_ref = model.context.articulations.give_step(state.q)
    watch.lap("begin")
    q, qdot, theta, is_usual, awake, iterations, searches, rests, is_early = _advance(problem, *state, q_ref, dt)
    watch.lap("newton")
    if not is_usual:
        return None
    after = State(q, qdot, theta, state.q, state.qdot)
    rest.remember(after, rests, dt)
    watch.lap("write back")
    result = NewtonResult.SEMI_IMPLICIT if is_early else NewtonResult.CONVERGED
    return after, NewtonReport(result, iterations, awake, searches)


@compiled
def _advance(problem, q, qdot, theta, q_before, qdot_before, q_ref, dt):
    """The stages of `engine.step`, with reference poses q_ref (n, 12).

    The state comes in its parts, for to unpack it costs a microsecond.

    Returns:
        q, q̇ and θ after the step; whether all went as usual; the numbers of bodies that moved, of Newton iterations
        and of line-search steps; the bodies that rest, (n,); and whether an island ended before it had converged.
    """
    bodies, state = problem.bodies, State(q, qdot, theta, q_before, qdot_before)
    if not begin_step(problem, state, q_ref, dt):
        return q, qdot, theta, False, 0, 0, 0, bodies.driven, False
    start, E, is_measured = _start(problem, state, dt)
    q, is_usual, iterations, searches, early = minimise(problem, start, E, is_measured, dt)
    _settle(bodies, early, state.q, q, dt)
    qdot = integrator.velocity(problem.order, state, q, dt)
    theta = joint_coordinates.follow(*problem.joints, state.theta, q)
    rests = rested(state, State(q, qdot, theta, state.q, state.qdot), bodies.movable, early)
    return q, qdot, theta, is_usual, bodies.movable.sum(), iterations, searches, rests, early.any()


@compiled
def _settle(bodies, early, before, q, dt):
    """See `Rest.settle`."""
    moved, largest = motions(bodies.points, bodies.first, q - before), rows.largest_position(q)
    fall = bodies.gravity.copy()
    for b in range(len(q)):
        largest[b] += bodies.extent[b]
        fall[b] *= dt * dt
    put_back(bodies.labels, bodies.driven | early, moved, largest, fall, before, q)


@compiled
def _start(problem, state, dt):
    """Where Newton starts, (n, 12), the energies there, and whether they were measured; see `extrapolation.advance`."""
    bodies = problem.bodies
    motion = rigid_motion(state.q, state.qdot, bodies.movable, bodies.center, bodies.is_link, dt)
    if not motion.any():
        return state.q.copy(), np.zeros(len(motion)), False
    ahead = state.q + motion
    E, E_ahead = body_energies(problem, state.q, bodies.movable), body_energies(problem, ahead, bodies.movable)
    start, E = lower(bodies.labels, state.q, E, ahead, E_ahead)
    return start, E, True
