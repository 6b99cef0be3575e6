"""Coordinates q of affine bodies, p and then A by rows, and their nodes, p and the columns of A: a permutation."""

from __future__ import annotations

import numpy as np

from ipc_articulation.affine import DOF
from ipc_articulation.compiled import compiled

PLACE = np.array([0, 1, 2, *(3 * (1 + c) + k for k in range(3) for c in range(3))])  # of q's numbers among the nodes'


@compiled
def coordinates(x, affine):
    """q (A, 12) of nodes x (N, 3), or the change of q for that of x."""
    q = np.empty((affine, DOF))
    for b in range(affine):
        write_coordinates(x, b, q[b])
    return q


@compiled
def write_coordinates(x, b, q):
    """Write q (12,) of one body."""
    for k in range(3):
        q[k] = x[4 * b, k]
        for c in range(3):
            q[3 + 3 * k + c] = x[4 * b + 1 + c, k]


@compiled
def write_nodes(q, x):
    """Write the nodes of q (A, 12), the inverse of `coordinates`, or those of a force on q."""
    for b in range(len(q)):
        for i in range(DOF):
            x[4 * b + PLACE[i] // 3, PLACE[i] % 3] = q[b, i]
