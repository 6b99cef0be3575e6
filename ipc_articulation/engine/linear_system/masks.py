"""What is coupled in blocks of 12x12: masks, the nodes that they couple, and the graph of these.

Bit 4 a + b of a mask says that threes a of the row and b of the column are coupled. The four threes of an affine body
are one node of the graph. Those of a split row are four: the vertices of `tetrads`, of which few touch each other.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ipc_articulation.affine import DOF
from ipc_articulation.arrays import Ints
from ipc_articulation.compiled import compiled

ALL = 0xFFFF
OWN = 0x8421  # each three and itself


class Couplings(NamedTuple):
    """Pairs of nodes, and the parts of blocks (m, 12, 12) that couple them."""

    left: Ints  # (c,) node of the rows
    right: Ints  # (c,) node of the columns
    entry: Ints  # (c,) number of the first entry in the array of blocks


@compiled
def nodes(is_split):
    """Of each three of k rows its node, (4 k,), and the number of threes of each node."""
    node, weight, n = np.empty(4 * len(is_split), dtype=np.int64), np.empty(4 * len(is_split), dtype=np.int64), 0
    for i in range(len(is_split)):
        for a in range(4):
            node[4 * i + a] = n + (a if is_split[i] else 0)
        count = 4 if is_split[i] else 1
        weight[n : n + count] = 4 // count
        n += count
    return node, weight[:n]


@compiled
def couplings(is_split, node, rows, cols, masks):
    """What blocks at (rows, cols), (m,) each, couple; of those on the diagonal, which are symmetric, the upper half."""
    left, count = np.empty((3, 16 * len(rows)), dtype=np.int64), 0
    for m in range(len(rows)):
        i, j = rows[m], cols[m]
        for a in range(4 if is_split[i] else 1):
            for b in range(a if i == j else 0, 4 if is_split[j] else 1):
                if (masks[m] >> (4 * a + b)) & 1:
                    left[0, count], left[1, count] = node[4 * i + a], node[4 * j + b]
                    left[2, count] = DOF * DOF * m + 3 * (DOF * a + b)
                    count += 1
    return Couplings(left[0, :count], left[1, :count], left[2, :count])


@compiled
def graph(own, pairs, n):
    """The graph of n nodes: where the neighbours of each begin (n + 1,), and these."""
    left, right = np.concatenate((own.left, pairs.left)), np.concatenate((own.right, pairs.right))
    is_edge = left != right
    left, right = left[is_edge], right[is_edge]
    return grouped(np.concatenate((left, right)), np.concatenate((right, left)), n)


@compiled
def grouped(keys, values, n):
    """Sort values stably by keys (m,) in [0, n); those of key k are at [first[k] : first[k + 1]]: first, sorted."""
    first = np.zeros(n + 2, dtype=np.int64)
    for k in keys:
        first[k + 2] += 1
    first = np.cumsum(first)
    result = np.empty_like(values)
    for v in range(len(values)):
        result[first[keys[v] + 1]] = values[v]
        first[keys[v] + 1] += 1
    return first[:-1], result
