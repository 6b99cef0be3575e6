"""Bodies at rest: a step that would repeat the last one, bit for bit, is not computed again.

A step maps the state of an island (see `islands`) to a new one. Where the new one equals the old, and nothing from
outside drives the island, the next step meets the same potential and gives the same result: the island sleeps, until
something comes near it, or dt or the state is changed from outside. So that islands come to rest at all, one that moves
by no more than the rounding of its coordinates, and far less than gravity would move it, is put back where it was. An
island whose step did not converge has no result that could repeat: it neither rests nor is it put back.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ipc_articulation.affine import DOF
from ipc_articulation.arrays import Bools
from ipc_articulation.compiled import compiled
from ipc_articulation.engine.integrator import velocity

ROUNDING = 64 * np.finfo(float).eps  # of a body's largest coordinate; bodies that lie on others creep by as much
BALANCE = 1e-3  # of gravity: an acceleration that a body in balance does not have


class Rested(NamedTuple):
    """The bodies that a step did not change; valid for the state after that step."""

    bodies: Bools  # (n,)
    dt: float  # of the step [s]
    is_all: bool = False  # whether a step of this dt has found nothing to compute from this state


@compiled
def end_step(order, state, q, movable, unconverged, dt):
    """Velocities at the end of a step, and the bodies that it did not change and the next one would not either.

    Args:
        order: Of the time integrator.
        state: An `EngineState` of n bodies, at the beginning of the step.
        q: Coordinates at its end, (n, 12).
        movable: Bodies that are not fixed, (n,).
        unconverged: Bodies whose islands did not meet the convergence test, (n,).
        dt: Time step [s].

    Returns:
        q̇ (n, 12), those bodies as a mask (n,), and whether there are any.
    """
    qdot, found = velocity(order, state, q, dt), False
    same = movable & ~unconverged
    for b in range(len(q)):
        for i in range(DOF):
            at_rest = state.q[b, i] == q[b, i] and state.qdot[b, i] == qdot[b, i]
            has_past = state.q_before[b, i] != state.q[b, i] or state.qdot_before[b, i] != state.qdot[b, i]
            same[b] = same[b] and at_rest and not has_past
        found = found or same[b]
    return qdot, same, found
