"""Warns of affine bodies that a load crushes.

The energy κ V |AᵀA - 1|² that keeps a body's shape is finite where a column of A is zero, and has no gradient along it:
what is flat once may stay flat.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ipc_articulation.arrays import Array, Bools
from ipc_articulation.compiled import compiled

_SHARE = 0.5  # of its volume, below which a body counts as crushed


def crushed(before: Array, after: Array, is_affine: Bools, names: Sequence[str]) -> list[str]:
    """A warning for each body that a step from coordinates (n, 12) to others has crushed, and not one before."""
    return [
        f"'{names[body]}' is crushed to {share:.2g} of its volume: it is too soft for what presses or drives it; "
        f"raise its stiffness (kappa)"
        for body, share in zip(*newly_crushed(before, after, is_affine), strict=True)
    ]


@compiled
def newly_crushed(before, after, is_affine):
    """The bodies, and det A."""
    bodies, shares = np.empty(len(after), dtype=np.int64), np.empty(len(after))
    count = 0
    for b in range(len(after)):
        if is_affine[b]:
            share = _volume(after[b])
            if share < _SHARE <= _volume(before[b]):
                bodies[count], shares[count] = b, share
                count += 1
    return bodies[:count], shares[:count]


@compiled
def _volume(q):
    """Det A of q = (p, rows of A)."""
    return (
        q[3] * (q[7] * q[11] - q[8] * q[10]) - q[4] * (q[6] * q[11] - q[8] * q[9]) + q[5] * (q[6] * q[10] - q[7] * q[9])
    )
