"""Candidates for contact, pair of bodies by pair of bodies: what a search has found, and how long it holds.

A search of a pair finds every stencil nearer than reach + skin, and notes the distance d° of each and where both bodies
are. Later distances are at least σ d° - |e| (see `pair_motion`). So while σ (reach + skin) - |e| ≥ reach, no stencil is
missing; and those with σ d° - |e| ≥ reach need no look. Pairs are searched again one by one.

The stencils lie one pair after another in arrays that only grow, and are moved together when these are full.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ipc_articulation.arrays import Array, Bools, Ints
from ipc_articulation.compiled import compiled
from ipc_articulation.contact.pair_motion import NUMBERS, approach, refer

_MORE = 1.0 + 1e-6  # of the reach, so that rounding leaves out no stencil that is within it


class Candidates(NamedTuple):
    """The pairs of bodies that were searched; replaced as a whole, so that its parts always fit together."""

    bodies: Ints  # (P, 2), the smaller one first, ascending
    earlier: Array  # (P, 21) where they were, see `pair_motion`; that of the body with the larger box is a
    skin: Array  # (P,) [m]
    nearest: Array  # (P,) smallest d° of a stencil [m]
    first: Ints  # (P,) its first stencil
    size: Ints  # (P,) number of its stencils
    kind: Ints  # (K,) this and the next two are as in `Stencils`
    vertices: Ints  # (K, 4)
    mollified: Array  # (K,)
    distance: Array  # (K,) d° [m]
    used: int  # stencils, of the K for which there is space


_NONE, _NOWHERE = np.zeros(0, dtype=np.int64), np.zeros(0)
NO_CANDIDATES = Candidates(
    bodies=_NONE.reshape(0, 2),
    earlier=_NOWHERE.reshape(0, NUMBERS),
    skin=_NOWHERE,
    nearest=_NOWHERE,
    first=_NONE,
    size=_NONE,
    kind=_NONE,
    vertices=_NONE.reshape(0, 4),
    mollified=_NOWHERE,
    distance=_NOWHERE,
    used=0,
)


class Found(NamedTuple):
    """The result of a search of S pairs of bodies."""

    bodies: Ints  # (S, 2), the smaller one first, ascending
    earlier: Array  # (S, 21)
    skin: Array  # (S,) [m]
    pair: Ints  # (k,) row of `bodies`, ascending; this and the next three are as in `Stencils`
    kind: Ints  # (k,)
    vertices: Ints  # (k, 4)
    mollified: Array  # (k,)
    distance: Array  # (k,) d° [m]


@compiled
def survey(bodies, earlier, skin, near, start, end, boxes, reach):
    """What is known of the pairs while bodies move straight from start to end, (n, 12) each.

    Args:
        bodies: This and the next two are of `Candidates`.
        earlier: (P, 21).
        skin: (P,).
        near: Pairs of bodies whose stencils are needed, (m, 2), in any order.
        start: Coordinates.
        end: Coordinates.
        boxes: m̄ and h̄ of all bodies, (n, 3) each.
        reach: [m].

    Returns:
        The d° (P,) [m] below which stencils need a look, NaN where some may be missing; and the pairs to search (s, 2),
        the smaller body first, ascending.
    """
    middle, half = boxes
    within, M, N, n = np.empty(len(bodies)), np.empty((3, 3)), np.empty((3, 3)), len(start)
    for p in range(len(bodies)):
        a, b = as_seen(bodies[p, 0], bodies[p, 1], half)
        sigma, e = approach(earlier[p], a, b, start, end, middle[b], half[b], M, N)
        holds = sigma * (reach + skin[p]) - e >= reach
        within[p] = (_MORE * reach + e) / sigma if holds else np.nan
    keys, count = np.empty(len(near), dtype=np.int64), 0
    for p in range(len(near)):
        key = min(near[p, 0], near[p, 1]) * n + max(near[p, 0], near[p, 1])
        at = _place(bodies, n, key)
        if at < 0 or np.isnan(within[at]):
            keys[count] = key
            count += 1
    return within, _unfolded(keys[:count], n)


@compiled
def as_seen(i, j, half):
    """The bodies a and b of a pair: a has the larger box, because what it turns moves all that is far from it."""
    of_i = half[i, 0] ** 2 + half[i, 1] ** 2 + half[i, 2] ** 2
    of_j = half[j, 0] ** 2 + half[j, 1] ** 2 + half[j, 2] ** 2
    return (i, j) if of_i >= of_j else (j, i)


@compiled
def _place(bodies, n, key):
    """The row of the pair with a key in ascending pairs of n bodies; -1 if it is not there."""
    low, high = 0, len(bodies)
    while low < high:
        middle = (low + high) // 2
        if bodies[middle, 0] * n + bodies[middle, 1] < key:
            low = middle + 1
        else:
            high = middle
    return low if low < len(bodies) and bodies[low, 0] * n + bodies[low, 1] == key else -1


@compiled
def _unfolded(keys, n):
    """The pairs (s, 2) with these keys, ascending, each once."""
    keys.sort()
    pairs, count = np.empty((len(keys), 2), dtype=np.int64), 0
    for k in range(len(keys)):
        if k == 0 or keys[k] != keys[k - 1]:
            pairs[count, 0], pairs[count, 1] = keys[k] // n, keys[k] % n
            count += 1
    return pairs[:count]


@compiled
def skins(pairs, start, end, boxes, reach, ahead, largest):
    """Where pairs of bodies (s, 2) are at `end`, and a skin for each that lasts for several motions like this one.

    The skin is `ahead` times what the motion from start to end, (n, 12) each, may bring them nearer, and at least the
    reach. Were it more than the largest, it would give too many candidates: then it is the reach, and the search covers
    the motion itself.

    Returns:
        Their numbers (s, 21), and skins (s,) [m].
    """
    middle, half = boxes
    earlier, skin = np.empty((len(pairs), NUMBERS)), np.empty(len(pairs))
    M, N = np.empty((3, 3)), np.empty((3, 3))
    for p in range(len(pairs)):
        a, b = as_seen(pairs[p, 0], pairs[p, 1], half)
        refer(end, a, b, earlier[p])
        _, e = approach(earlier[p], a, b, start, end, middle[b], half[b], M, N)
        skin[p] = max(reach, min(ahead * e, largest)) if 1.5 * e < largest else reach
    return earlier, skin


@compiled
def looked_at(bodies, nearest, first, count, kind, vertices, mollified, distance, within, whole):
    """The columns of `Stencils` nearer than `within` (P,), see `survey`; where it is NaN, all if `whole`, else none.

    Args:
        bodies: This and the next seven are of `Candidates`.
        nearest: (P,).
        first: (P,).
        count: (P,).
        kind: (K,).
        vertices: (K, 4).
        mollified: (K,).
        distance: (K,).
        within: (P,).
        whole: Whether pairs whose search does not hold any more have just been searched for this very motion.
    """
    limits, pairs, rows = np.empty(len(bodies)), 0, 0
    for p in range(len(bodies)):
        limits[p] = within[p] if not np.isnan(within[p]) else (np.inf if whole else -np.inf)
        if count[p] and nearest[p] < limits[p]:
            pairs, rows = pairs + 1, rows + count[p]
    chosen, pair, row = np.empty((pairs, 2), dtype=np.int64), np.empty(rows, dtype=np.int64), 0
    kinds, ends = np.empty(rows, dtype=np.int64), np.empty((rows, 4), dtype=np.int64)
    eps, at = np.empty(rows), 0
    for p in range(len(bodies)):
        if not (count[p] and nearest[p] < limits[p]):
            continue
        chosen[at, 0], chosen[at, 1] = bodies[p, 0], bodies[p, 1]
        for s in range(first[p], first[p] + count[p]):
            if distance[s] < limits[p]:
                pair[row], kinds[row], eps[row] = at, kind[s], mollified[s]
                for k in range(4):
                    ends[row, k] = vertices[s, k]
                row += 1
        at += 1
    return chosen, pair[:row], kinds[:row], ends[:row], eps[:row]


def joined(known: Candidates, within: Array, found: Found, n: int) -> Candidates:
    """The candidates whose search still holds, see `survey`, and those that were found, of n bodies."""
    old = known.bodies, known.nearest, known.first, known.size
    order, stays, first, size, nearest = _merged(*old, within, found.bodies, found.pair, found.distance, n)
    arrays: tuple[NDArray, ...] = known[6:10]
    used, more = known.used, len(found.pair)
    if used + more > len(arrays[0]):
        arrays, used, first = _moved_together(arrays, first, size, stays, more)
    for array, new in zip(arrays, found[4:], strict=True):
        array[used : used + more] = new
    first[len(first) - len(found.bodies) :] += used
    bodies, earlier, skin = (np.concatenate([a[stays], b])[order] for a, b in zip(known[:3], found[:3], strict=True))
    kind, vertices, mollified, distance = arrays
    places = nearest[order], first[order], size[order]
    return Candidates(bodies, earlier, skin, *places, kind, vertices, mollified, distance, used + more)


@compiled
def _merged(bodies, nearest, first, count, within, new_bodies, pair, distance, n):
    """Their ascending order, which of the old stay (P,), and `first`, `count` and `nearest` before it is made."""
    stays = ~np.isnan(within)
    old, new = np.flatnonzero(stays), len(new_bodies)
    counts, begins, least = np.zeros(new, dtype=np.int64), np.zeros(new, dtype=np.int64), np.full(new, np.inf)
    for s in range(len(pair)):
        counts[pair[s]] += 1
        least[pair[s]] = min(least[pair[s]], distance[s])
    for p in range(1, new):
        begins[p] = begins[p - 1] + counts[p - 1]
    every = np.concatenate((bodies[old], new_bodies))
    order = np.argsort(every[:, 0] * n + every[:, 1])
    firsts, numbers = np.concatenate((first[old], begins)), np.concatenate((count[old], counts))
    return order, stays, firsts, numbers, np.concatenate((nearest[old], least))


def _moved_together(
    arrays: tuple[NDArray, ...], first: Ints, size: Ints, stays: Bools, more: int
) -> tuple[tuple[NDArray, ...], int, Ints]:
    """New arrays with the stencils of the first pairs, those that stay, and space for twice what there is then.

    Returns:
        The arrays, how much of them is used, and the first stencil of each pair.
    """
    kept = int(stays.sum())
    used = int(size[:kept].sum())
    space, begins = 2 * (used + more) + 256, np.cumsum(size[:kept]) - size[:kept]
    larger = tuple(np.empty((space, *array.shape[1:]), dtype=array.dtype) for array in arrays)
    _copy(first[:kept], begins, size[:kept], *arrays, *larger)
    return larger, used, np.concatenate([begins, first[kept:]])


@compiled
def _copy(first, to, count, kind, vertices, mollified, distance, new_kind, new_vertices, new_mollified, new_distance):
    for p in range(len(first)):
        for k in range(count[p]):
            s, t = first[p] + k, to[p] + k
            new_kind[t], new_mollified[t], new_distance[t] = kind[s], mollified[s], distance[s]
            for m in range(4):
                new_vertices[t, m] = vertices[s, m]
