"""Bodies whose shapes differ in friction: their surfaces as parts, each of the shapes with one friction."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from ipc_articulation.adapters.dart import shapes

from ipc_articulation.arrays import Ints
from ipc_articulation.coupling.adapter import ClosedMesh, SurfacePart
from ipc_articulation.naming import distinct


class Surface(NamedTuple):
    """The surface of a body."""

    mesh: ClosedMesh | None
    nodes: list[Any]  # its n shapes
    counts: list[int]  # (n,) vertices of each, in the order of the mesh


def parts_by_body(surfaces: Mapping[str, Surface], names: Collection[str]) -> dict[str, tuple[SurfacePart, ...]]:
    """The parts of each surface whose shapes differ in friction.

    Args:
        surfaces: By body.
        names: Of all bodies and planes; parts are called `body/shape`, with a number behind it if that is taken.
    """
    cut = {name: list(_by_friction(surface)) for name, surface in surfaces.items()}
    cut = {name: own for name, own in cut.items() if len(own) > 1}
    free = iter(distinct([f"{name}/{label}" for name, own in cut.items() for label, _, _ in own], names))
    return {name: tuple(SurfacePart(next(free), rows, mu) for _, rows, mu in own) for name, own in cut.items()}


def _by_friction(surface: Surface) -> Iterator[tuple[str, Ints, float]]:
    """For each friction the name of the first shape that has it, the vertices of all that have it, and itself."""
    friction = [shapes.friction(node) for node in surface.nodes]
    owner = np.repeat(friction, surface.counts)
    for mu in dict.fromkeys(owner.tolist()):
        yield surface.nodes[friction.index(mu)].getName(), np.flatnonzero(owner == mu), mu
