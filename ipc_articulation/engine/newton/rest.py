"""Bodies at rest: a step that would repeat the last one, bit for bit, is not computed again.

A step maps the state of an island (see `islands`) to a new one. Where the new one equals the old, and nothing from
outside drives the island, the next step meets the same potential and gives the same result: the island sleeps, until
something comes near it, or dt or the state is changed from outside. So that islands come to rest at all, one that moves
by no more than the rounding of its coordinates, and far less than gravity would move it, is put back where it was.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from ipc_articulation.engine.newton import islands
from ipc_articulation.engine.potential import Potential
from ipc_articulation.engine.state import State

Array = NDArray[np.float64]
Bools = NDArray[np.bool_]

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

    def awake(self, state: State, dt: float) -> Bools:
        """The bodies whose step from a state must be computed, (n,); the potential has begun it."""
        potential = self._potential
        goes_on = state is self._last and dt == self._dt and not potential.is_adaptive
        if not goes_on or not np.count_nonzero(self._rested):
            return potential.movable
        return potential.movable & islands.anyone(potential.labels, potential.driven | ~self._rested)

    def settle(self, before: Array, after: Array, dt: float) -> Array:
        """The coordinates after a step (n, 12) of dt [s], those of before it for islands that rounding moved."""
        potential = self._potential
        if not self._may_rest:
            return after
        motions, largest = potential.motions(after - before), potential.largest_coordinates(after)
        q = after.copy()
        put_back(potential.labels, potential.driven, motions, largest, self.gravity * dt * dt, before, q)
        return q

    def remember(self, before: State, after: State, dt: float) -> None:
        """Note a step that was computed."""
        self._last, self._dt = after, dt
        if self._may_rest:
            self._rested = self._potential.movable & before.equal_rows(after)


@njit(cache=True)
def put_back(labels, driven, motions, largest, fall, before, q):
    """Bring islands that nothing drives, and that rounding moved, from q (n, 12) back to `before`.

    Args:
        labels: Islands, (n,).
        driven: Bodies that something drives, (n,).
        motions: How far each body has moved, (n,) [m].
        largest: Bounds on its coordinates, (n,) [m].
        fall: How far gravity would have moved it, (n,) [m].
        before: Where it was, (n, 12).
        q: Where it is, (n, 12).
    """
    goes = driven.copy()
    for b in range(len(q)):
        if motions[b] > min(_ROUNDING * largest[b], _BALANCE * fall[b]):
            goes[b] = True
    goes = islands.anyone(labels, goes)
    for b in range(len(q)):
        if not goes[b]:
            for i in range(12):
                q[b, i] = before[b, i]
