"""The smallest gap of vertices to half-planes, and the body at fault where rounding has taken it away."""

from __future__ import annotations

import numpy as np

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.contact.ccd import FLOOR
from ipc_articulation.contact.overlap import Overlap
from ipc_articulation.contact.planes.pairs import PlanePairs, rows_of


def closest(p: PlanePairs, gaps: Array, within: float) -> tuple[float, tuple[int, ...]]:
    """The smallest of some gaps (rows,) [m] and its body; inf and () if no gap is below `within`."""
    row = int(gaps.argmin())
    pair = np.searchsorted(p.first_row, row, side="right") - 1
    return (float(gaps[row]), (int(p.body[pair]),)) if gaps[row] < within else (np.inf, ())


def rounded_away(p: PlanePairs, names: tuple[str, ...], plane: Ints, gaps: Array, x: Array) -> Overlap | None:
    """The body and half-plane with the smallest gap, if it is below rounding errors; else None.

    Args:
        p: The k pairs.
        names: Of the half-planes.
        plane: The half-plane of each pair, (k,).
        gaps: Of the vertices, (rows,) [m].
        x: Positions of the vertices, (V, 3) [m].
    """
    pair, vertex = rows_of(p)
    least = FLOOR * np.maximum(np.abs(x).max(axis=1)[vertex], np.abs(p.offset[pair]))
    row = int(np.argmin(gaps - least))
    pair, at_fault, thickness = pair[row], ((int(vertex[row]),),), float(p.thickness[pair[row]])
    wanted = float(max(p.d_hat[pair], least[row]))
    found = Overlap(int(p.body[pair]), None, names[plane[pair]], float(gaps[row]), wanted, at_fault, thickness)
    return found if gaps[row] < least[row] else None
