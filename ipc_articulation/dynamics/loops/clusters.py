"""The clusters of the tree's nodes, found from the loops.

The nodes of a loop make a cluster. A cluster has one parent node outside of it. If its nodes have several parents
outside, all nodes between these and their nearest common ancestor join the cluster, with the clusters to which they
belong. Every other node is a cluster by itself. So clusters make a tree; without loops, it is the tree of nodes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ipc_articulation.arrays import Ints
from ipc_articulation.dynamics.loops.constraint import LoopConstraint


@dataclass(frozen=True)
class Loop:
    """One constraint, and the indices of its coordinates."""

    name: str  # for messages
    joints: tuple[str, ...]  # (n,) names of the coordinates, see `numbered`
    constraint: LoopConstraint
    dofs: Ints  # (n,) among the spanning velocities
    q: Ints  # (n,) among the spanning positions
    x: slice  # among the robot's positions
    y: slice  # among the independent velocities


@dataclass(frozen=True)
class Clusters:
    """Nodes in the order of their clusters, parents first, and the coordinates of each cluster."""

    nodes: Ints  # (nodes,)
    first: Ints  # (clusters + 1,) index of each cluster's first node in `nodes`
    parent: Ints  # (clusters,) parent node of the cluster, -1: the world
    y: Ints  # (nv,) independent velocities, cluster by cluster
    first_y: Ints  # (clusters + 1,)

    @property
    def largest(self) -> int:
        """Largest number of independent velocities of a cluster."""
        return int(np.diff(self.first_y).max())


def find_clusters(tree: NDArray, loops: Sequence[Loop], free_dofs: Sequence[int], free_y: Sequence[int]) -> Clusters:
    """The clusters of a robot.

    Args:
        tree: Records of the spanning tree.
        loops: Its loops.
        free_dofs: Indices of coordinates in no loop, among the spanning velocities.
        free_y: Indices of the same coordinates among the independent velocities.
    """
    owner = np.repeat(np.arange(len(tree)), tree["nv"])  # node of each velocity
    group = np.arange(len(tree))  # the lowest node of each node's cluster
    for loop in loops:
        _join(tree["parent"], group, set(owner[loop.dofs].tolist()))
    order = _parents_first(tree["parent"], [np.flatnonzero(group == label) for label in np.unique(group)])
    free = dict(zip(free_dofs, free_y, strict=True))
    ys = [_independent(np.flatnonzero(np.isin(owner, nodes)), loops, free) for nodes in order]
    return Clusters(
        nodes=np.concatenate(order),
        first=np.cumsum([0, *map(len, order)]),
        parent=np.array([_outside(tree["parent"], nodes) for nodes in order], dtype=np.int64),
        y=np.concatenate(ys),
        first_y=np.cumsum([0, *map(len, ys)]),
    )


def _join(parent: Ints, group: Ints, nodes: set[int]) -> None:
    """Make one cluster of nodes, of the clusters to which they belong, and of the nodes between their parents."""
    while True:
        nodes = set(np.flatnonzero(np.isin(group, group[list(nodes)])).tolist())
        outside = {int(parent[node]) for node in nodes} - nodes
        if len(outside) == 1:
            group[list(nodes)] = min(nodes)
            return
        nodes |= _between(parent, outside)


def _between(parent: Ints, nodes: set[int]) -> set[int]:
    """All nodes from some nodes up to their nearest common ancestor, which is left out."""
    ways = [_way(parent, node) for node in nodes]
    common = set(ways[0]).intersection(*ways[1:])
    return {node for way in ways for node in way} - common - {-1}


def _way(parent: Ints, node: int) -> list[int]:
    way = [node]
    while way[-1] >= 0:
        way.append(int(parent[way[-1]]))
    return way


def _outside(parent: Ints, nodes: Ints) -> int:
    """The parent node of a cluster."""
    return int(next(p for p in parent[nodes] if p not in nodes))


def _parents_first(parent: Ints, members: list[Ints]) -> list[Ints]:
    placed, order, waiting = {-1}, [], list(members)
    while waiting:
        ready = next(nodes for nodes in waiting if _outside(parent, nodes) in placed)
        waiting = [nodes for nodes in waiting if nodes is not ready]
        placed |= set(ready.tolist())
        order.append(ready)
    return order


def _independent(dofs: Ints, loops: Sequence[Loop], free: dict[int, int]) -> Ints:
    """Independent velocities of the cluster that has some spanning velocities."""
    own = [free[dof] for dof in dofs.tolist() if dof in free]
    bound = [y for loop in loops if np.isin(loop.dofs, dofs).all() for y in range(loop.y.start, loop.y.stop)]
    return np.array([*own, *bound], dtype=np.int64)
