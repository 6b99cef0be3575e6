"""Small loops over rows of (n, 12) arrays for which numpy is slow: reductions along short axes, scattered sums."""

from __future__ import annotations

import numpy as np

from ipc_articulation.affine import DOF
from ipc_articulation.compiled import compiled


@compiled
def are_finite(a):
    """Returns: whether all entries are finite."""
    for b in range(len(a)):
        for i in range(a.shape[1]):
            if not np.isfinite(a[b, i]):
                return False
    return True


@compiled
def advanced(q, alpha, dq):
    """Returns: the coordinates (n, 12) after the fraction alpha (n,) of each body's step dq (n, 12), and that step."""
    after, step = np.empty_like(q), np.empty_like(q)
    for b in range(len(q)):
        for i in range(DOF):
            step[b, i] = alpha[b] * dq[b, i]
            after[b, i] = q[b, i] + step[b, i]
    return after, step


@compiled
def largest_of_matrix(dq):
    """Largest change of an entry of A in coordinates (n, 12), (n,)."""
    best = np.zeros(len(dq))
    for b in range(len(dq)):
        for i in range(3, DOF):
            best[b] = max(best[b], abs(dq[b, i]))
    return best


@compiled
def largest_position(q):
    """Largest magnitude of an entry of p in coordinates (n, 12), (n,)."""
    best = np.zeros(len(q))
    for b in range(len(q)):
        for i in range(3):
            best[b] = max(best[b], abs(q[b, i]))
    return best


@compiled
def smallest(values, mask, otherwise):
    """The minimum of the values (n,) in a mask (n,) and another value."""
    least = otherwise
    for b in range(len(values)):
        if mask[b]:
            least = min(least, values[b])
    return least


@compiled
def add_at(sums, where, values):
    """Add values (m,), one after the other, to the entries `where` (m,) of sums (n,)."""
    for k in range(len(where)):
        sums[where[k]] += values[k]


@compiled
def add_to_pairs(g, bodies, factor, values):
    """Add factor (m,) times values (m, 24) of pairs of bodies (m, 2) to the rows of g (n, 12)."""
    for k in range(len(bodies)):
        for i in range(DOF):
            g[bodies[k, 0], i] += factor[k] * values[k, i]
            g[bodies[k, 1], i] += factor[k] * values[k, DOF + i]
