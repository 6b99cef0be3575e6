"""The header of a recording: names and settings."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Header:
    """Names in the order of the arrays, and values that are the same for all rows."""

    name: str  # of the run
    dt: float  # time step [s]
    joint_names: tuple[str, ...] = ()
    body_names: tuple[str, ...] = ()  # bodies whose poses are recorded
    free_names: tuple[str, ...] = ()  # those among them that contact alone moves
    energy_terms: tuple[str, ...] = ()  # none where the engine does not report them
    stages: tuple[str, ...] = ()  # of a step's computation; none where the engine does not report them
    contact_names: tuple[str, ...] = ()  # of all that touch each other; none where the engine does not report them
    extra: dict[str, Any] = field(default_factory=dict)  # further facts, in JSON's types

    @property
    def dimensions(self) -> dict[str, tuple[str, ...]]:
        """Entries along each named dimension of a quantity."""
        return {
            "joints": self.joint_names,
            "bodies": self.body_names,
            "energy_terms": self.energy_terms,
            "stages": self.stages,
        }

    @property
    def counts(self) -> dict[str, int]:
        """Length of each named dimension."""
        return {dimension: len(names) for dimension, names in self.dimensions.items()}
