"""Right sides and steps of split rows, whose unknowns are the coordinates of vertices, for numba.

With the labels of `tetrads` x₀ = p, x_s = p + A e_s, so

    gradients:  g_p = Σ g_s,  g_Ae_s = g_s,       steps:  dp = dx₀,  dA e_s = dx_s - dx₀.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.affine import DOF
from ipc_articulation.compiled import compiled


@compiled
def by_vertices(is_split, b):
    """A right side (k, 12), where rows are split by their vertices."""
    result = b.copy()
    for i in range(len(b)):
        if is_split[i]:
            for c in range(3):
                for s in range(1, 4):
                    result[i, 3 * s + c] = b[i, 2 + 3 * c + s]
                    result[i, c] -= b[i, 2 + 3 * c + s]
    return result


@compiled
def ordered(pattern, b):
    """A right side by vertices (k, 12) in the order of elimination, (12 k,)."""
    x = np.empty(b.size)
    for i in range(len(b)):
        for c in range(DOF):
            x[3 * pattern.threes[4 * i + c // 3] + c % 3] = b[i, c]
    return x


@compiled
def in_rows(pattern, x):
    """The solution (12 k,), in the order of elimination and by vertices, as a step (k, 12)."""
    result = np.empty((len(pattern.is_split), DOF))
    for i in range(len(result)):
        at = 3 * pattern.threes[4 * i : 4 * i + 4]
        for c in range(DOF):
            if c < 3 or not pattern.is_split[i]:
                result[i, c] = x[at[c // 3] + c % 3]
            else:
                s, k = 1 + c % 3, c // 3 - 1
                result[i, c] = x[at[s] + k] - x[at[0] + k]
    return result
