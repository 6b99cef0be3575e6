"""What is coupled in blocks of 12x12: masks, the nodes that they couple, and the graph of these.

Bit 4 a + b of a mask says that threes a of the row and b of the column are coupled. The four threes of an affine body
are one node of the graph. Those of a split row are four: the vertices of `tetrads`, of which few touch each other.
"""

from __future__ import annotations


import numpy as np

from ipc_articulation.compiled import compiled











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
