"""Candidates for contact: stencils that may come within reach on a way, kept while bodies move by less than a skin.

A search of a pair of bodies finds the stencils that are nearer than reach + skin at y°. Since then an affine one of the
two has moved by y = G y° + t, so for points a of it and b of the other, with F = ‖GᵀG - 1‖,

    |y_b - y_a| ≥ |G (y°_b - y°_a)| - |y_b - G y°_b - t| ≥ √(1 - F) |y°_b - y°_a| - |y_b - G y°_b - t|.

On a straight way G is linear and the last norm convex in time, so both ends bound it, and F is at most ‖G₁ - G₀‖²/4
more than there. Of two soft bodies G is 1, t the mean motion of the first, and its points count as the other's. Points
of a hull are enough, because motions of affine bodies are linear. While distances become smaller by at most the skin,
no stencil is missing.

Where a way is longer than any sensible skin, it is searched itself, from y° to y°°: then all places y° + s (y°° - y°)
are as good as y°, with one s for both bodies, and G is 1. If more pairs of leaves of both trees come near each other on
it than where surfaces touch, only a quarter of the way is looked at.
"""

from __future__ import annotations

from typing import Any, NamedTuple

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


class _Origins(NamedTuple):
    """Where the P pairs that were searched were then."""

    pair: Ints  # (P, 2) a body and another one, or B + p
    is_way: Bools  # (P,) whether y° and y°° differ
    at: Ints  # (P + 1,) hull points of both bodies of each pair, as rows of the next one
    hull: Array  # (Q, 2, 3) y° and y°° [m]
    nodes: Array  # (P, 4, 3) x° of the affine body by whose motion the other one's is measured


OriginsType, Origins = by_reference(_Origins, __name__)


class _Candidates(NamedTuple):
    """What was found of the P pairs that were searched, sorted by pairs."""

    origins: Any  # `Origins`
    skin: Array  # (P,) [m]
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
    none, nowhere, zero = np.empty(0, dtype=np.int64), np.empty(0), np.zeros(1, dtype=np.int64)
    origins = Origins(
        none.reshape(0, 2), np.empty(0, dtype=np.bool_), zero, nowhere.reshape(0, 2, 3), nowhere.reshape(0, 4, 3)
    )
    return Candidates(origins, nowhere, zero, no_stencils(), none, np.zeros(2, dtype=np.int64))


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
    """Pairs of bodies, or of a body and B + p, of which one moves, whose boxes are within reach; ascending.

    Those of each group of bodies are swept along the axis on which they are spread most.
    """
    bodies, width, planes = len(low), table.model.shape[1], table.planes
    found, count = np.empty(64, dtype=np.int64), 0
    for g in range(len(table.first) - 1):
        group = table.group[table.first[g] : table.first[g + 1]]
        axis = _widest(low, group)
        along = low[:, axis][group]
        order = group[np.argsort(along)]
        for a in range(len(order)):
            found = with_room_for(found, count, len(order) - a)
            count = _sweep(table, low, high, moving, order[a:], axis, found, count)
    for i in range(bodies):
        for p in range(len(planes)):
            if moving[i] and table.model[i, bodies + p] >= 0 and not _lowest(planes[p], low[i], high[i]) > table.reach:
                found = with_room_for(found, count, 1)
                found[count] = width * i + bodies + p
                count += 1
    found, pairs = np.sort(found[:count]), np.empty((count, 2), dtype=np.int64)
    for k in range(count):
        pairs[k, 0], pairs[k, 1] = found[k] // width, found[k] % width
    return pairs


@compiled
def _widest(low, group):
    """The axis along which corners of boxes are spread most."""
    best, axis = 0.0, 0
    for k in range(3):
        mean, spread = 0.0, 0.0
        for b in group:
            mean += low[b, k] / len(group)
        for b in group:
            spread += (low[b, k] - mean) ** 2
        if spread > best:
            best, axis = spread, k
    return axis


@compiled
def _sweep(table, low, high, moving, order, axis, found, count):
    """Add the pairs of the first body to those found, as (B + P) i + j with i <= j. Returns: their number."""
    model, reach, one = table.model, table.reach, order[0]
    y, z = (axis + 1) % 3, (axis + 2) % 3
    for other in order:
        if low[other, axis] - high[one, axis] > reach:
            break
        if low[one, y] - high[other, y] > reach or low[other, y] - high[one, y] > reach:
            continue
        if low[one, z] - high[other, z] > reach or low[other, z] - high[one, z] > reach:
            continue
        i, j = min(one, other), max(one, other)
        if model[i, j] >= 0 and (moving[i] or moving[j]):
            found[count] = model.shape[1] * i + j
            count += 1
    return count


@compiled
def _lowest(plane, low, high):
    """The distance of a box from a half-plane."""
    lowest = -plane[3]
    for k in range(3):
        lowest += plane[k] * (low[k] if plane[k] > 0.0 else high[k])
    return lowest


@compiled
def origins_of(scene, pairs, nodes, ends, is_way):
    """Where pairs of bodies, or of a body and a half-plane, are at the two ends of a way, or at its first twice."""
    points, at, reference = scene.points, np.zeros(len(pairs) + 1, dtype=np.int64), np.zeros((len(pairs), 4, 3))
    hulls, bodies = points.hull, len(points.is_soft)
    for p in range(len(pairs)):
        i, j = pairs[p, 0], pairs[p, 1]
        at[p + 1] = at[p] + hulls[i, 1] - hulls[i, 0] + (hulls[j, 1] - hulls[j, 0] if j < bodies else 0)
    hull = np.empty((at[len(pairs)], 2, 3))
    for p in range(len(pairs)):
        for end in range(2):
            y, to = ends[end if is_way[p] else 0], at[p]
            for side in range(2 if pairs[p, 1] < bodies else 1):
                b = pairs[p, side]
                for v in range(hulls[b, 0], hulls[b, 1]):
                    for k in range(3):
                        hull[to, end, k] = y[v, k]
                    to += 1
        r = measured_by(points, pairs[p, 0], pairs[p, 1])
        if r >= 0:
            reference[p] = nodes[0][4 * r : 4 * r + 4]
    return Origins(pairs.copy(), is_way, at, hull, reference)


@compiled
def measured_by(points, i, j):
    """The affine body by whose motion that of the other one of a pair is measured, -1: none."""
    bodies = len(points.is_soft)
    if j >= bodies or (points.is_soft[i] and points.is_soft[j]):
        return -1
    return j if points.is_soft[i] else i


@compiled
def come_nearer(scene, origins, p, nodes, ends):
    """How much nearer than at its origin pair p comes at most on a way, with nodes and points at its two ends [m]."""
    i, j, at, places, hull = origins.pair[p, 0], origins.pair[p, 1], origins.at, origins.hull, scene.points.hull
    middle, most, G, t = at[p] + hull[i, 1] - hull[i, 0], 0.0, np.zeros((2, 3, 3)), np.empty((2, 3))
    first, second = places[at[p] : middle], places[middle : at[p + 1]]
    is_plane = j >= len(scene.points.is_soft)
    r = -1 if origins.is_way[p] else measured_by(scene.points, i, j)
    for end in range(2):
        y_i = ends[end][hull[i, 0] : hull[i, 1]]
        if is_plane:
            most = max(most, _towards(scene.table.planes[j - len(scene.points.is_soft)], first, y_i))
            continue
        y_j = ends[end][hull[j, 0] : hull[j, 1]]
        if r < 0:
            share = _share(first, second, y_i, y_j) if origins.is_way[p] else 0.0
            _take_mean(first, y_i, share, G[end], t[end])
            both = _farthest(first, y_i, share, G[end], t[end]) + _farthest(second, y_j, share, G[end], t[end])
            most = max(most, both)
        else:
            _take_motion(origins.nodes[p], nodes[end][4 * r : 4 * r + 4], G[end], t[end])
            other, y = (second, y_j) if r == i else (first, y_i)
            most = max(most, _farthest(other, y, 0.0, G[end], t[end]))
    return most if r < 0 else most + _shortened(G) * (scene.table.reach + largest_skin(scene, i, j))


@compiled
def _between(places, v, k, share):
    return places[v, 0, k] + share * (places[v, 1, k] - places[v, 0, k])


@compiled
def _towards(plane, places, y):
    """How far points (k, 3) have come nearer to a half-plane at most."""
    most = 0.0
    for v in range(len(y)):
        way = 0.0
        for k in range(3):
            way += plane[k] * (places[v, 0, k] - y[v, k])
        most = max(most, way)
    return most


@compiled
def _share(first, second, y_first, y_second):
    """The share of the way of two bodies at which their points are nearest to where they are now."""
    along, square = 0.0, 0.0
    for places, y in ((first, y_first), (second, y_second)):
        for v in range(len(y)):
            for k in range(3):
                way = places[v, 1, k] - places[v, 0, k]
                along += way * (y[v, k] - places[v, 0, k])
                square += way * way
    return min(max(along / square, 0.0), 1.0) if square > 0.0 else 0.0


@compiled
def _farthest(places, y, share, G, t):
    """The largest |y - G y° - t| of some points."""
    most = 0.0
    for v in range(len(y)):
        square = 0.0
        for k in range(3):
            s = y[v, k] - t[k]
            for m in range(3):
                s -= G[k, m] * _between(places, v, m, share)
            square += s * s
        most = max(most, square)
    return np.sqrt(most)


@compiled
def _take_mean(places, y, share, G, t):
    """Fill the mean motion of some points."""
    for k in range(3):
        G[k, k], t[k] = 1.0, 0.0
        for v in range(len(y)):
            t[k] += (y[v, k] - _between(places, v, k, share)) / len(y)


@compiled
def _take_motion(a, b, G, t):
    """Fill the motion y = G y° + t of an affine body from nodes a to b, (4, 3) each; G is 0 before."""
    det, c = 0.0, np.empty(3)
    for m in range(3):  # G = Σ b_m (a_m+1 × a_m+2)ᵀ / det
        u, v = 1 + (m + 1) % 3, 1 + (m + 2) % 3
        for k in range(3):
            c[k] = a[u, (k + 1) % 3] * a[v, (k + 2) % 3] - a[u, (k + 2) % 3] * a[v, (k + 1) % 3]
            det += a[1 + m, k] * c[k] / 3.0
        for k in range(3):
            for n in range(3):
                G[k, n] += b[1 + m, k] * c[n]
    for k in range(3):
        t[k] = b[0, k]
        for m in range(3):
            G[k, m] /= det
            t[k] -= G[k, m] * a[0, m]


@compiled
def _shortened(G):
    """By which share lengths become smaller at most, from G₀ to G₁; inf where that is unknown."""
    F, square = np.zeros(2), 0.0
    for k in range(3):
        for m in range(3):
            square += (G[1, k, m] - G[0, k, m]) ** 2
            for end in range(2):
                g = G[end]
                change = g[0, k] * g[0, m] + g[1, k] * g[1, m] + g[2, k] * g[2, m] - (1.0 if k == m else 0.0)
                F[end] += change * change
    worst = np.sqrt(max(F[0], F[1])) + 0.25 * square
    return 1.0 - np.sqrt(1.0 - worst) if worst < 1.0 else np.inf


@compiled
def cover(scene, known, nodes, ends, near):
    """Candidates that hold on a way for near pairs (k, 2), ascending; nodes and points are given at its two ends.

    Returns:
        The candidates, how much nearer each of their pairs may come than at y°, (P,) [m], and whether any pair was
        searched; all points of such pairs are placed at both ends then.
    """
    origins, pair, skin = known.origins, known.origins.pair, known.skin
    nearer = np.empty(len(pair))
    for p in range(len(pair)):
        nearer[p] = come_nearer(scene, origins, p, nodes, ends)
    place, p, is_missing = np.full(len(near), -1), 0, False
    for k in range(len(near)):
        while p < len(pair) and is_less(pair, p, near, k):
            p += 1
        if p < len(pair) and pair[p, 0] == near[k, 0] and pair[p, 1] == near[k, 1]:
            place[k] = p if nearer[p] <= skin[p] else -1
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
    reach, bodies, count, missing = scene.table.reach, len(scene.points.is_soft), len(near), np.flatnonzero(place < 0)
    skin, come, is_way = np.empty(count), np.empty(count), np.zeros(count, dtype=np.bool_)
    for k in range(count):
        if place[k] >= 0:
            skin[k], come[k] = known.skin[place[k]], nearer[place[k]]
            is_way[k] = known.origins.is_way[place[k]]
    straight = origins_of(scene, near[missing], nodes, ends, is_way[missing])
    for m in range(len(missing)):
        k = missing[m]
        come[k] = come_nearer(scene, straight, m, nodes, ends)
        largest = largest_skin(scene, near[k, 0], near[k, 1])
        skin[k] = max(min(_AHEAD * come[k], largest), come[k] if near[k, 1] >= bodies else 0.0, reach)
        is_way[k] = near[k, 1] < bodies and come[k] > largest
        if is_way[k]:
            skin[k], come[k] = max(_BESIDE * largest, reach), 0.0
    origins = _merged(known.origins, origins_of(scene, near[missing], nodes, ends, is_way[missing]), place)
    found = missing[near[missing, 1] < bodies]
    known.searches[0] += len(found)
    known.searches[1] += np.count_nonzero(is_way[found])
    start = (nodes[0], nodes[0]), (ends[0], ends[0])
    on_place, on_way = found[~is_way[found]], found[is_way[found]]
    of_place = _found(scene, near[on_place], reach + skin[on_place], *start)
    of_way = _found(scene, near[on_way], reach + skin[on_way], nodes, ends)
    stencils, first = _joined(scene, known, _Sought(near, place, is_way, skin), of_place, of_way, ends[0])
    return Candidates(origins, skin, first, stencils, _points_of(scene, stencils), known.searches), come


@compiled
def _merged(known, others, place):
    """The origins of pairs at a place among the known ones, and the others in turn where that is -1."""
    count, k = len(place), 0
    pair, is_way, at = (
        np.empty((count, 2), dtype=np.int64),
        np.empty(count, dtype=np.bool_),
        np.zeros(count + 1, np.int64),
    )
    hull, nodes, m = np.empty((len(known.hull) + len(others.hull), 2, 3)), np.empty((count, 4, 3)), 0
    for k in range(count):
        source, p = (known, place[k]) if place[k] >= 0 else (others, m)
        m += int(place[k] < 0)
        begin, end = source.at[p], source.at[p + 1]
        pair[k], is_way[k], nodes[k] = source.pair[p], source.is_way[p], source.nodes[p]
        at[k + 1] = at[k] + end - begin
        hull[at[k] : at[k + 1]] = source.hull[begin:end]
    return Origins(pair, is_way, at, hull[: at[count]], nodes)


@compiled
def _found(scene, pairs, distances, nodes, ends):
    """Search pairs of bodies (k, 2): where each begins, (k + 1,), and kinds, vertices and mollifiers of stencils."""
    mesh, count = scene.mesh, len(pairs)
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
    trees, first, rows, count = scene.mesh.trees, scene.mesh.trees.first, np.empty((256, 3), dtype=np.int64), 0
    waiting, has_more = np.empty((256, 2), dtype=np.int64), np.zeros(len(pairs), dtype=np.bool_)
    boxes, done, q = np.empty((first[-1], 12)), np.zeros(first[-1], dtype=np.bool_), np.empty((2, 2, 12))
    for p in range(len(pairs)):
        for side in range(2):
            b = pairs[p, side]
            if scene.points.is_soft[b]:
                _follow(scene, b, ends, boxes, done)
            else:
                write_coordinates(nodes[0], b, q[side, 0])
                write_coordinates(nodes[1], b, q[side, 1])
        one, other, before = pairs[p, 0], pairs[p, 1], count
        waiting[0, 0], waiting[0, 1] = first[one], first[other]
        depth = int(first[one] < first[one + 1] and first[other] < first[other + 1])
        while depth:
            room = min(len(rows), before + most[p])
            count, depth = _descend(trees, q, distance[p], waiting, depth, (boxes, done), rows[:, 1:], (count, room))
            if depth and count - before >= most[p]:
                has_more[p], count, depth = True, before, 0
            rows = with_room_for(rows, count, int(depth > 0))
        rows[before:count, 0] = p
    return rows[:count], has_more


@compiled
def _follow(scene, b, ends, boxes, done):
    """Make the boxes of a soft body's tree, unless that is done."""
    trees, faces = scene.mesh.trees, scene.mesh.faces
    begin, end = trees.first[b], trees.first[b + 1]
    if begin == end or done[begin]:
        return
    done[begin:end] = True
    for node in range(end - 1, begin - 1, -1):
        if trees.right[node] < 0:
            box_of_leaf(trees, node, faces, *ends, boxes)
        else:
            box_of_both(boxes, node, node + 1, trees.right[node])


@compiled
def _descend(trees, q, distance, waiting, depth, known, leaves, counts):
    """Look at waiting pairs of nodes until none is left, or there are more leaves than there is room for.

    Args:
        trees: Of all bodies.
        q: Coordinates of both at both ends, (2, 2, 12).
        distance: Within which leaves are near [m].
        waiting: Pairs of nodes, (.., 2).
        depth: Their number.
        known: Boxes (N, 12) of nodes, and which of them are made, (N,).
        leaves: Pairs of leaves, (.., 2).
        counts: Their number, and that of those for which there is room.

    Returns:
        The number of leaves, and of waiting pairs.
    """
    (boxes, done), (count, room), right, size = known, counts, trees.right, trees.size
    while depth:
        a, b = waiting[depth - 1, 0], waiting[depth - 1, 1]
        if not done[a]:
            done[a] = True
            node_box(trees, a, q[0, 0], q[0, 1], boxes)
        if not done[b]:
            done[b] = True
            node_box(trees, b, q[1, 0], q[1, 1], boxes)
        if keep_apart(boxes, a, boxes, b, distance):
            depth -= 1
        elif right[a] >= 0 or right[b] >= 0:
            depth = open_nodes(right, size, a, b, waiting, depth - 1)
        elif count < room:
            leaves[count, 0], leaves[count, 1] = a, b
            count, depth = count + 1, depth - 1
        else:
            break
    return count, depth


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
    for p in range(len(known.skin)):
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
    trees, count, size = scene.mesh.trees.first, len(scene.points.is_soft), 0
    long, most, result = np.empty((len(near), 2), np.int64), np.empty(len(near)), np.zeros(count, dtype=np.bool_)
    for k in range(len(near)):
        i, j = near[k, 0], near[k, 1]
        if j < count:
            number = trees[i + 1] - trees[i] + trees[j + 1] - trees[j]
            if number > 4 * _CROWD:
                long[size, 0], long[size, 1], most[size] = i, j, _CROWD * number
                size += 1
    origins, some = origins_of(scene, long[:size], nodes, ends, np.zeros(size, dtype=np.bool_)), 0
    for p in range(size):
        i, j = long[p, 0], long[p, 1]
        if come_nearer(scene, origins, p, nodes, ends) > largest_skin(scene, i, j):
            long[some, 0], long[some, 1], most[some] = i, j, most[p]
            some += 1
    size = some
    if size:
        reach = np.full(size, scene.table.reach)
        _, is_more = near_leaves(scene, long[:size], nodes, ends, reach, most[:size])
        for k in range(size):
            if is_more[k]:
                result[long[k, 0]] = result[long[k, 1]] = True
    return result
