"""The protocol of a term of the incremental potential, as Newton's method uses it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np

from ipc_articulation.affine import DOF
from ipc_articulation.arrays import Array, Bools, Ints
from ipc_articulation.engine import rows
from ipc_articulation.engine.linear_system.hessian import Hessian
from ipc_articulation.engine.linear_system.linear_system import LinearSystem
from ipc_articulation.engine.state import EngineState


class Term(ABC):
    """One summand E(q) of the incremental potential, for the coordinates q (n, 12) of all bodies; in J·s²."""

    name: str  # what statistics call it

    @property
    def couples(self) -> Ints:
        """Pairs of bodies that the term couples, (m, 2), without those of contact, which change during the step."""
        return np.zeros((0, 2), dtype=np.int64)

    @property
    def joints(self) -> Ints:
        """Pairs of bodies that a joint holds together, (m, 2)."""
        return self.couples

    @property
    def blocks(self) -> Sequence[Ints]:
        """Pairs of bodies, arrays (m, 2), such that the Hessian couples all bodies of one array with each other."""
        return list(self.couples[:, None])

    @property
    def drives(self) -> Ints:
        """Bodies whose energy may change while they are at rest, (k,): users or animators write its parameters."""
        return np.zeros(0, dtype=np.int64)

    @property
    def exact(self) -> Ints:
        """Bodies for which Newton must converge completely, (k,), because another engine continues from them."""
        return np.zeros(0, dtype=np.int64)

    @abstractmethod
    def begin_step(self, state: EngineState, dt: float) -> None:
        """Compute everything that is constant in the step of dt [s] that begins at a state."""

    @abstractmethod
    def add_energy(self, q: Array, E: Array) -> None:
        """Add the energy to E (n,); that of several bodies is added to one of them. It is inf if q is not allowed."""

    @abstractmethod
    def assemble(self, q: Array, g: Array, hessian: Hessian) -> None:
        """Add ∂E/∂q to g (n, 12), and a positive semidefinite ∂²E/∂q² to the Hessian."""

    def select(self, moving: Bools) -> None:  # noqa: B027
        """From now on only the bodies of a mask (n,) are needed; a term may omit the others."""

    def follow(self, q: Array, step: Array, turned: Bools) -> None:  # noqa: B027
        """Report a Newton step from q (n, 12) to q + step, which some bodies (n,) have taken on circles."""

    def restrain(self, dq: Array, system: LinearSystem) -> Array:
        """The Newton step with what `assemble` leaves out, from the step dq (n, 12) without it.

        See `terms.restrained_step` and `contact.gap_correction`.
        """
        return dq

    def energy(self, q: Array) -> float:
        """E(q)."""
        E = np.zeros(len(q))
        self.add_energy(q, E)
        return float(E.sum())


class Approaching(ABC):
    """A term whose goal approaches during the Newton iterations of a step (animator substeps)."""

    @abstractmethod
    def approach(self, share: float) -> None:
        """Move the goal to this fraction of its way, in (0, 1]; `begin_step` sets it to 1."""


class Projecting:
    """A term whose Hessian is projected to positive semidefinite for some bodies, and exact for the others."""

    projected: Bools  # (n,) these bodies


class Load(Term):
    """A term E = -Fᵀ (q - qᵗ) of forces that are constant in a step that begins at qᵗ."""

    def __init__(self, n: int) -> None:
        """Begin without forces on n bodies."""
        self._q_t = self._F = np.zeros((n, DOF))  # F carries dt²

    def add_energy(self, q: Array, E: Array) -> None:
        E -= np.sum(self._F * (q - self._q_t), axis=1)

    def assemble(self, q: Array, g: Array, hessian: Hessian) -> None:
        g -= self._F


class PairTerm(Term):
    """A term of pairs of bodies; the energy of a pair is added to one of its moving bodies."""

    def __init__(self, bodies: Ints) -> None:
        """Take the pairs, (m, 2)."""
        self.bodies = bodies
        self._moving = np.ones(bodies.max(initial=-1) + 1, dtype=np.bool_)
        self._owner = bodies[:, 1]

    @property
    def couples(self) -> Ints:
        return self.bodies

    def select(self, moving: Bools) -> None:
        self._moving = moving
        self._owner = np.where(moving[self.bodies[:, 0]], self.bodies[:, 0], self.bodies[:, 1])

    def add_energy(self, q: Array, E: Array) -> None:
        rows.add_at(E, self._owner, self.pair_energies(q))

    @abstractmethod
    def pair_energies(self, q: Array) -> Array:
        """Energy of each pair, (m,)."""
