"""What pairs of bodies keep from step to step: contact resistances, and what friction remembers.

A pair i <= j of the N = n + P bodies and half-planes has the key i N + j; half-plane p counts as the body n + p.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ipc_articulation.arrays import Array, Bools, Ints
from ipc_articulation.compiled import compiled


class Held(NamedTuple):
    """Values of some pairs, sorted by their keys."""

    pairs: Ints  # (k,) keys
    values: Array  # (k,) or (k, m)


NOTHING_HELD = Held(np.zeros(0, dtype=np.int64), np.zeros(0))


@compiled
def place(pairs, key):
    """Row of a key among sorted ones, or -1."""
    at = np.searchsorted(pairs, key)
    return at if at < len(pairs) and pairs[at] == key else -1


def carried(held: Held, rows: Ints, planes: Ints, before: tuple[int, int]) -> Held:
    """What is held when bodies and half-planes come and go.

    Args:
        held: Before.
        rows: Where each body was, (n,), -1 for a new one.
        planes: The same of half-planes, (P,).
        before: Numbers of bodies and half-planes then.
    """
    N, was = sum(before), np.concatenate([rows, np.where(planes >= 0, before[0] + planes, -1)])
    place = np.full(N, -1)
    place[was[was >= 0]] = np.flatnonzero(was >= 0)
    i, j = place[held.pairs // N], place[held.pairs % N]
    stays = (i >= 0) & (j >= 0)
    keys = np.minimum(i, j)[stays] * len(was) + np.maximum(i, j)[stays]
    order = np.argsort(keys)
    return Held(keys[order], held.values[stays][order])


def without(held: Held, bodies: Bools, planes: int) -> Held:
    """What is held without the pairs of some bodies, (n,); there are P half-planes besides."""
    N = len(bodies) + planes
    gone = np.concatenate([bodies, np.zeros(planes, dtype=np.bool_)])
    stays = ~(gone[held.pairs // N] | gone[held.pairs % N])
    return Held(held.pairs[stays], held.values[stays])
