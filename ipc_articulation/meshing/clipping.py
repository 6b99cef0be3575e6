"""Tetrahedra cut by a surface: the parts inside, again as tetrahedra.

Each vertex is inside, on the surface or outside, and an edge from inside to outside has a cut point. What is left of a
tetrahedron is itself, a smaller one, a pyramid or a prism. The quadrangles of the last two are halved from the corner
with the smallest number, so that neighbours agree on every common face.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ipc_articulation.arrays import Ints

Cuts = Callable[[Ints, Ints], Ints]  # the numbers of the cut points of edges from inside (k,) to outside (k,)


def clipped(tetrahedra: Ints, sides: Ints, cuts: Cuts) -> Ints:
    """The tetrahedra inside a surface.

    Args:
        tetrahedra: (T, 4).
        sides: Of the vertices, (n,): 1 inside, 0 on the surface, -1 outside.
        cuts: Gives cut points.

    Returns:
        (k, 4); orientations are not kept.
    """
    order = np.argsort(-sides[tetrahedra], axis=1, kind="stable")
    tetrahedra = np.take_along_axis(tetrahedra, order, axis=1)  # inside first, outside last
    within, without = (sides[tetrahedra] == 1).sum(axis=1), (sides[tetrahedra] == -1).sum(axis=1)
    parts = [tetrahedra[(within > 0) & (without == 0)]]
    for count in (1, 2, 3):  # one vertex inside, `count` outside
        part = tetrahedra[(within == 1) & (without == count)]
        for corner in range(4 - count, 4):
            part = part.copy()
            part[:, corner] = cuts(part[:, 0], part[:, corner])
            if corner < 3:
                continue
        parts.append(part)
    a, b, z, d = tetrahedra[(within == 2) & (without == 1)].T
    parts.append(_pyramids(z, np.stack([a, b, cuts(b, d), cuts(a, d)], axis=1)))
    a, b, c, d = tetrahedra[(within == 2) & (without == 2)].T
    parts.append(_prisms(np.stack([a, cuts(a, c), cuts(a, d)], 1), np.stack([b, cuts(b, c), cuts(b, d)], 1)))
    a, b, c, d = tetrahedra[(within == 3) & (without == 1)].T
    parts.append(_prisms(np.stack([a, b, c], 1), np.stack([cuts(a, d), cuts(b, d), cuts(c, d)], 1)))
    return np.concatenate(parts)


def _pyramids(apex: Ints, base: Ints) -> Ints:
    """Tetrahedra of pyramids with an apex (k,) over quadrangles (k, 4), corner after corner around."""
    first = np.argmin(base, axis=1)[:, None]
    a, b, c, d = np.take_along_axis(base, (first + np.arange(4)) % 4, axis=1).T
    return np.concatenate([np.stack([apex, a, b, c], axis=1), np.stack([apex, a, c, d], axis=1)])


def _prisms(bottom: Ints, top: Ints) -> Ints:
    """Tetrahedra of prisms whose corners bottom[:, i] and top[:, i] (k, 3) are joined by an edge.

    Sort the edges such that the diagonal of each quadrangle goes from the bottom of the earlier edge to the top of the
    later one; then a staircase of three tetrahedra has these diagonals.
    """
    wins = np.zeros_like(bottom)
    for i in range(3):
        for j in range(3):
            if i != j:
                rising = np.minimum(bottom[:, i], top[:, j]) < np.minimum(bottom[:, j], top[:, i])
                wins[:, i] += rising
    order = np.argsort(-wins, axis=1, kind="stable")
    p, q = np.take_along_axis(bottom, order, axis=1), np.take_along_axis(top, order, axis=1)
    stairs = [[p[:, 0], p[:, 1], p[:, 2], q[:, 2]], [p[:, 0], p[:, 1], q[:, 1], q[:, 2]], [p[:, 0], *q.T]]
    return np.concatenate([np.stack(corners, axis=1) for corners in stairs])
