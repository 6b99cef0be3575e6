"""What is coupled in a block of 12x12: masks, and the graph that they make.

Bit 4 a + b of a mask says that threes a of the row and b of the column are coupled. The four threes of an affine body
are one node of the graph. Those of a split row are four: the vertices of `tetrads`, of which few touch each other.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.compiled import compiled

ALL = 0xFFFF


@compiled
def nodes_of(is_split, rows, cols, own_masks, masks):
    """The graph of a system, see `front_pattern` for the arguments.

    Returns:
        node (4 k,): Of each three.
        weight (n,): Number of threes of a node.
        begin (n + 1,), neighbours: A node touches neighbours[begin[i] : begin[i + 1]].
    """
    node = np.empty(4 * len(is_split), dtype=np.int64)
    n = 0
    for i in range(len(is_split)):
        for a in range(4):
            node[4 * i + a] = n + (a if is_split[i] else 0)
        n += 4 if is_split[i] else 1
    weight = np.zeros(n, dtype=np.int64)
    for t in range(len(node)):
        weight[node[t]] += 1
    begin, following = np.zeros(n + 2, dtype=np.int64), np.zeros(0, dtype=np.int64)
    neighbours = np.zeros(0, dtype=np.int64)
    for is_counted in (False, True):  # first they are counted, then listed
        if is_counted:
            begin = np.cumsum(begin)
            neighbours, following = np.empty(begin[-1], dtype=np.int64), begin[1:].copy()
        for i in range(len(is_split)):
            if is_split[i]:
                for a in range(4):
                    for b in range(a + 1, 4):
                        if (own_masks[i] >> (4 * a + b)) & 1:
                            _couple(node[4 * i + a], node[4 * i + b], is_counted, begin, following, neighbours)
        for m in range(len(rows)):
            i, j = rows[m], cols[m]
            for a in range(4 if is_split[i] else 1):
                for b in range(4 if is_split[j] else 1):
                    if (masks[m] >> (4 * a + b)) & 1:
                        _couple(node[4 * i + a], node[4 * j + b], is_counted, begin, following, neighbours)
    return node, weight, begin[1:], neighbours


@compiled
def _couple(left, right, is_counted, begin, following, neighbours):
    """Count an edge in begin[2 + i], or list it."""
    for i, j in ((left, right), (right, left)):
        if is_counted:
            neighbours[following[i]] = j
            following[i] += 1
        else:
            begin[i + 2] += 1
