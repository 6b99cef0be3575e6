"""Overlaps, with which no step may begin: surfaces that intersect, or whose distance is below rounding errors."""

from __future__ import annotations

from typing import NamedTuple


class Overlap(NamedTuple):
    """Two surfaces that intersect, or whose distance is below the rounding errors of their positions."""

    body: int
    other: int | None  # None for a half-plane
    half_plane: str  # its name
    gap: float  # [m], not positive if they intersect
    wanted: float  # the smallest gap at which they do not repel each other, d̂, or where rounding hides it more [m]
    primitives: tuple[tuple[int, ...], ...] = ()  # vertices of `Surfaces` of the two at fault, where they are known
    thickness: float = 0.0  # ξ of both surfaces, which the gap excludes [m]
