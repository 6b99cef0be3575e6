"""Which bodies may touch: all pairs as a matrix, and lists of partners where they are few, as in many environments."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ipc_articulation.arrays import Bools, Ints

_FEW = 16  # where fewer than 1/16 of all pairs may touch, lists are faster than a sweep


class Allowed(NamedTuple):
    """The pairs of n bodies that may touch."""

    pairs: Bools  # (n, n) symmetric
    are_few: bool
    first: Ints  # (n + 1,) of each body its first partner in `partners`; zeros if they are not few
    partners: Ints  # bodies that a body may touch, itself and those after it

    @staticmethod
    def of(pairs: Bools) -> Allowed:
        """Of a symmetric matrix (n, n)."""
        are_few = bool(_FEW * np.count_nonzero(pairs) < pairs.size)
        i, j = np.nonzero(np.triu(pairs)) if are_few else (np.zeros(0, dtype=np.int64),) * 2
        first = np.searchsorted(i, np.arange(len(pairs) + 1)).astype(np.int64)
        return Allowed(np.ascontiguousarray(pairs), are_few, first, j.astype(np.int64))
