"""Where points are, and how far bodies may go on their way: collision detection for compiled stages."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.compiled import compiled
from ipc_articulation.contact import barriers, islands
from ipc_articulation.contact.ccd import FLOOR, REST, load, pair_fraction
from ipc_articulation.contact.search import boxes, cover, crowded, is_less, looked_at, near_pairs
from ipc_articulation.contact.stencils import PLANE, place_points
from ipc_articulation.references import by_reference

_SHORTENED = 50  # times at most, to 10⁻³⁰ of it; no such way is crowded, if it is made of sensible numbers


class _Place(NamedTuple):
    """Where nodes and points are, and what is near there; its fields change."""

    x: Array  # (N, 3)
    y: Array  # (V, 3)
    stencils: barriers.Stencils
    some: barriers.Near
    among: Ints  # (k,) places of the stencils among the candidates
    touching: barriers.Stencils  # those within d̂


PlaceType, Place = by_reference(_Place, __name__)


@compiled
def positions(points, rows, x, some):
    """Points (V, 3) from nodes (N, 3): hulls, and some (k,); the others are undefined."""
    y = np.empty((len(points.row), 3))
    for b in range(len(points.hull)):
        place_points(points, rows, x, points.hull[b, 0], points.hull[b, 1], y)
    place_some(points, rows, x, some, y)
    return y


@compiled
def place_some(points, rows, x, some, y):
    """Place some points (k,) with nodes at x (N, 3)."""
    for v in some:
        place_points(points, rows, x, v, v + 1, y)


@compiled
def joined(labels, pairs, movable):
    """Labels (B,) of islands after joining those of pairs of bodies that can both move."""
    is_pair = pairs[:, 1] < len(labels)
    return islands.join(labels, pairs[is_pair], movable)


@compiled
def shorter(rows, x, ahead, fraction):
    """Nodes (N, 3) at x + fraction (ahead - x), with a fraction for each body."""
    result = ahead.copy()
    for r in range(len(rows.body)):
        share = fraction[rows.body[r]]
        if share < 1.0:
            for n in range(rows.first[r], rows.first[r + 1]):
                for k in range(3):
                    result[n, k] = x[n, k] + share * (ahead[n, k] - x[n, k])
    return result


@compiled
def cut(scene, now, ends, fraction, some):
    """Nodes (N, 3) and points (V, 3), see `positions`, after a fraction of the way of each body, (B,), to its ends."""
    x = shorter(scene.rows, now.x, ends[0], fraction)
    return x, ends[1] if np.all(fraction == 1.0) else positions(scene.points, scene.rows, x, some)


@compiled
def of_near(stencils, some):
    """The stencils within d̂ alone."""
    return barriers.chosen(stencils, some.of, np.zeros(len(some.of)))


@compiled
def nowhere(x):
    """A place with nodes x (N, 3) and no points where nothing is near."""
    none, numbers = np.zeros(0, dtype=np.int64), np.zeros(0)
    stencils = barriers.no_stencils()
    near = barriers.Near(none, numbers, numbers.reshape(0, 4), numbers.reshape(0, 3))
    return Place(x, numbers.reshape(0, 3), stencils, near, none, stencils)


@compiled
def at_place(now, x, y):
    """The same stencils at another place."""
    return Place(x, y, now.stencils, now.some, now.among, now.touching)


@compiled
def carry_foreseen(old, stencils):
    """Carry what is foreseen of stencils to the same ones among others.

    Both are sorted by their pairs, and those of a pair in the order of its trees.
    """
    at = 0
    for s in range(len(old.kind)):
        if old.foreseen[s] != 0.0:
            while at < len(stencils.kind) and is_less(stencils.pair, at, old.pair, s):
                at += 1
            c = at
            while c < len(stencils.kind) and not (
                is_less(old.pair, s, stencils.pair, c) or is_same(old, s, stencils, c)
            ):
                c += 1
            if c < len(stencils.kind) and is_same(old, s, stencils, c):
                stencils.foreseen[c], at = old.foreseen[s], c + 1


@compiled
def is_same(left, s, right, c):
    """Whether two stencils are the same."""
    same = left.kind[s] == right.kind[c]
    for v in range(4):
        same &= left.vertices[s, v] == right.vertices[c, v]
    return same


@compiled
def _share(touching, y, ahead, longest):
    """The fraction of a way, from y to ahead (V, 3), on which no point of some stencils goes farther than this [m]."""
    square = 0.0
    for s in range(len(touching.kind)):
        for v in touching.vertices[s, : 1 if touching.kind[s] == PLANE else 4]:
            moved = 0.0
            for k in range(3):
                moved += (ahead[v, k] - y[v, k]) ** 2
            square = max(square, moved)
    return longest / np.sqrt(square) if square > longest**2 else 1.0


@compiled
def way(scene, known, now, ends, who, longest):
    """How far bodies may go to nodes (N, 3) and points ahead; those of bodies that they meet are placed, too.

    Args:
        scene: A `Scene`.
        known: `Candidates`.
        now: A `Place`.
        ends: Nodes and points ahead.
        who: Labels (B,) of islands, and the bodies (B,) that move.
        longest: As far a point within d̂ may go [m].

    Returns:
        The fraction of each body, (B,); islands (B,); candidates; the stencils near this way, and which these are.
    """
    (x_ahead, y_ahead), (labels, moving), points, touching, count = ends, who, scene.points, now.touching, len(who[1])
    labels, fraction, floors = joined(labels, touching.pair, ~points.is_fixed), np.ones(count), np.zeros(count)
    low, high = boxes(points, now.y, y_ahead)
    for b in range(count):
        for k in range(3):
            floors[b] = max(floors[b], FLOOR * abs(low[b, k]), FLOOR * abs(high[b, k]))
    lower_fractions(scene.table, touching, now.y, y_ahead, labels, moving, floors, fraction)
    fraction = np.minimum(fraction[labels], _share(touching, now.y, y_ahead, longest))
    for _ in range(_SHORTENED):
        x, y = cut(scene, now, ends, fraction, known.points)
        near = near_pairs(scene.table, *boxes(points, now.y, y), moving)
        both = (now.x, x), (now.y, y)
        is_crowded = crowded(scene, *both, near)
        if not np.any(is_crowded):
            break
        is_crowded = islands.anyone(joined(labels, near, ~points.is_fixed), is_crowded)
        fraction = np.where(is_crowded, 0.25 * fraction, fraction)
    labels = joined(labels, near, ~points.is_fixed)
    known, nearer, is_new = cover(scene, known, *both, near)
    if is_new:
        place_some(points, scene.rows, x_ahead, known.points, y_ahead)
    stencils, some = looked_at(scene.table, known, nearer)
    again = np.ones(count)
    lower_fractions(scene.table, stencils, now.y, y, labels, moving, floors, again)
    return fraction * again[labels], labels, known, stencils, some


@compiled
def lower_fractions(table, stencils, y, ahead, labels, moving, floors, fractions):
    """Lower the fractions of islands, one in the row of each label, (B,): every gap keeps a tenth of its size."""
    pair, kind, vertices, planes = stencils.pair, stencils.kind, stencils.vertices, table.planes
    r, v, axes = np.empty((4, 3)), np.empty((4, 3)), np.zeros((2, 3))
    for s in range(len(kind)):
        if not barriers.is_moving(pair, s, moving):
            continue
        i, j = pair[s, 0], pair[s, 1]
        island, model = labels[barriers.owner(pair, s, moving)], table.model[i, j]
        xi, d_hat, floor = (
            table.xi[model],
            table.d_hat[model],
            floors[i] if j >= len(floors) else max(floors[i], floors[j]),
        )
        if stencils.least[s] >= xi + max(REST * d_hat, floor):
            continue
        if kind[s] == PLANE:
            p, q = vertices[s, 1], vertices[s, 0]
            now = then = -planes[p, 3] - xi
            for k in range(3):
                now += planes[p, k] * y[q, k]
                then += planes[p, k] * ahead[q, k]
            rest = max(REST * min(now, d_hat), min(now, floor))
            if then < rest:
                fractions[island] = min(fractions[island], (now - rest) / (now - then))
            continue
        if s > 0 and (i != pair[s - 1, 0] or j != pair[s - 1, 1]):
            axes[0] = 0.0
        sides = load(kind[s], vertices, s, y, ahead, r, v)
        fractions[island] = pair_fraction(r, v, sides, xi, d_hat, floor, fractions[island], axes)
