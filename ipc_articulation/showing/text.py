"""The start of a scene in words, for the terminal: bodies, joints, overlaps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.showing.joints import Freedom, PlacedJoint
from ipc_articulation.showing.overlaps import DeepOverlap
from ipc_articulation.showing.placed import Placed

_ROUNDED = 1e-5  # of a vector's length: a smaller component is written as 0


def lines_of(placed: Placed) -> Iterator[str]:
    """A line for each body, freedom of a joint, and overlap, under headings."""
    robot = placed.robot
    bodies = [("link", body) for body in robot.links] + [("free", body) for body in robot.free]
    bodies += [("fixed", body) for body in robot.static]
    rows = [
        (body.name, role, f"at {vector(body.pose[:3, 3])} m", "" if role == "fixed" else f"{body.mass:.4g} kg")
        for role, body in bodies
    ]
    rows += [(shape.name, "soft", f"{len(shape.vertices)} vertices", "") for shape in placed.scenery.soft]
    rows += [(plane.name, "plane", f"at {vector(plane.point)} m", "") for plane in robot.planes]
    yield from _table("bodies", rows)
    yield from _table("joints", (row for joint in placed.joints for row in _of_joint(joint)))
    yield from _table("overlaps", [(*overlap_text(overlap),) for overlap in placed.overlaps])


def overlap_text(overlap: DeepOverlap) -> tuple[str, str]:
    """The pair, and how deep it overlaps."""
    deep = f"{1e3 * overlap.depth:.3g} mm deep"
    if overlap.depth == 0.0:
        return f"{overlap.first} and {overlap.second}", "they cross, or are nearer than their thickness"
    return f"{overlap.first} and {overlap.second}", f"{deep}; {overlap.first} is out by {vector(overlap.way)} m"


def _of_joint(joint: PlacedJoint) -> Iterator[tuple[str, ...]]:
    axes = " and ".join(vector(axis) for axis in joint.axes)
    axis = f"axis {axes}" if axes else ""
    if not joint.freedoms:
        yield joint.name, joint.kind, axis, "", ""
    for freedom in joint.freedoms:
        yield freedom.name, joint.kind, axis, _range(freedom), f"starts at {_number(freedom.start)} {freedom.unit}"


def _range(freedom: Freedom) -> str:
    if np.isinf([freedom.lower, freedom.upper]).all():
        return "no limits"
    return f"{_number(freedom.lower)} to {_number(freedom.upper)} {freedom.unit}"


def vector(values: Array) -> str:
    """«(0, 0.5, 1)»."""
    least = _ROUNDED * np.linalg.norm(values)
    return f"({', '.join(_number(value if abs(value) > least else 0.0) for value in values)})"


def _number(value: float) -> str:
    return f"{value:.4g}"


def _table(heading: str, rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Columns as wide as they need to be, indented below the heading."""
    rows = list(rows)
    yield f"{heading}: {len(rows) or 'none'}"
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
