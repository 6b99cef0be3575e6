"""What collision detection needs of a scene and does not change: passed to compiled functions by reference."""

from __future__ import annotations

from typing import Any, NamedTuple

from numba import config, types
from numba.experimental import structref

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.compiled import compiled
from ipc_articulation.contact.allowed import Allowed


class Sides(NamedTuple):
    """Bodies and half-planes that may touch each other, all of one material."""

    points: Array  # (V, 3) local positions [m]
    first: Ints  # (n + 1,) first vertex of each body
    corners: Array  # (3, H), see `Surfaces.corners_by_axis`
    first_corner: Ints  # (n + 1,)
    center: Array  # (n, 3) of each body's local box [m]
    half: Array  # (n, 3) half its sides [m]
    planes: tuple[Any, ...]  # the fields of `PlanePairs`
    allowed: Allowed  # pairs of bodies
    reach: float  # [m]
    thickness: float  # ξ [m]
    d_hat: float  # d̂ [m]


@structref.register
class _HeldSidesType(types.StructRef):
    """Numba's type of `HeldSides`."""


class HeldSides(structref.StructRefProxy):
    """`Sides` that compiled functions pass by reference: unpacking them would take 5 µs a call."""


structref.define_proxy(HeldSides, _HeldSidesType, Sides._fields)


def hold(sides: Sides) -> HeldSides | Sides:
    """The same, to be passed by reference; as they are where numba is switched off."""
    return sides if config.DISABLE_JIT else _hold(sides)


@compiled
def _hold(sides):
    """See `hold`; made from Python, a proxy would take a second in each process, as it is not cached on disk."""
    return HeldSides(*sides)
