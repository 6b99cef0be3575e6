"""The tangential springs that friction of soft bodies remembers, one for each stencil (see `spring_law`).

A stencil has the key (kind, a, b, c, d): two edges (EDGES, a, b, c, d), a vertex and a face (FACE, a, b, c, d), or a
vertex and a half-plane (PLANE, a, 0, p, 0). The vertices are those of `Surfaces`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from ipc_articulation.arrays import Array, Bools, Ints
from ipc_articulation.compiled import compiled
from ipc_articulation.contact.closest_points import EDGES

FACE, PLANE = 1, 2  # kinds besides EDGES
LENGTH = 1e-2  # δ/d̂: with that of affine bodies, a tenth of it, Newton's method takes a quarter more iterations


class Springs(NamedTuple):
    """The springs at k stencils, sorted by these."""

    stencils: Ints  # (k, 5)
    stretches: Array  # (k, 4) s [m], and the weight μ λ that it had last


NO_SPRINGS = Springs(np.zeros((0, 5), dtype=np.int64), np.zeros((0, 4)))


def joined(parts: Iterable[Springs], count: int) -> Springs:
    """The springs of several lists, of a scene with V = count vertices."""
    parts = [part for part in parts if len(part.stencils)]
    if not parts:
        return NO_SPRINGS
    stencils, stretches = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    order = np.lexsort(keys(stencils, count)[::-1])
    return Springs(stencils[order], stretches[order])


def without(springs: Springs, body: Ints, moved: Bools) -> Springs:
    """The springs that hold at no vertex of some bodies, (n,); body (V,) is that of each vertex."""
    stays = ~moved[body][_vertices(springs)].any(axis=1)
    return Springs(springs.stencils[stays], springs.stretches[stays])


def carried(springs: Springs, rows: Ints, planes: Ints, first: Ints, new_first: Ints) -> Springs:
    """The springs when bodies and half-planes come and go.

    Args:
        springs: Before.
        rows: Where each body was, (n,), -1 for a new one.
        planes: The same of half-planes, (P,).
        first: The first vertex of each body and the number of vertices then, (m + 1,).
        new_first: The same now, (n + 1,).
    """
    place = np.full(first[-1], -1)
    for now, was in enumerate(rows.tolist()):
        if was >= 0:
            place[first[was] : first[was + 1]] = np.arange(new_first[now], new_first[now + 1])
    at = place[_vertices(springs)]
    stays, stencils, is_plane = (at >= 0).all(axis=1), springs.stencils.copy(), springs.stencils[:, 0] == PLANE
    stencils[is_plane, 1], stencils[~is_plane, 1:] = at[is_plane, 0], at[~is_plane]
    of_plane = np.full(len(stencils), -1)
    found, new_plane = np.nonzero(is_plane[:, None] & (stencils[:, 3:4] == planes))
    of_plane[found] = new_plane
    stencils[is_plane, 3] = of_plane[is_plane]
    stays &= ~is_plane | (of_plane >= 0)
    return joined([Springs(stencils[stays], springs.stretches[stays])], int(new_first[-1]))


def _vertices(springs: Springs) -> Ints:
    """The vertices of each stencil, (k, 4); that at a half-plane four times."""
    own = springs.stencils[:, 1:]
    return np.where(springs.stencils[:, :1] == PLANE, own[:, :1], own)


@compiled
def key(kind, a, b, c, d, count):
    """Two numbers for a stencil of a scene with V = count vertices, less than 2³⁰."""
    return (kind * count + a) * count + b, c * count + d


@compiled
def keys(stencils, count):
    """The same for stencils (k, 5): (k,), (k,)."""
    first, second = np.empty(len(stencils), dtype=np.int64), np.empty(len(stencils), dtype=np.int64)
    for k in range(len(stencils)):
        s = stencils[k]
        first[k], second[k] = key(s[0], s[1], s[2], s[3], s[4], count)
    return first, second


@compiled
def place(first, second, wanted):
    """Row of a key among sorted ones (k,), or -1."""
    at = np.searchsorted(first, wanted[0])
    while at < len(first) and first[at] == wanted[0]:
        if second[at] == wanted[1]:
            return at
        at += 1
    return -1


@compiled
def kind_of(kind):
    """EDGES or FACE of a stencil's kind (see `Stencils`)."""
    return EDGES if kind == EDGES else FACE
