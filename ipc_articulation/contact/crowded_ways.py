"""Crowded ways: two bodies pass so much of each other that what would meet is too much to be searched.

A step of Newton's method may lead through whole bodies, over and over. A search finds everything that would meet on it,
which of fine meshes takes minutes and gigabytes, although the step ends where the first two primitives meet. So pairs
of leaves of both trees (see `face_trees`) that come near each other are counted first, and no further than to a limit.
Where two surfaces touch there is about one for each node of both trees, and on a crowded way very many.

They are counted only of bodies that come nearer by a part of their size. No way up to the reach is crowded.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.arrays import Array, Bools, Ints
from ipc_articulation.compiled import compiled
from ipc_articulation.contact.candidates import as_seen
from ipc_articulation.contact.pair_motion import NUMBERS, approach, refer
from ipc_articulation.contact.primitive_pairs import meet_in_more
from ipc_articulation.contact.surfaces import Surfaces

_LONG = 0.25  # in units of the half diagonal of the smaller body: ways up to this are not crowded
CROWD = 8  # pairs of leaves for each node of both trees


def crowded(near: Ints, surfaces: Surfaces, start: Array, end: Array, reach: float) -> Bools:
    """Which bodies pass too much of another one while all move straight from start to end.

    Args:
        near: Pairs of bodies that may come within reach, (m, 2).
        surfaces: Surfaces of the n bodies.
        start: Coordinates (n, 12).
        end: Coordinates (n, 12).
        reach: [m].

    Returns:
        Flags (n,), set at both bodies of a pair.
    """
    found, trees, boxes = np.zeros(len(start), dtype=np.bool_), surfaces.trees, surfaces.boxes
    pairs, most = _on_long_ways(near, trees.first, start, end, boxes, reach)
    if len(pairs):
        found[pairs[meet_in_more(pairs, trees, start, end, np.full(len(pairs), reach), most)]] = True
    return found


@compiled
def _on_long_ways(near, first, start, end, boxes, reach):
    """The pairs (k, 2) of `near` that come nearer by more than the reach, and than a part of the smaller one's size.

    Those are left out that have no more pairs of leaves than are allowed. `first` is of `FaceTrees`.

    Returns:
        The pairs, and how many pairs of leaves each may have, (k,).
    """
    (middle, half), earlier, M, N = boxes, np.empty(NUMBERS), np.empty((3, 3)), np.empty((3, 3))
    is_long, most = np.zeros(len(near), dtype=np.bool_), np.empty(len(near))
    for p in range(len(near)):
        a, b = as_seen(near[p, 0], near[p, 1], half)
        of_a, of_b = first[a + 1] - first[a], first[b + 1] - first[b]
        most[p] = CROWD * (of_a + of_b)
        if ((of_a + 1) // 2) * ((of_b + 1) // 2) <= most[p]:
            continue
        short = max(reach, _LONG * np.sqrt(half[b, 0] ** 2 + half[b, 1] ** 2 + half[b, 2] ** 2))
        if _motion(start[a], end[a], middle[a], half[a]) + _motion(start[b], end[b], middle[b], half[b]) > short:
            refer(start, a, b, earlier)  # only now, because it takes longer: what they do not move together
            is_long[p] = approach(earlier, a, b, start, end, middle[b], half[b], M, N)[1] > short
    return near[is_long], most[is_long]


@compiled
def _motion(start, end, middle, half):
    """A bound [m] of how far a body, whose local box is middle ± half (3,), moves from start to end, (12,) each."""
    squares = 0.0
    for k in range(3):
        way, wide = end[k] - start[k], 0.0
        for m in range(3):
            D = end[3 + 3 * k + m] - start[3 + 3 * k + m]
            way += D * middle[m]
            wide += abs(D) * half[m]
        squares += (abs(way) + wide) ** 2
    return np.sqrt(squares)
