"""Resistances that pairs choose themselves, by load, and libuipc's adaptive one (see `contact.resistance`).

What chooses are affine bodies, half-planes, and rows of up to four vertices of soft bodies, as `tetrads` groups them.
For a stencil the first points that move stand for its two sides. A step begins with

    begin_step      masses, speeds, what the last step has ended with; all known stencils get their κ_c
    adopt           pairs that are new, but have been in contact before; κ_c of what is within d̂: friction takes these
    follow          what is done between two steps; all known stencils get their κ_c


"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.compiled import compiled
from ipc_articulation.contact.barrier import barrier, mollifier
from ipc_articulation.contact.barriers import cross_of
from ipc_articulation.contact.closest_points import EDGES
from ipc_articulation.contact.resistance import Constants, adopted, followed, resistances
from ipc_articulation.contact.stencils import PLANE, distance, place_points
from ipc_articulation.references import by_reference


class _Law(NamedTuple):
    """Of n choosers, numbered as rows of twelve coordinates; half-plane p is n + p."""

    constants: Any  # those of `contact.resistance`, of the step as well
    pairs: Ints  # (k,) held pairs, see `contact.held`
    values: Array  # (k,) their κ_c [Pa]
    corners: Ints  # (H,) the points on the hulls of choosers, see `contact.corners`
    first_corner: Ints  # (n + 1,)
    v: Array  # (N, 3) velocities of nodes as the step began [m/s]
    is_open: bool  # whether there are such pairs; nothing is done without


LawType, Law = by_reference(_Law, __name__)


@compiled
def make_law(constants, pairs, values, corners, first_corner, v, is_open):
    """See `_Law`."""
    return Law(constants, pairs, values, corners, first_corner, v, is_open)


class _Met(NamedTuple):
    """The P pairs within d̂ that choose by load."""

    pairs: Ints  # (P, 2)
    gaps: Array  # (P,) smallest ones [m]
    changes: Array  # (2, P) by the last motion and the one before it [m]
    pushes: Array  # (P,) Σ m |B'(d)| [m³]
    of: Ints  # (k,) the pair of each stencil within d̂, -1: none


MetType, Met = by_reference(_Met, __name__)


@compiled
def begin_step(law, scene, stencils, held, dt, adaptive, v):
    """Begin a step.

    Args:
        law: A `Law`.
        scene: A `Scene`.
        stencils: The known ones.
        held: Pairs and values with which the last step has ended, (k,) each.
        dt: [s].
        adaptive: κ_c of pairs without any [Pa].
        v: Velocities of nodes (N, 3) [m/s].
    """
    if law.is_open:
        law.pairs, law.values, law.v = held[0], held[1], v
        c, kappa = Constants(*law.constants), scene.table.kappa
        masses, materials = (c.mass, c.body_pairs, c.plane_pairs, c.group), (c.by_load, c.d_hat, c.thickness, c.slope)
        given, speed = np.where(np.isnan(kappa), adaptive, kappa), np.zeros(len(c.mass))
        speed[: scene.table.choosers] = np.nan  # until one is asked for
        law.constants = masses + materials + (given, speed, c.gravity, dt)
        choose(law, scene, stencils, 0, len(stencils.kind))


@compiled
def choose(law, scene, stencils, begin, end):
    """Fill κ_c of the stencils from `begin` to `end` whose pairs choose it, or have none."""
    if law.is_open:
        table, pair = scene.table, stencils.pair
        some, count = np.empty(end - begin, dtype=np.int64), 0
        pairs = np.empty((end - begin, 2), dtype=np.int64)
        for s in range(begin, end):
            if np.isnan(table.kappa[table.model[pair[s, 0], pair[s, 1]]]):
                some[count] = s
                write_choosers(scene, stencils, s, pairs[count])
                count += 1
        _find_speeds(law, scene, pairs[:count])
        kappa = resistances(pairs[:count], law.constants, law.pairs, law.values)
        for k in range(count):
            stencils.kappa[some[k]] = kappa[k]


@compiled
def _find_speeds(law, scene, pairs):
    """Find the greatest speeds of the points of those in pairs (P, 2), where they are not known."""
    speed, u = Constants(*law.constants).speed, np.empty((len(scene.points.row), 3))
    for i in pairs.ravel():
        if np.isnan(speed[i]):
            speed[i] = 0.0
            for v in law.corners[law.first_corner[i] : law.first_corner[i + 1]]:
                place_points(scene.points, scene.rows, law.v, v, v + 1, u)
                speed[i] = max(speed[i], np.sqrt(u[v, 0] ** 2 + u[v, 1] ** 2 + u[v, 2] ** 2))


@compiled
def write_choosers(scene, stencils, s, pair):
    """Write the two that choose κ_c of stencil s, (2,), the smaller one first."""
    kind, vertices, of = stencils.kind[s], stencils.vertices[s], scene.table.chooser
    first = of[_mover(scene, vertices, 0, 2 if kind == EDGES else 1)]
    if kind == PLANE:
        second = scene.table.choosers + vertices[1]
    else:
        second = of[_mover(scene, vertices, 2 if kind == EDGES else 1, 4)]
    pair[0], pair[1] = min(first, second), max(first, second)


@compiled
def _mover(scene, vertices, begin, end):
    """The first of some points that moves; the first one if none does."""
    for a in range(begin, end):
        if not scene.rows.is_fixed[scene.points.row[vertices[a]]]:
            return vertices[a]
    return vertices[begin]


@compiled
def adopt(law, scene, stencils, some, y, before):
    """Give pairs what they need that were within d̂ before the last step, too, and hold nothing.

    Args:
        law: A `Law`.
        scene: A `Scene`.
        stencils: Those that may be near.
        some: `Near`.
        y: Points (V, 3) [m].
        before: Nodes (N, 3) as the last motion would have brought them here, and likewise the one before it.

    Returns:
        A `Met`.
    """
    if law.is_open:
        met = _meet(law, scene, stencils, some, y, before)
        given = law.constants, law.pairs, law.values
        law.pairs, law.values = adopted(met.pairs, met.gaps, met.changes[0], met.pushes, *given)
        kappa = resistances(met.pairs, law.constants, law.pairs, law.values)
        for k in range(len(some.of)):
            if met.of[k] >= 0:
                stencils.kappa[some.of[k]] = kappa[met.of[k]]
        return met
    return Met(
        np.empty((0, 2), dtype=np.int64), np.empty(0), np.empty((2, 0)), np.empty(0), np.empty(0, dtype=np.int64)
    )


@compiled
def _meet(law, scene, stencils, some, y, before):
    """The pairs within d̂ that choose by load, see `adopt`."""
    table, by_load, N = scene.table, Constants(*law.constants).by_load, len(Constants(*law.constants).mass)
    of, keys, two = np.full(len(some.of), -1), np.full(len(some.of), -1), np.empty(2, dtype=np.int64)
    for k in range(len(some.of)):
        s = some.of[k]
        if by_load[table.model[stencils.pair[s, 0], stencils.pair[s, 1]]]:
            write_choosers(scene, stencils, s, two)
            keys[k] = two[0] * N + two[1]
    order, last, count = np.argsort(keys), -1, 0
    pairs = np.empty((len(keys), 2), dtype=np.int64)
    for k in order:
        if keys[k] > last:
            pairs[count, 0], pairs[count, 1], last = keys[k] // N, keys[k] % N, keys[k]
            count += 1
        if keys[k] >= 0:
            of[k] = count - 1
    gaps, changes, pushes = np.full(count, np.inf), np.empty((2, count)), np.zeros(count)
    _push(table, stencils, some, y, of, gaps, pushes)
    for m in range(2):
        changes[m] = gaps - _gaps_at(law, scene, stencils, some, of, pairs[:count], before[m])
    return Met(pairs[:count], gaps, changes, pushes, of)


@compiled
def _push(table, stencils, some, y, of, gaps, pushes):
    """Lower gaps (P,), and add Σ m |B'(d)| to pushes (P,)."""
    e = np.empty((3, 3))
    for k in range(len(of)):
        if of[k] >= 0:
            s = some.of[k]
            model, eps = table.model[stencils.pair[s, 0], stencils.pair[s, 1]], stencils.mollified[s]
            gap = some.distance[k] - table.xi[model]
            push = -barrier(gap, table.d_hat[model], table.xi[model])[1]
            gaps[of[k]] = min(gaps[of[k]], gap)
            pushes[of[k]] += push * (mollifier(cross_of(stencils.vertices, s, y, e), eps)[0] if eps > 0.0 else 1.0)


@compiled
def _gaps_at(law, scene, stencils, some, of, pairs, x):
    """The smallest gap (P,) [m] with nodes at x (N, 3): of the stencils, and of all points before a half-plane."""
    points, rows, kind, planes = scene.points, scene.rows, stencils.kind, scene.table.planes
    gaps, y, w, normal = np.full(len(pairs), np.inf), np.empty((len(points.row), 3)), np.empty(4), np.empty(3)
    for k in range(len(of)):
        s, p = some.of[k], of[k]
        if p < 0:
            continue
        if kind[s] != PLANE:
            for v in stencils.vertices[s]:
                place_points(points, rows, x, v, v + 1, y)
            d = distance(kind, stencils.vertices, s, y, planes, w, normal)
        elif gaps[p] == np.inf:
            d, plane = np.inf, planes[stencils.vertices[s, 1]]
            for v in law.corners[law.first_corner[pairs[p, 0]] : law.first_corner[pairs[p, 0] + 1]]:
                place_points(points, rows, x, v, v + 1, y)
                d = min(d, plane[0] * y[v, 0] + plane[1] * y[v, 1] + plane[2] * y[v, 2] - plane[3])
        else:
            continue
        gaps[p] = min(gaps[p], d - scene.table.xi[scene.table.model[stencils.pair[s, 0], stencils.pair[s, 1]]])
    return gaps


@compiled
def follow(law, scene, known, stencils, among, met):
    """What is done between two steps for those that have met.

    Args:
        law: A `Law`.
        scene: A `Scene`.
        known: All stencils that are known.
        stencils: Those that may be near.
        among: Their places among the known ones, (k,).
        met: Of `adopt`.

    Returns:
        The bodies (B,) whose κ_c is not what the last step has ended with.
    """
    result = np.zeros(len(scene.points.is_soft), dtype=np.bool_)
    if law.is_open:
        given = law.constants, law.pairs, law.values
        law.pairs, law.values, changed = followed(met.pairs, met.gaps, met.changes, *given)
        for i in range(scene.table.choosers):
            if changed[i]:
                result[scene.rows.body[scene.points.row[law.corners[law.first_corner[i]]]]] = True
        choose(law, scene, known, 0, len(known.kind))
        for k in range(len(among)):
            stencils.kappa[k] = known.kappa[among[k]]
    return result
