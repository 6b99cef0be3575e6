"""Many articulations in pieces that cores share: each has whole articulations, and bodies that no other piece has.

So each piece adds to rows of its own, and what comes out are the same bits, on however many cores.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from ipc_articulation.arrays import Ints
from ipc_articulation.articulation.evaluation import Articulations, UncheckedInput
from ipc_articulation.articulation.joints import JointArrays
from ipc_articulation.articulation.spring_rows import SpringRows

WORTH = 500  # joints whose derivatives are worth a core: some tenths of a millisecond


def pieces(arrays: Articulations, joint_counts: Sequence[int]) -> list[Articulations]:
    """Views of the arrays of articulations, which follow each other; all in one piece where that cannot be.

    It cannot where a row of springs acts on several freedoms, and where bodies do not ascend from piece to piece.

    Args:
        arrays: All articulations.
        joint_counts: Number of joints of each.
    """
    first = np.concatenate([[0], np.cumsum(joint_counts)]).astype(np.int64)
    if len(arrays.rows.first) > len(arrays.tilde) or first[-1] < 2 * WORTH:
        return [arrays]
    entries = np.concatenate([[0], np.cumsum(np.square(np.diff(arrays.starts)))])
    bounds = _bounds(arrays.joints.bodies, first)
    return [_piece(arrays, a, slice(*first[a]), slice(*entries[a])) for a in map(np.array, pairwise(bounds))]


def _bounds(bodies: Ints, first: Ints) -> list[int]:
    """The articulations with which pieces begin, and the end; `first` has the first joint of each."""
    highest = np.maximum.accumulate(bodies.max(axis=1))  # body up to each joint
    lowest = np.minimum.accumulate(bodies.min(axis=1)[::-1])[::-1]  # from it on
    bounds, end = [0], len(first) - 1
    for a in range(1, end):
        k = first[a]
        if first[bounds[-1]] + WORTH <= k <= first[-1] - WORTH and highest[k - 1] < lowest[k]:
            bounds.append(a)
    return [*bounds, end]


def _piece(arrays: Articulations, a: Ints, joints: slice, entries: slice) -> Articulations:
    """The articulations from a[0] to a[1] - 1, with their joints, and with entries of Mᵗ."""
    own, starts = slice(*arrays.starts[a]), arrays.starts[a[0] : a[1] + 1]
    count, of, given, rows = own.stop - own.start, arrays.joints, arrays.unchecked, arrays.rows
    return Articulations(
        joints=JointArrays(of.kind[joints], of.bodies[joints], of.local[joints]),
        bodies=arrays.bodies[own],
        starts=starts - starts[0],
        mass=arrays.mass[entries],
        factor=arrays.factor[entries],
        tilde=arrays.tilde[own],
        rows=SpringRows(rows.first[:count], rows.starts[: count + 1], rows.weights[own]),
        springs=arrays.springs[own],
        row_tilde=arrays.row_tilde[own],
        reference=arrays.reference[joints],
        unchecked=UncheckedInput(
            given.mass[entries], given.factor[entries], given.tilde[own], given.springs[own], given.weights[own]
        ),
    )
