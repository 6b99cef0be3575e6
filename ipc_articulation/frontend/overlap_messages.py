"""What is said of surfaces that overlap: which bodies, by how much, at which vertices, and how to part them."""

from __future__ import annotations

import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.contact.overlap import Overlap
from ipc_articulation.contact.surfaces import Surfaces
from ipc_articulation.frontend.bodies import BodyTable

_KINDS = {1: "vertex", 2: "edge", 3: "triangle"}


def overlap_message(found: Overlap, bodies: BodyTable, surfaces: Surfaces, q: Array, when: str) -> str:
    """The text of an error.

    Args:
        found: The overlap.
        bodies: All n bodies.
        surfaces: Their surfaces.
        q: Coordinates of the bodies, (n, 12).
        when: "at the start", for instance.
    """
    name = bodies.names[found.body]
    places = [text for text in (_place(vertices, bodies, surfaces) for vertices in found.primitives) if text]
    where = f" ({' and '.join(places)})" if places else ""
    if found.other is not None and _is_one(found.body, found.other, bodies):
        both, instead = f"parts of '{name}'", "set its self_collision to 0"
    else:
        other = f"half-plane '{found.half_plane}'" if found.other is None else f"'{bodies.names[found.other]}'"
        both, instead = f"'{name}' and {other}", "disable their contact in the contact table"
    return (
        f"{both} {_what(found)} {when}{where}{_deep(found, bodies, surfaces, q)}; move them apart, to a gap of "
        f"{found.wanted:.3g} m{_beside(found)} (below it they repel each other), or {instead}"
    )


def _what(found: Overlap) -> str:
    distance = found.gap + found.thickness
    if found.gap <= 0.0 < distance and found.thickness > 0.0:
        return f"are {distance:.3g} m apart, less than the thickness {found.thickness:.3g} m of their surfaces,"
    return "intersect" if found.gap <= 0.0 else f"have a gap of only {found.gap:.2g} m"


def _deep(found: Overlap, bodies: BodyTable, surfaces: Surfaces, q: Array) -> str:
    """How deep an affine body is in a half-plane or in another one (see `parting`), if it is."""
    n, rows = bodies.affine_count, (found.body, found.body if found.other is None else found.other)
    if found.gap > 0.0 or max(rows) >= n or (found.other is not None and rows[0] == rows[1]):
        return ""
    from ipc_articulation.contact.parting import parting  # loads scipy.spatial, which steps do not need

    x, first = surfaces.positions(q), surfaces.first
    points, other = (x[first[row] : first[row + 1]] for row in rows)
    depth = -found.gap if found.other is None else float(np.linalg.norm(parting(points, other)))
    return f", {depth:.3g} m deep" if depth > 0.0 else ""


def _beside(found: Overlap) -> str:
    return " and their thickness" if found.thickness > 0.0 else ""


def _is_one(row: int, other: int, bodies: BodyTable) -> bool:
    """Whether two rows are of the same body."""
    first = bodies.affine_count + bodies.soft.first
    sides = np.searchsorted(first, [row, other], side="right")
    return row == other if 0 in sides else bool(sides[0] == sides[1])


def _place(vertices: tuple[int, ...], bodies: BodyTable, surfaces: Surfaces) -> str | None:
    """What a primitive with these vertices of `surfaces` is; None of an affine body, whose numbers are others."""
    own = surfaces.first[bodies.affine_count]
    for body, place in zip(bodies.soft.bodies, bodies.soft.places, strict=True):
        numbers = [int(np.argmax(place == vertex - own)) for vertex in vertices if vertex - own in place]
        if numbers:
            said = f"({', '.join(map(str, numbers))})" if len(numbers) > 1 else f"{numbers[0]}"
            return f"{_KINDS[len(vertices)]} {said} of '{body.name}'"
    return None
