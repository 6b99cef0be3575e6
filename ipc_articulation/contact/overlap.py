"""What no step may begin with: surfaces that intersect, or are nearer than rounding leaves of their positions."""

from __future__ import annotations

from typing import NamedTuple


class Overlap(NamedTuple):
    """Two surfaces that intersect, or are nearer than rounding leaves of their positions."""

    body: int
    other: int | None  # None for a half-plane
    half_plane: str  # its name
    gap: float  # [m], not positive where they intersect
    least: float  # the smallest gap that a step may begin with [m]
