"""Bodies at rest: a step that would repeat the last one, bit for bit, is not computed again.

A step maps the state of an island (see `islands`) to a new one. Where the new one equals the old, and nothing from
outside drives the island, the next step meets the same potential and gives the same result: the island sleeps, until
something comes near it, or dt or the state is changed from outside. So that islands come to rest at all, one that moves
by no more than the rounding of its coordinates, and far less than gravity would move it, is put back where it was. An
island whose step did not converge has no result that could repeat: it neither rests nor is it put back.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.affine import DOF
from ipc_articulation.arrays import Array, Bools
from ipc_articulation.compiled import compiled
from ipc_articulation.engine import rows
from ipc_articulation.engine.newton import islands
from ipc_articulation.engine.potential import Potential
from ipc_articulation.engine.state import State

_ROUNDING = 64 * np.finfo(float).eps  # of a body's largest coordinate; what one that lies on others creeps by
_BALANCE = 1e-3  # of gravity: an acceleration that a body in balance does not have


class Rest:
    """Remembers the last step of a world."""

    def __init__(self, potential: Potential, gravity: Array) -> None:
        """Begin with all bodies awake; gravity (n, 3) [m/s²] of each."""
        self._potential = potential
        self.gravity = np.linalg.norm(gravity, axis=1)  # (n,) [m/s²]
        self._last: State | None = None
        self._dt = 0.0
        self._rested = np.zeros(len(potential.movable), dtype=np.bool_)
        self._may_rest = bool((potential.movable & ~potential.driven).any())

    def has_sleepers(self, state: State, dt: float) -> bool:
        """Whether the step from a state need not be computed for some bodies."""
        is_next = state is self._last and dt == self._dt and not self._potential.is_adaptive
        return is_next and bool(np.count_nonzero(self._rested))

    def awake(self, state: State, dt: float) -> Bools:
        """The bodies whose step from a state must be computed, (n,); the potential has begun it."""
        potential = self._potential
        if not self.has_sleepers(state, dt):
            return potential.movable
        return potential.movable & islands.anyone(potential.labels, potential.driven | ~self._rested)

    def settle(self, before: Array, after: Array, unconverged: Bools, dt: float) -> Array:
        """The coordinates after a step (n, 12) of dt [s], those of before it for islands that rounding moved.

        Bodies of a mask (n,) are not converged.
        """
        potential = self._potential
        if not self._may_rest:
            return after
        motions, largest = potential.motions(after - before), potential.largest_coordinates(after)
        q, stays = after.copy(), potential.driven | unconverged
        put_back(potential.labels, stays, motions, largest, self.gravity * dt * dt, before, q)
        return q

    def remember(self, after: State, rested: Bools, dt: float) -> None:
        """Note a step of dt [s] that was computed, and which bodies did not change in it, (n,)."""
        self._last, self._dt, self._rested = after, dt, rested


@compiled
def rested(before, after, movable, unconverged):
    """Whether a step from a state to another left a body as it was, and so would the next one, (n,).

    Args:
        before: A `State`.
        after: Another.
        movable: Bodies that are not fixed, (n,).
        unconverged: Bodies whose islands did not meet the convergence test, (n,).
    """
    same = rows.are_equal(
        (before.q, before.qdot, before.q_before, before.qdot_before),
        (after.q, after.qdot, after.q_before, after.qdot_before),
    )
    for b in range(len(same)):
        same[b] = same[b] and movable[b] and not unconverged[b]
    return same


@compiled
def put_back(labels, stays, motions, largest, fall, before, q):
    """Bring islands that rounding moved from q (n, 12) back to `before`.

    Args:
        labels: Islands, (n,).
        stays: Bodies whose islands are left as they are, (n,): driven, or not converged.
        motions: How far each body has moved, (n,) [m].
        largest: Bounds on its coordinates, (n,) [m].
        fall: How far gravity would have moved it, (n,) [m].
        before: Where it was, (n, 12).
        q: Where it is, (n, 12).
    """
    goes = stays.copy()
    for b in range(len(q)):
        if motions[b] > min(_ROUNDING * largest[b], _BALANCE * fall[b]):
            goes[b] = True
    goes = islands.anyone(labels, goes)
    for b in range(len(q)):
        if not goes[b]:
            for i in range(DOF):
                q[b, i] = before[b, i]
