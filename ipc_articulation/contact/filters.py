"""ipctk collision filters from a matrix of body pairs.

ipctk asks of every pair of vertices whether they may collide. A Python answer is slow and not thread-safe, so the
matrix is expressed through ipctk's own C++ filters: a «patches» filter lets through pairs of vertices with different
labels, and filters combine with & and |.

Bodies whose rows of the matrix are alike are of one kind. The pairs of kinds that must not pass are covered by a few
partitions of the kinds into cliques («nobody in here touches another kind in here»), each one patches filter.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Bools = NDArray[np.bool_]
Labels = NDArray[np.int64]


def make_pair_filter(allowed: Bools, body: Labels) -> Any:
    """The filter that lets vertices v, w collide exactly where allowed[body[v], body[w]].

    Args:
        allowed: (n, n), symmetric, false on the diagonal.
        body: Body of every vertex, (V,).
    """
    import ipctk

    def patches(labels: Labels) -> Any:
        return ipctk.make_vertex_patches_filter(labels[body].astype(np.int32))

    kind, kinds_allowed = _kinds(allowed)
    result = patches(_labels_within_kinds(allowed, kind))
    for labels in clique_partitions(~kinds_allowed):
        result = result & (patches(labels[kind]) | ~patches(kind))
    return result


def clique_partitions(blocked: Bools) -> list[Labels]:
    """Partitions of k kinds into cliques that together cover every blocked pair, and cover no other.

    Greedy: each partition takes as many uncovered pairs as it can.

    Args:
        blocked: (k, k), symmetric; the diagonal does not count.

    Returns:
        Labels, (k,) each; two kinds with equal labels in some partition are exactly the blocked ones.
    """
    uncovered = np.triu(blocked, 1)
    partitions = []
    while uncovered.any():
        labels = np.full(len(blocked), -1)
        for first in range(len(blocked)):
            if labels[first] < 0:
                labels[_grow_clique(first, blocked, uncovered, labels < 0)] = first
        uncovered &= labels[:, None] != labels[None, :]
        partitions.append(labels)
    return partitions


def _grow_clique(first: int, blocked: Bools, uncovered: Bools, free: Bools) -> list[int]:
    clique = [first]
    for other in np.flatnonzero(free):
        new = uncovered[clique, other] | uncovered[other, clique]
        if other != first and blocked[clique, other].all() and new.any():
            clique.append(int(other))
    return clique


def _kinds(allowed: Bools) -> tuple[Labels, Bools]:
    """Kind of every body, and the matrix of the kinds; alike are bodies whose rows agree but for the two themselves."""
    n = len(allowed)
    kind = np.full(n, -1)
    representatives: list[int] = []
    for body in range(n):
        for k, other in enumerate(representatives):
            differs = allowed[body] != allowed[other]
            differs[[body, other]] = False
            if not differs.any():
                kind[body] = k
                break
        else:
            kind[body] = len(representatives)
            representatives.append(body)
    return kind, allowed[np.ix_(representatives, representatives)]


def _labels_within_kinds(allowed: Bools, kind: Labels) -> Labels:
    """Labels that block a body with itself, and the bodies of a kind with each other where they do not touch."""
    labels = np.arange(len(kind))
    for k in np.unique(kind):
        members = np.flatnonzero(kind == k)
        if len(members) > 1 and not allowed[members[0], members[1]]:
            labels[members] = members[0]
    return labels
