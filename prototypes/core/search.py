"""Candidates for contact: stencils that may come within reach on a way, kept while bodies move by less than a skin.

A search of a pair of bodies finds the stencils that are nearer than reach + skin where the bodies were, at y°. Later
points have come nearer to each other by at most

    |t_i - t_j| + max |y_a - y°_a - t_i| + max |y_b - y°_b - t_j|,    t the mean motion of a body's points.

While this is at most the skin at both ends of a straight way, no stencil is missing on it. A pair whose skin is used up
is searched anew, with all pairs of both bodies, from where they are now; the others stay as they are. Where a way is
longer than any sensible skin, it is searched itself, and what is found holds for this way alone. If more pairs of
leaves of both trees come near each other on it than where surfaces touch, only a quarter of the way is looked at.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ipc_articulation.arrays import Array, Bools, Ints
from ipc_articulation.compiled import compiled
from ipc_articulation.contact.soft.vertex_trees import meet_in_more
from ipc_articulation.contact.soft.vertex_trees import search as search_meshes
from prototypes.core.contact import PLANE, Stencils
from prototypes.core.stencils import distance

_AHEAD = 4.0  # skin in units of how much nearer a way brings two bodies
_LARGEST = 0.05, 0.5  # skin in units of a typical edge, of bodies that are stiff, and that are soft
_CROWD = 8  # pairs of leaves for each node of the trees
_MORE = 1.0 + 1e-6


class Candidates(NamedTuple):
    """The pairs that were searched and what was found, sorted by pairs."""

    y: Array  # (V, 3) y° [m]
    pair: Ints  # (P, 2) a body and another one, or B + p
    skin: Array  # (P,) [m]
    first: Ints  # (P + 1,) first stencil of each pair
    stencils: Stencils  # (K,), `least` being the distance at y°


@compiled
def nothing(scene, y):
    """No candidates yet."""
    none = np.empty(0, dtype=np.int64)
    stencils = Stencils(none.reshape(0, 2), none, none.reshape(0, 4), np.empty(0), np.empty(0), np.empty(0))
    return Candidates(y.copy(), none.reshape(0, 2), np.empty(0), np.zeros(1, dtype=np.int64), stencils)


@compiled
def boxes(points, y, ahead):
    """Corners (B, 3) each of the bodies' boxes on the way from y to ahead (V, 3)."""
    count = len(points.is_soft)
    low, high = np.full((count, 3), np.inf), np.full((count, 3), -np.inf)
    for b in range(count):
        for v in range(points.first[b], points.first[b + 1]):
            for k in range(3):
                low[b, k] = min(low[b, k], y[v, k], ahead[v, k])
                high[b, k] = max(high[b, k], y[v, k], ahead[v, k])
    return low, high


@compiled
def near_pairs(table, low, high, moving):
    """Pairs of bodies, or of a body and B + p, of which one moves, whose boxes are within reach; ascending."""
    count, reach, model, planes = len(low), table.reach, table.model, table.planes
    pairs, found = np.empty((64, 2), dtype=np.int64), 0
    for i in range(count):
        for j in range(i, count + len(planes)):
            if j < count:
                if low[i, 0] - high[j, 0] > reach or low[j, 0] - high[i, 0] > reach:
                    continue
                if low[i, 1] - high[j, 1] > reach or low[j, 1] - high[i, 1] > reach:
                    continue
                if low[i, 2] - high[j, 2] > reach or low[j, 2] - high[i, 2] > reach:
                    continue
            elif _lowest(planes[j - count], low[i], high[i]) > reach:
                continue
            if model[i, j] >= 0 and (moving[i] or (j < count and moving[j])):
                if found == len(pairs):
                    pairs = np.concatenate((pairs, np.empty_like(pairs)))
                pairs[found, 0], pairs[found, 1] = i, j
                found += 1
    return pairs[:found]


@compiled
def _lowest(plane, low, high):
    """The distance of a box from a half-plane."""
    lowest = -plane[3]
    for k in range(3):
        lowest += plane[k] * (low[k] if plane[k] > 0.0 else high[k])
    return lowest


@compiled
def _drift(points, known, y, means, rests):
    """Fill the mean motions t (B, 3) since y°, and the largest motions beside them, (B,)."""
    for b in range(len(means)):
        first, last = points.first[b], points.first[b + 1]
        means[b], rests[b] = 0.0, 0.0
        for v in range(first, last):
            for k in range(3):
                means[b, k] += (y[v, k] - known[v, k]) / (last - first)
        for v in range(first, last):
            square = 0.0
            for k in range(3):
                square += (y[v, k] - known[v, k] - means[b, k]) ** 2
            rests[b] = max(rests[b], square)
        rests[b] = np.sqrt(rests[b])


@compiled
def _approach(scene, i, j, means, rests):
    """How much nearer the pair has come at most."""
    if j >= len(rests):
        along = 0.0
        for k in range(3):
            along -= scene.table.planes[j - len(rests), k] * means[i, k]
        return rests[i] + max(along, 0.0)
    square = 0.0
    for k in range(3):
        square += (means[i, k] - means[j, k]) ** 2
    return np.sqrt(square) + rests[i] + rests[j]


@compiled
def cover(scene, known, y, ahead, near):
    """Candidates that hold on the way from y to ahead, (V, 3) each, for near pairs (k, 2), ascending.

    Returns:
        The candidates, and how much nearer each of their pairs may come than at y°, (P,) [m].
    """
    points, table, bodies = scene.points, scene.table, len(scene.points.is_soft)
    means, rests = np.empty((2, bodies, 3)), np.empty((2, bodies))
    _drift(points, known.y, y, means[0], rests[0])
    _drift(points, known.y, ahead, means[1], rests[1])
    place, is_old = np.full(len(near), -1), np.zeros(bodies, dtype=np.bool_)
    p, is_missing = 0, False
    for k in range(len(near)):
        while p < len(known.pair) and _is_less(known.pair, p, near, k):
            p += 1
        if p < len(known.pair) and known.pair[p, 0] == near[k, 0] and known.pair[p, 1] == near[k, 1]:
            i, j = near[k, 0], near[k, 1]
            e = max(_approach(scene, i, j, means[0], rests[0]), _approach(scene, i, j, means[1], rests[1]))
            if e <= known.skin[p]:
                place[k] = p
            else:
                is_old[i] = not points.is_fixed[i]
                if j < bodies:
                    is_old[j] = not points.is_fixed[j]
        is_missing |= place[k] < 0
    if is_missing:
        for b in range(bodies):
            if is_old[b]:
                for v in range(points.first[b], points.first[b + 1]):
                    for k in range(3):
                        known.y[v, k] = y[v, k]
        _drift(points, known.y, y, means[0], rests[0])
        _drift(points, known.y, ahead, means[1], rests[1])
        known = _searched(scene, known, near, place, is_old, means, rests, y, ahead)
    nearer = np.empty(len(known.pair))
    for p in range(len(known.pair)):
        i, j = known.pair[p, 0], known.pair[p, 1]
        nearer[p] = max(_approach(scene, i, j, means[0], rests[0]), _approach(scene, i, j, means[1], rests[1]))
    return known, nearer


@compiled
def _is_less(left, p, right, k):
    return left[p, 0] < right[k, 0] or (left[p, 0] == right[k, 0] and left[p, 1] < right[k, 1])


@compiled
def _searched(scene, known, near, place, is_old, means, rests, y, ahead):
    """The candidates with those of near pairs without a place, or with an old body, anew; others that are not near go."""
    bodies, table = len(is_old), scene.table
    count, is_soft = len(near), scene.points.is_soft
    skin, new, to = np.empty(count), np.empty((count, 2), dtype=np.int64), 0
    distances, new_place, is_on_way = np.empty(count), np.full(count, -1), np.zeros(bodies, dtype=np.bool_)
    for k in range(count):
        i, j = near[k, 0], near[k, 1]
        if is_old[i] or (j < bodies and is_old[j]):
            place[k] = -1
        if place[k] >= 0:
            skin[k] = known.skin[place[k]]
            continue
        e = max(_approach(scene, i, j, means[0], rests[0]), _approach(scene, i, j, means[1], rests[1]))
        largest = largest_skin(scene, i, j)
        is_long = j < bodies and e > largest
        skin[k] = -1.0 if is_long else max(min(_AHEAD * e, largest), 1.01 * e, table.reach)
        if j < bodies:
            new[to, 0], new[to, 1], distances[to], new_place[k] = i, j, table.reach + max(skin[k], 0.0), to
            is_on_way[i] |= is_long
            is_on_way[j] |= is_long
            to += 1
    mesh, start, end = scene.mesh, known.y, known.y
    if np.any(is_on_way):
        start, end = known.y.copy(), known.y.copy()
        for b in range(bodies):
            if is_on_way[b]:
                for v in range(scene.points.first[b], scene.points.first[b + 1]):
                    for k in range(3):
                        start[v, k], end[v, k] = y[v, k], ahead[v, k]
    of_mesh = mesh.trees, mesh.edges, mesh.faces, mesh.dimension, mesh.squares
    found = search_meshes(new[:to], *of_mesh, start, end, distances[:to])
    sizes = np.zeros(to + 1, dtype=np.int64)
    for s in range(len(found[0])):
        sizes[found[0][s] + 1] += 1
    begin = np.cumsum(sizes)
    room = 0
    for k in range(count):
        i = near[k, 0]
        if place[k] >= 0:
            room += known.first[place[k] + 1] - known.first[place[k]]
        elif new_place[k] >= 0:
            room += begin[new_place[k] + 1] - begin[new_place[k]]
        else:
            room += scene.points.first[i + 1] - scene.points.first[i]
    old, first = known.stencils, np.zeros(count + 1, dtype=np.int64)
    pair, kind, vertices = np.empty((room, 2), dtype=np.int64), np.empty(room, dtype=np.int64), np.empty((room, 4), dtype=np.int64)
    mollified, foreseen, apart, at = np.zeros(room), np.full(room, np.nan), np.empty(room), 0
    w, n = np.empty(4), np.empty(3)
    for k in range(count):
        i, j = near[k, 0], near[k, 1]
        if place[k] >= 0:
            for s in range(known.first[place[k]], known.first[place[k] + 1]):
                kind[at], mollified[at], foreseen[at], apart[at] = old.kind[s], old.mollified[s], old.foreseen[s], old.least[s]
                vertices[at] = old.vertices[s]
                at += 1
        elif new_place[k] >= 0:
            for s in range(begin[new_place[k]], begin[new_place[k] + 1]):
                kind[at], mollified[at] = found[1][s], found[3][s]
                vertices[at] = found[2][s]
                apart[at] = distance(kind, vertices, at, known.y, table.planes, w, n) if skin[k] > 0.0 else 0.0
                at += 1
        else:
            for v in range(scene.points.first[i], scene.points.first[i + 1]):
                kind[at], vertices[at, 0], vertices[at, 1] = PLANE, v, j - bodies
                vertices[at, 2] = vertices[at, 3] = 0
                apart[at] = distance(kind, vertices, at, known.y, table.planes, w, n)
                if apart[at] < table.reach + skin[k]:
                    at += 1
        for s in range(first[k], at):
            pair[s, 0], pair[s, 1] = i, j
        first[k + 1] = at
    stencils = Stencils(pair[:at], kind[:at], vertices[:at], mollified[:at], foreseen[:at], apart[:at])
    return Candidates(known.y, near.copy(), skin, first, stencils)


@compiled
def looked_at(table, known, nearer):
    """The stencils that may come within reach, and their places among the candidates, (k,)."""
    all_, count = known.stencils, 0
    some, least = np.empty(len(all_.kind), dtype=np.int64), np.empty(len(all_.kind))
    for p in range(len(known.pair)):
        for s in range(known.first[p], known.first[p + 1]):
            least[count] = all_.least[s] - _MORE * nearer[p]
            if least[count] < table.reach:
                some[count] = s
                count += 1
    some = some[:count]
    columns = all_.pair[some], all_.kind[some], all_.vertices[some], all_.mollified[some], all_.foreseen[some]
    return Stencils(*columns, least[:count]), some


@compiled
def largest_skin(scene, i, j):
    """Of a pair of bodies; with a larger one there are too many candidates [m]."""
    is_soft = scene.points.is_soft
    is_any = is_soft[i] or (j < len(is_soft) and is_soft[j])
    return max(scene.table.reach, (_LARGEST[1] if is_any else _LARGEST[0]) * scene.mesh.size)


@compiled
def crowded(scene, y, ahead, near):
    """Bodies (B,) that pass too much of each other on the way from y to ahead, (V, 3) each."""
    points, trees, count = scene.points, scene.mesh.trees, len(scene.points.is_soft)
    means, rests = np.empty((count, 3)), np.empty(count)
    _drift(points, y, ahead, means, rests)
    long, size = np.empty((len(near), 2), dtype=np.int64), 0
    most = np.empty(len(near))
    for k in range(len(near)):
        i, j = near[k, 0], near[k, 1]
        if j < count and _approach(scene, i, j, means, rests) > largest_skin(scene, i, j):
            long[size, 0], long[size, 1] = i, j
            most[size] = _CROWD * (trees.first[i + 1] - trees.first[i] + trees.first[j + 1] - trees.first[j])
            size += 1
    result = np.zeros(count, dtype=np.bool_)
    if size:
        reach = np.full(size, scene.table.reach)
        is_more = meet_in_more(long[:size], trees, scene.mesh.faces, y, ahead, reach, most[:size])
        for k in range(size):
            if is_more[k]:
                result[long[k, 0]] = result[long[k, 1]] = True
    return result
