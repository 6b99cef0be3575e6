"""The protocol of a term of the incremental potential over nodes, as Newton's method uses it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, NamedTuple

import numpy as np

from ipc_articulation.arrays import Array, Bools, Ints
from ipc_articulation.engine.state import EngineState
from ipc_articulation.references import by_reference

NO_BODIES, NO_PAIRS = np.zeros(0, dtype=np.int64), np.zeros((0, 2), dtype=np.int64)


class _Sums(NamedTuple):
    """Where terms add their derivatives."""

    moving: Bools  # (B,)
    projected: Bools  # (B,) whose Hessians are projected
    is_free: Bools  # (R,) rows that have unknowns
    row_of_node: Ints  # (N,)
    matrix: Any  # `Matrix`, with room
    g: Array  # (N, 3)


SumsType, Sums = by_reference(_Sums, __name__)


class Term(ABC):
    """One summand E(x) of the incremental potential, for the nodes x (N, 3) of all bodies; in J·s²."""

    name: str  # what statistics call it
    couples: Ints = NO_PAIRS  # (c, 2) pairs of bodies that the term always couples
    joints: Ints = NO_PAIRS  # (m, 2) pairs of bodies that a joint holds together
    drives: Ints = NO_BODIES  # (k,) bodies whose energy may change while they rest: users or animators write it
    exact: Ints = NO_BODIES  # (k,) for which Newton must converge completely: another engine continues from them
    room: int = 0  # largest number of blocks of two different rows that it adds

    @property
    def numbers(self) -> int:
        """The largest number of numbers in the blocks of `room`."""
        return 144 * self.room

    def begin_step(self, state: EngineState, x: Array, dt: float) -> None:  # noqa: B027
        """Compute everything that is constant in the step of dt [s] from a state, whose nodes are x (N, 3)."""

    def approach(self, share: float) -> None:  # noqa: B027
        """Move the goal to this fraction of its way, in (0, 1]; `begin_step` sets it to 1."""

    @abstractmethod
    def add_energies(self, x: Array, moving: Bools, E: Array) -> None:
        """Add the energy to E (B,); that of several bodies is added to one that moves.

        Args:
            x: Nodes (N, 3) [m].
            moving: Bodies (B,) that move; what no moving body has may be left out.
            E: It is inf if x is not allowed.
        """

    @abstractmethod
    def add_derivatives(self, x: Array, to: Any) -> None:
        """Add ∂E/∂x and ∂²E/∂x² of free rows to `Sums`.

        The Hessian is positive semidefinite for the projected bodies, and exact for the others. The matrix of all calls
        is the same, or grows from it by `with_room`.
        """
