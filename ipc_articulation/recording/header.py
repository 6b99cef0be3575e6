"""The header of a recording: names and settings."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

_DIMENSIONS = ("joints", "bodies", "energy_terms", "stages", "soft_vertices", "axis")
JOINT_UNITS = "joint_units"  # in `extra`: rad or m of joints, by name; not in recordings before version 0.3
_AXES = ("x", "y", "z")


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
    soft_names: tuple[str, ...] = ()  # soft bodies, whose vertices are recorded one body after the other
    soft_counts: tuple[int, ...] = ()  # number of vertices of each

    @property
    def dimensions(self) -> dict[str, tuple[str, ...]]:
        """Entries along each named dimension of a quantity."""
        vertices = (f"{name}[{k}]" for name, n in zip(self.soft_names, self.soft_counts, strict=True) for k in range(n))
        names = self.joint_names, self.body_names, self.energy_terms, self.stages, tuple(vertices), _AXES
        return dict(zip(_DIMENSIONS, names, strict=True))

    @property
    def counts(self) -> dict[str, int]:
        """Length of each named dimension."""
        counts = self.joint_names, self.body_names, self.energy_terms, self.stages
        return dict(zip(_DIMENSIONS, [*map(len, counts), sum(self.soft_counts), len(_AXES)], strict=True))

    @property
    def soft_slices(self) -> dict[str, slice]:
        """Where each soft body's vertices are among those of all, by name."""
        ends = np.cumsum([0, *self.soft_counts]).tolist()
        return {name: slice(*ends[k : k + 2]) for k, name in enumerate(self.soft_names)}
