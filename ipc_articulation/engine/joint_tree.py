"""A spanning forest of the bodies that joints hold together."""

from __future__ import annotations

import numpy as np

from ipc_articulation.arrays import Bools, Ints
from ipc_articulation.signals import interrupts_deferred


def joint_tree(joints: Ints, is_fixed: Bools) -> tuple[Ints, Ints]:
    """A forest of the bodies that joints hold together in pairs (m, 2), with fixed bodies at its roots.

    Returns:
        All n bodies, parents before their children, and the parent of each, (n,), -1 for none.
    """
    n, fixed = len(is_fixed), np.flatnonzero(is_fixed)
    if not len(joints):
        return np.concatenate([fixed, np.flatnonzero(~is_fixed)]), np.full(n, -1)
    with interrupts_deferred:
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import breadth_first_order
    rows, cols = np.concatenate([joints[:, 0], np.full(len(fixed), n)]), np.concatenate([joints[:, 1], fixed])
    graph = coo_array((np.ones(len(rows)), (rows, cols)), shape=(n + 1, n + 1)).tocsr()
    trees, parent = [], np.full(n + 1, -1)
    seen = np.zeros(n + 1, dtype=np.bool_)
    for root in (n, *range(n)):  # the first is no body: all fixed ones hang on it
        if not seen[root]:
            tree, before = breadth_first_order(graph, root, directed=False)
            trees.append(tree)
            parent[tree[1:]], seen[tree] = before[tree[1:]], True
    order = np.concatenate(trees)
    return order[order < n].astype(np.int64), np.where(parent == n, -1, parent)[:n].astype(np.int64)
