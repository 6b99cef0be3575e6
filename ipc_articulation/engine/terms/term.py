"""What Newton asks of a term of the incremental potential."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ipc_articulation.engine.linear_system import LinearSystem
from ipc_articulation.engine.state import State

Array = NDArray[np.float64]


class Term(Protocol):
    """One summand E(q) of the incremental potential, for the coordinates q (n, 12) of all bodies; in J·s²."""

    name: str  # what statistics call it

    def begin_step(self, state: State, dt: float) -> None:
        """Fix what is constant in the step of dt [s] that begins at a state."""

    def energy(self, q: Array) -> float:
        """E(q); inf where q is not allowed."""

    def assemble(self, q: Array, g: Array, system: LinearSystem) -> None:
        """Add ∂E/∂q to g (n, 12), and a positive semidefinite ∂²E/∂q² to the system."""


class Approaching(ABC):
    """A term whose goal comes nearer in the course of a step's Newton iterations (animator substeps)."""

    @abstractmethod
    def approach(self, share: float) -> None:
        """Put the goal at this share of the way, in (0, 1]; 1 from `begin_step` on unless told otherwise."""
