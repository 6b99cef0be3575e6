"""What Newton asks of a term of the incremental potential."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np

from ipc_articulation.arrays import Array, Bools, Ints
from ipc_articulation.engine import rows
from ipc_articulation.engine.linear_system.hessian import Hessian
from ipc_articulation.engine.state import EngineState


class Term(ABC):
    """One summand E(q) of the incremental potential, for the coordinates q (n, 12) of all bodies; in J·s²."""

    name: str  # what statistics call it

    @property
    def couples(self) -> Ints:
        """Pairs of bodies that the term couples, (m, 2); contact's change, and are found on the way."""
        return np.zeros((0, 2), dtype=np.int64)

    @property
    def blocks(self) -> Sequence[Ints]:
        """Pairs of bodies, arrays (m, 2), such that the Hessian couples all bodies of one array with each other."""
        return list(self.couples[:, None])

    @property
    def drives(self) -> Ints:
        """Bodies whose energy may change from step to step though they rest, (k,): what users or animators write."""
        return np.zeros(0, dtype=np.int64)

    @property
    def exact(self) -> Ints:
        """Bodies that Newton must not leave before it has converged, (k,): another engine goes on from them."""
        return np.zeros(0, dtype=np.int64)

    @abstractmethod
    def begin_step(self, state: EngineState, dt: float) -> None:
        """Fix what is constant in the step of dt [s] that begins at a state."""

    @abstractmethod
    def add_energy(self, q: Array, E: Array) -> None:
        """Add the energy to that of bodies, E (n,), what couples several to one of them; inf where q is not allowed."""

    @abstractmethod
    def assemble(self, q: Array, g: Array, hessian: Hessian) -> None:
        """Add ∂E/∂q to g (n, 12), and a positive semidefinite ∂²E/∂q² to the Hessian."""

    def select(self, moving: Bools) -> None:  # noqa: B027
        """From now on only the bodies of a mask (n,) count; a term may save the work for the others."""

    def follow(self, q: Array, step: Array) -> None:  # noqa: B027
        """Newton goes from q (n, 12) to q + step."""

    def energy(self, q: Array) -> float:
        """E(q)."""
        E = np.zeros(len(q))
        self.add_energy(q, E)
        return float(E.sum())


class Approaching(ABC):
    """A term whose goal comes nearer in the course of a step's Newton iterations (animator substeps)."""

    @abstractmethod
    def approach(self, share: float) -> None:
        """Put the goal at this share of the way, in (0, 1]; 1 from `begin_step` on unless told otherwise."""


class PairTerm(Term):
    """A term of pairs of bodies; the energy of a pair goes to one of the two that moves."""

    def __init__(self, bodies: Ints) -> None:
        """Take the pairs, (m, 2)."""
        self.bodies = bodies
        self._owner = bodies[:, 1]

    @property
    def couples(self) -> Ints:
        return self.bodies

    def select(self, moving: Bools) -> None:
        self._owner = np.where(moving[self.bodies[:, 0]], self.bodies[:, 0], self.bodies[:, 1])

    def add_energy(self, q: Array, E: Array) -> None:
        rows.add_at(E, self._owner, self.pair_energies(q))

    @abstractmethod
    def pair_energies(self, q: Array) -> Array:
        """Energy of each pair, (m,)."""
