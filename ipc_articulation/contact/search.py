"""Candidates for contact: stencils that may come within reach on a way, kept while bodies move by less than a skin.

A search of a pair of bodies finds the stencils that are nearer than reach + skin at y°. Later its points have come
nearer to each other by at most

    max |y_a - y°_a - t| + max |y_b - y°_b - t|,    t the mean motion of the points of the first body;

points of a hull are enough, because motions of affine bodies are linear. While this is at most the skin at both ends of
a straight way, no stencil is missing on it. Where a way is longer than any sensible skin, it is searched itself, from
y° to y°°: then all places y° + s (y°° - y°) are as good as y°, with one s for both bodies. If more pairs of leaves of
both trees come near each other on it than where surfaces touch, only a quarter of the way is looked at.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ipc_articulation.arrays import Array, Bools, Ints
from ipc_articulation.compiled import compiled
from ipc_articulation.contact.barriers import PLANE, Stencils, chosen, no_stencils
from ipc_articulation.contact.face_trees import box_of_both, box_of_leaf, node_box
from ipc_articulation.contact.models import fill, that_touch
from ipc_articulation.contact.nodes import write_coordinates
from ipc_articulation.contact.primitive_pairs import keep_apart, open_nodes, primitives_of_leaves, with_room_for
from ipc_articulation.contact.primitive_stencils import columns_of
from ipc_articulation.contact.staying_apart import come_near
from ipc_articulation.contact.stencils import distance, place_points
from ipc_articulation.references import by_reference

_AHEAD = 4.0  # skin in units of how much nearer a way brings two bodies
_BESIDE = 0.25  # skin of a long way in units of the largest
_LARGEST = 0.03, 0.5  # skin in units of a typical size, of stiff bodies, and of an edge where one is soft
_CROWD = 8  # pairs of leaves for each node of the trees
_MORE = 1.0 + 1e-6


class _Candidates(NamedTuple):
    """The P pairs that were searched and what was found, sorted by pairs."""

    pair: Ints  # (P, 2) a body and another one, or B + p
    skin: Array  # (P,) [m]
    is_way: Bools  # (P,) whether y° and y°° differ
    at: Ints  # (P + 1,) hull points of both bodies of each pair, as rows of the next one
    hull: Array  # (Q, 2, 3) y° and y°° [m]
    first: Ints  # (P + 1,) first stencil of each pair
    stencils: Stencils  # (K,), `least` being the distance at y°
    points: Ints  # (k,) of affine bodies in these stencils, which are not those of hulls anyway
    searches: Ints  # (2,) how many pairs were searched so far, and how many of these on their way


CandidatesType, Candidates = by_reference(_Candidates, __name__)


class _Sought(NamedTuple):
    """Near pairs of bodies, of which some are known."""

    near: Ints  # (k, 2)
    place: Ints  # (k,) among the known ones, -1: to be searched
    is_way: Bools  # (k,) whether on its way
    skin: Array  # (k,) [m]


@compiled
def nothing():
    """No candidates yet."""
    none, nowhere = np.empty(0, dtype=np.int64), np.empty(0)
    zero, nobody = np.zeros(1, dtype=np.int64), np.empty(0, dtype=np.bool_)
    at = zero, nowhere.reshape(0, 2, 3), zero
    return Candidates(none.reshape(0, 2), nowhere, nobody, *at, no_stencils(), none, np.zeros(2, dtype=np.int64))


@compiled
def boxes(points, y, ahead):
    """Corners (B, 3) each of the bodies' boxes on the way from y to ahead (V, 3)."""
    count = len(points.is_soft)
    low, high = np.full((count, 3), np.inf), np.full((count, 3), -np.inf)
    for b in range(count):
        for v in range(points.hull[b, 0], points.hull[b, 1]):
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
def _approach(begin, places, of_way, hull, y, first, planes, t):
    """How much nearer than at y° or on the way from there two bodies, or one and a half-plane, have come at y at most.

    Args:
        begin: Their first row in `places`.
        places: y° and y°°, (Q, 2, 3) [m].
        of_way: Whether these differ.
        hull: Ranges of their hull points in y, (2, 2); the second is empty for a half-plane.
        y: Points [m].
        first: The half-plane's number, -1: none.
        planes: (P, 4).
        t: Scratch (3,).
    """
    share, count = 0.0, hull[0, 1] - hull[0, 0]
    if of_way:
        along, square, at = 0.0, 0.0, begin
        for side in range(2):
            for v in range(hull[side, 0], hull[side, 1]):
                for k in range(3):
                    way = places[at, 1, k] - places[at, 0, k]
                    along += way * (y[v, k] - places[at, 0, k])
                    square += way * way
                at += 1
        share = min(max(along / square, 0.0), 1.0) if square > 0.0 else 0.0
    for k in range(3):
        t[k] = 0.0
        for c in range(count):
            at = begin + c
            t[k] += (y[hull[0, 0] + c, k] - places[at, 0, k] - share * (places[at, 1, k] - places[at, 0, k])) / count
    at, total = begin, 0.0
    for side in range(2):
        worst = 0.0
        for v in range(hull[side, 0], hull[side, 1]):
            square = 0.0
            for k in range(3):
                before = places[at, 0, k] + share * (places[at, 1, k] - places[at, 0, k])
                square += (y[v, k] - before - t[k]) ** 2
            worst = max(worst, square)
            at += 1
        total += np.sqrt(worst)
    if first >= 0:
        total += max(-planes[first, 0] * t[0] - planes[first, 1] * t[1] - planes[first, 2] * t[2], 0.0)
    return total


@compiled
def _write_hull(points, i, j, hull):
    """Write the ranges of hull points of a pair, see `_approach`; returns their number, and the half-plane or -1."""
    bodies = len(points.is_soft)
    hull[0, 0], hull[0, 1] = points.hull[i, 0], points.hull[i, 1]
    hull[1, 0], hull[1, 1] = (points.hull[j, 0], points.hull[j, 1]) if j < bodies else (0, 0)
    return hull[0, 1] - hull[0, 0] + hull[1, 1] - hull[1, 0], j - bodies if j >= bodies else -1


@compiled
def cover(scene, known, nodes, ends, near):
    """Candidates that hold on a way for near pairs (k, 2), ascending; nodes and points are given at its two ends.

    Returns:
        The candidates, how much nearer each of their pairs may come than at y°, (P,) [m], and whether any pair was
        searched; all points of such pairs are placed at both ends then.
    """
    nearer, hull, t = np.empty(len(known.pair)), np.empty((2, 2), dtype=np.int64), np.empty(3)
    y, ahead = ends
    for p in range(len(known.pair)):
        _, plane = _write_hull(scene.points, known.pair[p, 0], known.pair[p, 1], hull)
        given = known.at[p], known.hull, known.is_way[p], hull
        nearer[p] = max(
            _approach(*given, y, plane, scene.table.planes, t), _approach(*given, ahead, plane, scene.table.planes, t)
        )
    place, p, is_missing = np.full(len(near), -1), 0, False
    for k in range(len(near)):
        while p < len(known.pair) and is_less(known.pair, p, near, k):
            p += 1
        if p < len(known.pair) and known.pair[p, 0] == near[k, 0] and known.pair[p, 1] == near[k, 1]:
            place[k] = p if nearer[p] <= known.skin[p] else -1
        is_missing |= place[k] < 0
    if not is_missing:
        return known, nearer, False
    _place_bodies(scene, near, place, nodes, ends)
    return *_searched(scene, known, nearer, near, place, nodes, ends), True


@compiled
def _place_bodies(scene, near, place, nodes, ends):
    """Place all points of the bodies of near pairs without a place among the known ones, at both ends."""
    points, is_placed = scene.points, np.zeros(len(scene.points.is_soft), dtype=np.bool_)
    for k in range(len(near)):
        for b in near[k]:
            if place[k] < 0 and b < len(is_placed) and not is_placed[b]:
                is_placed[b] = True
                for end in range(2):
                    place_points(points, scene.rows, nodes[end], points.first[b], points.first[b + 1], ends[end])


@compiled
def _points_of(scene, stencils):
    """See `Candidates`."""
    points, body = scene.points, scene.rows.body
    chosen = np.zeros(points.first[-1], dtype=np.bool_)
    for s in range(len(stencils.kind)):
        for v in stencils.vertices[s, : 1 if stencils.kind[s] == PLANE else 4]:
            b = body[points.row[v]]
            chosen[v] = points.hull[b, 0] != points.first[b]
    return np.flatnonzero(chosen)


@compiled
def is_less(left, p, right, k):
    """Whether pair p comes before pair k of others."""
    return left[p, 0] < right[k, 0] or (left[p, 0] == right[k, 0] and left[p, 1] < right[k, 1])


@compiled
def _searched(scene, known, nearer, near, place, nodes, ends):
    """The candidates of near pairs, anew those without a place among the known ones; and how much nearer these come."""
    points, table, count, y, ahead = scene.points, scene.table, len(near), ends[0], ends[1]
    skin, is_way, come, wanted = (
        np.empty(count),
        np.zeros(count, dtype=np.bool_),
        np.empty(count),
        np.zeros(2, dtype=np.int64),
    )
    at, hull, t, size = np.zeros(count + 1, dtype=np.int64), np.empty((2, 2), dtype=np.int64), np.empty(3), 0
    for k in range(count):
        size, _ = _write_hull(points, near[k, 0], near[k, 1], hull)
        at[k + 1] = at[k] + size
    hulls = np.empty((at[count], 2, 3))
    for k in range(count):
        size, plane = _write_hull(points, near[k, 0], near[k, 1], hull)
        if place[k] >= 0:
            p = place[k]
            skin[k], is_way[k], come[k] = known.skin[p], known.is_way[p], nearer[p]
            hulls[at[k] : at[k + 1]] = known.hull[known.at[p] : known.at[p + 1]]
            continue
        _write_places(hull, y, y, hulls, at[k])
        come[k] = _approach(at[k], hulls, False, hull, ahead, plane, table.planes, t)
        largest = largest_skin(scene, near[k, 0], near[k, 1])
        skin[k] = max(min(_AHEAD * come[k], largest), come[k] if plane >= 0 else 0.0, table.reach)
        if plane < 0:
            is_way[k] = come[k] > largest
            if is_way[k]:
                skin[k], come[k] = max(_BESIDE * largest, table.reach), 0.0
                _write_places(hull, y, ahead, hulls, at[k])
            wanted[int(is_way[k])] += 1
    known.searches[0] += wanted[0] + wanted[1]
    known.searches[1] += wanted[1]
    sought = _Sought(near, place, is_way, skin)
    straight = _found(scene, sought, False, wanted[0], (nodes[0], nodes[0]), (y, y))
    moved = _found(scene, sought, True, wanted[1], nodes, ends)
    stencils, first = _joined(scene, known, sought, straight, moved, y)
    return Candidates(
        near.copy(), skin, is_way, at, hulls, first, stencils, _points_of(scene, stencils), known.searches
    ), come


@compiled
def _write_places(hull, y, end, hulls, at):
    for side in range(2):
        for v in range(hull[side, 0], hull[side, 1]):
            for k in range(3):
                hulls[at, 0, k], hulls[at, 1, k] = y[v, k], end[v, k]
            at += 1


@compiled
def _found(scene, sought, of_way, count, nodes, ends):
    """Search the pairs of bodies without a place, those on long ways or the others: where each begins, and stencils."""
    (near, place, is_way, skin), mesh, bodies = sought, scene.mesh, len(scene.points.is_soft)
    pairs, distances, to = np.empty((count, 2), dtype=np.int64), np.empty(count), 0
    for k in range(len(near)):
        if place[k] < 0 and near[k, 1] < bodies and is_way[k] == of_way:
            pairs[to, 0], pairs[to, 1], distances[to] = near[k, 0], near[k, 1], scene.table.reach + skin[k]
            to += 1
    leaves, _ = near_leaves(scene, pairs, nodes, ends, distances, np.full(count, np.inf))
    found = primitives_of_leaves(leaves, mesh.trees, mesh.edges, mesh.faces, *ends, distances)
    pair, kind, vertices, mollified = columns_of(pairs, mesh.dimension, mesh.edges, mesh.faces, mesh.squares, *found)
    some, _ = come_near(pair, kind, vertices, *ends, distances)
    some = that_touch(scene, kind, vertices, some)
    pair, kind, vertices, mollified = pair[some], kind[some], vertices[some], mollified[some]
    first = np.zeros(count + 1, dtype=np.int64)
    for s in range(len(pair)):
        first[pair[s] + 1] += 1
    return np.cumsum(first), kind, vertices, mollified


@compiled
def near_leaves(scene, pairs, nodes, ends, distance, most):
    """Rows (pair, leaf, leaf), (k, 3), of leaves whose boxes come within the distance of their pair of bodies (P, 2).

    Boxes of soft bodies follow their points, those of others are turned boxes at rest, when they are looked at. Of
    pairs with more rows than `most` (P,) there are none, and the second result says so, (P,).
    """
    trees, rows, count = scene.mesh.trees, np.empty((256, 3), dtype=np.int64), 0
    waiting, has_more = np.empty((256, 2), dtype=np.int64), np.zeros(len(pairs), dtype=np.bool_)
    boxes, done, q = np.empty((len(trees.right), 12)), np.zeros(len(trees.right), dtype=np.bool_), np.empty((2, 2, 12))
    for p in range(len(pairs)):
        for side in range(2):
            b = pairs[p, side]
            if not scene.points.is_soft[b]:
                write_coordinates(nodes[0], b, q[side, 0])
                write_coordinates(nodes[1], b, q[side, 1])
            elif trees.first[b] < trees.first[b + 1] and not done[trees.first[b]]:
                done[trees.first[b] : trees.first[b + 1]] = True
                for node in range(trees.first[b + 1] - 1, trees.first[b] - 1, -1):
                    if trees.right[node] < 0:
                        box_of_leaf(trees, node, scene.mesh.faces, *ends, boxes)
                    else:
                        box_of_both(boxes, node, node + 1, trees.right[node])
        first, second = trees.first[pairs[p, 0]], trees.first[pairs[p, 1]]
        waiting[0, 0], waiting[0, 1] = first, second
        depth = int(first < trees.first[pairs[p, 0] + 1] and second < trees.first[pairs[p, 1] + 1])
        before = count
        while depth:
            depth -= 1
            a, b = waiting[depth, 0], waiting[depth, 1]
            if not done[a]:
                done[a] = True
                node_box(trees, a, q[0, 0], q[0, 1], boxes)
            if not done[b]:
                done[b] = True
                node_box(trees, b, q[1, 0], q[1, 1], boxes)
            if keep_apart(boxes, a, boxes, b, distance[p]):
                continue
            if trees.right[a] < 0 and trees.right[b] < 0:
                if count - before >= most[p]:
                    has_more[p], count = True, before
                    break
                rows = with_room_for(rows, count, 1)
                rows[count, 0], rows[count, 1], rows[count, 2] = p, a, b
                count += 1
                continue
            depth = open_nodes(trees.right, trees.size, a, b, waiting, depth)
    return rows[:count], has_more


@compiled
def _joined(scene, known, sought, straight, moved, y):
    """The stencils of near pairs: known ones, or those that were found; and where those of each pair begin."""
    points, table, bodies, old = scene.points, scene.table, len(scene.points.is_soft), known.stencils
    near, place, is_way, skin = sought
    first, next_ = np.zeros(len(near) + 1, dtype=np.int64), np.zeros(2, dtype=np.int64)
    room = len(old.kind) + len(straight[1]) + len(moved[1])
    for k in range(len(near)):
        if place[k] < 0 and near[k, 1] >= bodies:
            room += points.first[near[k, 0] + 1] - points.first[near[k, 0]]
    pair, kind = np.empty((room, 2), dtype=np.int64), np.empty(room, dtype=np.int64)
    vertices, mollified = np.zeros((room, 4), dtype=np.int64), np.zeros(room)
    kappa, mu, foreseen, least = np.empty(room), np.empty(room), np.zeros(room), np.zeros(room)
    s, w, n = 0, np.empty(4), np.empty(3)
    for k in range(len(near)):
        i, j = near[k, 0], near[k, 1]
        if place[k] >= 0:
            for c in range(known.first[place[k]], known.first[place[k] + 1]):
                kind[s], mollified[s], kappa[s], mu[s] = old.kind[c], old.mollified[c], old.kappa[c], old.mu[c]
                least[s] = old.least[c]
                for v in range(4):
                    vertices[s, v] = old.vertices[c, v]
                s += 1
        elif j < bodies:
            begin, kinds, ends, eps = moved if is_way[k] else straight
            of = next_[int(is_way[k])]
            next_[int(is_way[k])] += 1
            for c in range(begin[of], begin[of + 1]):
                kind[s], mollified[s] = kinds[c], eps[c]
                for v in range(4):
                    vertices[s, v] = ends[c, v]
                least[s] = 0.0 if is_way[k] else distance(kind, vertices, s, y, table.planes, w, n)
                s += 1
        else:
            for v in range(points.first[i], points.first[i + 1]):
                kind[s], vertices[s, 0], vertices[s, 1] = PLANE, v, j - bodies
                least[s] = distance(kind, vertices, s, y, table.planes, w, n)
                if table.touches[v] and least[s] < table.reach + skin[k]:
                    s += 1
        for c in range(first[k], s):
            pair[c, 0], pair[c, 1] = i, j
        first[k + 1] = s
    columns = pair[:s], kind[:s], vertices[:s], mollified[:s], kappa[:s], mu[:s], foreseen[:s], least[:s]
    stencils = Stencils(*columns)
    for k in range(len(near)):
        if place[k] < 0:
            fill(scene, stencils, first[k], first[k + 1])
    return stencils, first


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
    return chosen(all_, some, least[:count]), some


@compiled
def largest_skin(scene, i, j):
    """Of a pair of bodies; with a larger one there are too many candidates [m]."""
    is_soft = scene.points.is_soft
    is_any = is_soft[i] or (j < len(is_soft) and is_soft[j])
    share, size = (_LARGEST[1], scene.mesh.sizes[1]) if is_any else (_LARGEST[0], scene.mesh.sizes[0])
    return max(scene.table.reach, share * size)


@compiled
def crowded(scene, nodes, ends, near):
    """Bodies (B,) that pass too much of each other on a way, with nodes and points at its two ends."""
    y, ahead = ends
    points, trees, count = scene.points, scene.mesh.trees, len(scene.points.is_soft)
    long, size, hull, t = np.empty((len(near), 2), dtype=np.int64), 0, np.empty((2, 2), dtype=np.int64), np.empty(3)
    most, result = np.empty(len(near)), np.zeros(count, dtype=np.bool_)
    for k in range(len(near)):
        i, j = near[k, 0], near[k, 1]
        number_of_nodes = (
            trees.first[i + 1] - trees.first[i] + (trees.first[j + 1] - trees.first[j] if j < count else 0)
        )
        if j < count and number_of_nodes > 4 * _CROWD:
            number, plane = _write_hull(points, i, j, hull)
            places = np.empty((number, 2, 3))
            _write_places(hull, y, y, places, 0)
            if _approach(0, places, False, hull, ahead, plane, scene.table.planes, t) > largest_skin(scene, i, j):
                long[size, 0], long[size, 1], most[size] = i, j, _CROWD * number_of_nodes
                size += 1
    if size:
        reach = np.full(size, scene.table.reach)
        _, is_more = near_leaves(scene, long[:size], nodes, ends, reach, most[:size])
        for k in range(size):
            if is_more[k]:
                result[long[k, 0]] = result[long[k, 1]] = True
    return result
