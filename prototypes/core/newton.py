"""One step: Newton's method for the incremental potential, with collision detection; one compiled call.

The method is that of `engine.newton` (docs/step.md), without turns on circles, joints and sleep.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ipc_articulation.arrays import Array, Bools, Ints
from ipc_articulation.compiled import compiled
from ipc_articulation.contact.ccd import FLOOR
from ipc_articulation.engine import islands
from ipc_articulation.engine.newton.convergence import are_done
from ipc_articulation.engine.newton.extrapolation import rigid_motion
from ipc_articulation.engine.newton.turning import on_circles
from prototypes.core import contact, joints, layout, memory, shapes
from prototypes.core.friction import Friction, add_friction, add_friction_energies, add_slips, follow, lag
from prototypes.core.layout import Limits
from prototypes.core.references import by_reference
from prototypes.core.search import Candidates, boxes, cover, crowded, looked_at, near_pairs, nothing, paired
from prototypes.core.system import (
    Matrix,
    Pattern,
    analysed,
    cleared,
    empty_matrix,
    factorise,
    solve,
    solve_by_gradients,
    with_room,
)

_REMAINDER, _EXACT, _CHANGE = (1e-3, 1e-8), 30.0, (0.1, 1e-3)  # see `engine.potential` and `engine.newton.newton`
_HALVINGS, _ROUNDING = 8, 1e-12
_SHIFT, _SHORTENED = 1e-9, 50


class _Kept(NamedTuple):
    """What a step keeps for the next one."""

    candidates: Candidates
    matrix: Matrix
    pattern: Pattern
    U: Array
    places: tuple[Ints, Ints, Ints]  # of the blocks of elements
    row_of_node: Ints  # (N,)


KeptType, Kept = by_reference(_Kept, __name__)


class _Place(NamedTuple):
    """Where nodes and points are, and what is near there."""

    x: Array  # (N, 3)
    y: Array  # (V, 3)
    stencils: contact.Stencils
    some: contact.Near
    among: Ints  # (k,) places of the stencils among the candidates
    touching: contact.Stencils  # those within d̂


PlaceType, Place = by_reference(_Place, __name__)


class _Iteration(NamedTuple):
    """What a Newton iteration begins with."""

    scene: Any  # `layout.Scene` by reference
    linkage: Any  # `joints.Linkage`, likewise
    limits: Limits
    now: Place
    friction: Friction
    since: Array  # (N, 3) nodes at the beginning of the step
    x_tilde: Array  # (N, 3)
    before: Array  # (N, 3) the last Newton step
    moving: Bools  # (B,) bodies whose islands have not ended
    is_free: Bools  # (R,) rows that have unknowns


IterationType, Iteration = by_reference(_Iteration, __name__)


class _Held(NamedTuple):
    """A scene, its linkage and limits, and what is kept: to unpack their hundred arrays takes Python 100 µs a call."""

    scene: Any
    linkage: Any
    limits: Limits
    kept: Any
    memory: Any  # of friction, `memory.Memory` by reference, or None


HeldType, Held = by_reference(_Held, __name__)
RowsType, Rows = by_reference(layout.Rows, __name__)
PointsType, Points = by_reference(layout.Points, __name__)
MeshType, Mesh = by_reference(layout.Mesh, __name__)
TableType, Table = by_reference(layout.Table, __name__)
ElementsType, Elements = by_reference(layout.Elements, __name__)
SceneType, Scene = by_reference(layout.Scene, __name__)
LinkageType, Linkage = by_reference(joints.Linkage, __name__)


@compiled
def hold(scene, linkage, limits, x):
    """All that steps need, with the bodies at x (N, 3)."""
    parts = Rows(*scene.rows), Points(*scene.points), Mesh(*scene.mesh), Table(*scene.table)
    held = Scene(*parts, _elements(scene.membranes), _elements(scene.hinges), _elements(scene.solids))
    return Held(held, Linkage(*linkage), limits, begin(held, x), memory.nothing(limits.pairs_of))


@compiled
def _elements(elements):
    return None if elements is None else Elements(*elements)


@compiled
def advance(held, x, v):
    """`step` with what is held, which keeps what the next step needs. Returns: nodes, velocities, and iterations."""
    x, v, held.kept, iterations = step(held.scene, held.linkage, held.limits, held.kept, held.memory, x, v)
    return x, v, iterations


@compiled
def memory_of(held):
    """What friction remembers."""
    return held.memory


@compiled
def positions(points, rows, x, placed):
    """Points (V, 3) from nodes (N, 3): all of some bodies (B,), and hulls; the others are undefined."""
    y = np.empty((len(points.row), 3))
    for b in range(len(placed)):
        _place(points, rows, x, points.hull[b, 0], points.hull[b, 1], y)
        if placed[b] and points.hull[b, 0] != points.first[b]:
            _place(points, rows, x, points.first[b], points.first[b + 1], y)
    return y


@compiled
def _place(points, rows, x, begin, end, y):
    for v in range(begin, end):
        r = points.row[v]
        first, count = rows.first[r], rows.first[r + 1] - rows.first[r]
        for k in range(3):
            s = 0.0
            for a in range(count):
                s += points.weight[v, a] * x[first + a, k]
            y[v, k] = s


@compiled
def place_met(points, rows, x, near, placed, y):
    """Place all points of the bodies in pairs (k, 2) that are not among those placed (B,)."""
    for p in range(len(near)):
        for b in near[p]:
            if b < len(placed) and not placed[b]:
                _place(points, rows, x, points.first[b], points.first[b + 1], y)


@compiled
def begin(scene, x):
    """What the first step needs."""
    rows = scene.rows
    matrix = empty_matrix(rows.first)
    count = shapes.pairs_of(scene.membranes) + shapes.pairs_of(scene.hinges) + shapes.pairs_of(scene.solids)
    matrix = with_room(matrix, count, 9 * count)
    places = (
        shapes.place_elements(rows, scene.membranes, matrix),
        shapes.place_elements(rows, scene.hinges, matrix),
        shapes.place_elements(rows, scene.solids, matrix),
    )
    row_of_node = np.empty(len(x), dtype=np.int64)
    for r in range(len(rows.body)):
        for n in range(rows.first[r], rows.first[r + 1]):
            row_of_node[n] = r
    pattern = analysed(matrix)
    known = nothing()
    return Kept(known, matrix, pattern, np.empty(pattern.starts[-1]), places, row_of_node)


@compiled
def step(scene, linkage, limits, kept, remembered, x, v):
    """Advance nodes x (N, 3) and their velocities v by dt; friction remembers what it has in the end.

    Returns:
        Nodes and velocities, what is kept, and the number of iterations, negative if they were too many.
    """
    points, rows = scene.points, scene.rows
    movable = ~points.is_fixed
    x_tilde = predicted(rows, limits.dt, x, v)
    placed = paired(kept.candidates, len(movable))
    y = positions(points, rows, x, placed)
    near = near_pairs(scene.table, *boxes(points, y, y), movable)
    place_met(points, rows, x, near, placed, y)
    known, nearer = cover(scene, kept.candidates, (x, x), (y, y), near)
    known.stencils.foreseen[:] = np.nan
    stencils, among = looked_at(scene.table, known, nearer)
    some = contact.near(scene.table, stencils, y, movable)
    friction = lag(scene, limits, stencils, some, contact.coefficients(scene.table, stencils.pair), y)
    memory.anchor(scene, limits, remembered, friction, x, x)
    labels = joined(islands.join(np.arange(len(movable)), linkage.couples, movable), near, movable)
    now = Place(x, y, stencils, some, among, of_near(stencils, some))
    known, now = advanced(scene, linkage, limits, known, now, friction, x_tilde, x, v, labels, movable)
    kept = with_candidates(kept, known)
    count = len(movable)
    moving, size, whole = movable.copy(), np.zeros(count), np.ones(count)
    refused, before, iterations = np.zeros(count, dtype=np.bool_), np.zeros_like(x), 0
    while np.any(moving) and iterations < limits.most:
        iterations += 1
        projected = refused & (size >= np.where(points.is_soft, _EXACT, 1.0))
        is_free = free_rows(rows, moving)
        given = Iteration(scene, linkage, limits, now, friction, x, x_tilde, before, moving, is_free)
        dx, y_ahead, refused, kept = newton_step(given, projected, refused, kept)
        contact.foresee(scene, now.stencils, now.some, now.y, y_ahead)
        kept.candidates.stencils.foreseen[:] = 0.0
        kept.candidates.stencils.foreseen[now.among] = now.stencils.foreseen
        fraction, met, known, stencils, among = way(scene, kept.candidates, now, now.x + dx, y_ahead, labels, moving)
        last, size = size, sizes(scene, limits, met, now.y, y_ahead, dx)
        bodies = moving, movable, np.where(linkage.exact, _REMAINDER[1], _REMAINDER[0]), points.is_soft
        done = are_done(met, *bodies, fraction, size, np.minimum(last, 1.0), whole, 1.0, True)
        if np.any(done & moving):
            y_cut = between(points, now.y, y_ahead, fraction)
            here = Place(now.x, now.y, stencils, now.some, among, now.touching)
            given = Iteration(scene, linkage, limits, here, friction, x, x_tilde, before, moving, is_free)
            done &= keeps(given, shorter(rows, now.x, now.x + dx, fraction), y_cut, met)
        here = Place(now.x, now.y, stencils, now.some, among, now.touching)
        searching = moving & ~done
        kept = with_candidates(kept, known)
        given = Iteration(scene, linkage, limits, here, friction, x, x_tilde, before, moving, is_free)
        at, y, alpha, turned, here, kept = line_search(given, dx, y_ahead, fraction, met, searching, labels, kept)
        stencils, among = here.stencils, here.among
        follow(friction, x, now.x, at, moving, turned)
        before, whole = at - now.x, alpha
        moving, _, _ = islands.unfinished(met, moving, done, movable)
        some = contact.near(scene.table, stencils, y, moving)
        now = Place(at, y, stencils, some, among, of_near(stencils, some))
    memory.remember(scene, limits, remembered, friction, x, now.x)
    return now.x, (now.x - x) / limits.dt, kept, -iterations if np.any(moving) else iterations


@compiled
def with_candidates(kept, known):
    """What is kept, with other candidates."""
    return Kept(known, kept.matrix, kept.pattern, kept.U, kept.places, kept.row_of_node)


@compiled
def predicted(rows, dt, x, v):
    """x̃ = x + dt v + dt² a, (N, 3)."""
    result = x + dt * v
    for r in range(len(rows.body)):
        if not rows.is_fixed[r]:
            for k in range(3):
                result[rows.first[r], k] += dt * dt * rows.acceleration[r, k]
    return result


@compiled
def joined(labels, pairs, movable):
    """Labels (B,) of islands after joining those of pairs of bodies that can both move."""
    is_pair = pairs[:, 1] < len(labels)
    return islands.join(labels, pairs[is_pair], movable)


@compiled
def free_rows(rows, moving):
    """The rows (R,) that have unknowns."""
    result = np.empty(len(rows.body), dtype=np.bool_)
    for r in range(len(result)):
        result[r] = moving[rows.body[r]] and not rows.is_fixed[r]
    return result


@compiled
def advanced(scene, linkage, limits, known, now, friction, x_tilde, x, v, labels, movable):
    """Where Newton's method starts: bodies repeat their last motion, where nothing is in the way and E falls."""
    points, rows = scene.points, scene.rows
    motion = last_motion(scene, linkage, limits.dt, x, v)
    if not np.any(motion):
        return known, now
    y_ahead = positions(points, rows, x + motion, paired(known, len(movable)))
    fraction, met, known, stencils, among = way(scene, known, now, x + motion, y_ahead, labels, movable)
    stays = islands.anyone(met, fraction < 1.0)
    for r in range(len(rows.body)):
        if stays[rows.body[r]]:
            motion[rows.first[r] : rows.first[r + 1]] = 0.0
    ahead = x + motion
    placed = paired(known, len(movable))
    y_ahead = positions(points, rows, ahead, placed)
    E = energies(scene, linkage, limits, stencils, friction, x, x_tilde, x, now.y, movable)
    E_ahead = energies(scene, linkage, limits, stencils, friction, x, x_tilde, ahead, y_ahead, movable)
    falls = islands.total(met, E_ahead) < islands.total(met, E)
    for r in range(len(rows.body)):
        if not falls[rows.body[r]]:
            ahead[rows.first[r] : rows.first[r + 1]] = x[rows.first[r] : rows.first[r + 1]]
    y = positions(points, rows, ahead, placed)
    some = contact.near(scene.table, stencils, y, movable)
    return known, Place(ahead, y, stencils, some, among, of_near(stencils, some))


@compiled
def last_motion(scene, linkage, dt, x, v):
    """The rigid motion of the last step again, (N, 3), along trees of joints; of soft vertices dt v."""
    motion, affine = dt * v, len(linkage.parent)
    q, qdot, moves = joints.coordinates(x, affine), joints.coordinates(v, affine), ~scene.rows.is_fixed[:affine]
    tree = scene.rows.center[:affine], linkage.is_link, linkage.order, linkage.parent
    joints.write_nodes(rigid_motion(q, qdot, moves, *tree, dt), motion)
    return motion


@compiled
def energies(scene, linkage, limits, stencils, friction, since, x_tilde, x, y, moving):
    """E of the moving bodies, (B,); that of several belongs to one of them."""
    E, square = np.zeros(len(moving)), limits.dt**2
    shapes.add_energies(scene, square, x, x_tilde, y, moving, E)
    contact.add_energies(scene.table, square, stencils, y, moving, E)
    add_friction_energies(friction, since, x, moving, E)
    joints.add_energies(linkage, joints.coordinates(x, len(linkage.parent)), moving, E)
    return E


@compiled
def newton_step(given, projected, refused, kept):
    """The Newton step.

    Returns:
        -H⁻¹ g with gap corrections, (N, 3), points after it, the bodies whose exact Hessian was not definite, and what
        is kept.
    """
    now, limits, is_free, body = given.now, given.limits, given.is_free, given.scene.rows.body
    dx = np.empty_like(now.x)
    g, kept, at = assemble(given, projected, kept)
    may_refuse = not np.all(projected | ~given.moving)
    is_solved, definite, kept = solved(limits, kept, g, is_free, body, dx, may_refuse)
    if not is_solved:
        refused = refused.copy()
        for r in range(len(body)):
            if not definite[r] and is_free[r]:
                refused[body[r]] = True
        g, kept, at = assemble(given, projected | refused, kept)
        is_solved, definite, kept = solved(limits, kept, g, is_free, body, dx, False)
    if not limits.by_gradients:
        joints.restrain(given.linkage, at, dx, kept.pattern, kept.matrix, is_free, kept.U)
    placed = paired(kept.candidates, len(given.moving))
    y_ahead = positions(given.scene.points, given.scene.rows, now.x + dx, placed)
    if not limits.by_gradients and len(now.some.of):
        loads, of = np.zeros_like(dx), (now.stencils, now.some, now.y, y_ahead)
        if contact.add_corrections(given.scene, limits.dt**2, *of, loads):
            more = np.empty_like(dx)
            solve(kept.pattern, kept.matrix, is_free, kept.U, loads, more)
            dx -= more
            y_ahead = positions(given.scene.points, given.scene.rows, now.x + dx, placed)
    return dx, y_ahead, refused, kept


@compiled
def assemble(given, projected, kept):
    """The gradient (N, 3), with the Hessian in the matrix; and ∂δθ/∂q and δθ of articulations."""
    scene, now, friction, square = given.scene, given.now, given.friction, given.limits.dt**2
    g, count = np.zeros_like(now.x), len(now.some.of) + len(friction.force)
    more, q = joints.room(given.linkage), joints.coordinates(now.x, len(given.linkage.parent))
    matrix = with_room(kept.matrix, 6 * count + more, 16 * 54 * count + 144 * more)
    cleared(matrix)
    where = now.x, given.x_tilde, now.y, given.before
    shapes.add_derivatives(scene, square, *where, given.moving, projected, matrix, kept.places, g)
    of = kept.row_of_node, given.is_free, matrix, g
    contact.add_derivatives(scene, square, now.stencils, now.some, now.y, projected, *of)
    add_friction(scene, friction, given.since, now.x, given.moving, *of)
    at = joints.add_derivatives(given.linkage, q, given.moving, projected, given.is_free, matrix, g)
    return g, Kept(kept.candidates, matrix, kept.pattern, kept.U, kept.places, kept.row_of_node), at


@compiled
def solved(limits, kept, g, is_free, body, dx, may_fail):
    """Write -H⁻¹ g; whether H is definite, which rows (R,) are in definite parts, and what is kept."""
    if limits.by_gradients:
        is_solved, is_definite = solve_by_gradients(kept.matrix, is_free, body, g, dx)
        if is_solved:
            for k in range(len(dx)):
                for c in range(3):
                    dx[k, c] = -dx[k, c]
            return True, is_free, kept
        if may_fail and not is_definite:
            return False, ~is_free, kept
    if kept.pattern.blocks != kept.matrix.used[0]:
        pattern = analysed(kept.matrix)
        U = kept.U if len(kept.U) >= pattern.starts[-1] else np.empty(2 * pattern.starts[-1])
        kept = Kept(kept.candidates, kept.matrix, pattern, U, kept.places, kept.row_of_node)
    definite = factorise(kept.pattern, kept.matrix.numbers, is_free, kept.U)
    is_solved = np.all(definite)
    if not is_solved and not may_fail:
        shift(kept.matrix, definite)
        definite = factorise(kept.pattern, kept.matrix.numbers, is_free, kept.U)
        is_solved = True
    if is_solved:
        solve(kept.pattern, kept.matrix, is_free, kept.U, g, dx)
        for k in range(len(dx)):
            for c in range(3):
                dx[k, c] = -dx[k, c]
    return is_solved, definite, kept


@compiled
def shift(matrix, definite):
    """Shift the diagonal of rows that are not in definite parts."""
    for r in range(len(definite)):
        size, at = 3 * (matrix.first[r + 1] - matrix.first[r]), matrix.own[r]
        largest = 0.0
        for a in range(size):
            largest = max(largest, matrix.numbers[at + a * size + a])
        for a in range(size):
            matrix.numbers[at + a * size + a] += 0.0 if definite[r] else _SHIFT * largest


@compiled
def way(scene, known, now, x_ahead, y_ahead, labels, moving):
    """How far bodies may go to nodes (N, 3) and points ahead; those of bodies that they meet are placed.

    Returns:
        The fraction of each body, (B,); islands (B,); candidates; the stencils near this way, and which these are.
    """
    points, count = scene.points, len(moving)
    touching = now.touching
    labels, fraction, floors = joined(labels, touching.pair, ~points.is_fixed), np.ones(count), np.zeros(count)
    low, high = boxes(points, now.y, y_ahead)
    for b in range(count):
        for k in range(3):
            floors[b] = max(floors[b], FLOOR * abs(low[b, k]), FLOOR * abs(high[b, k]))
    contact.lower_fractions(scene.table, touching, now.y, y_ahead, labels, moving, floors, fraction)
    fraction = fraction[labels]
    placed, rows = paired(known, count), scene.rows
    for _ in range(_SHORTENED):
        y = between(points, now.y, y_ahead, fraction)
        near = near_pairs(scene.table, *boxes(points, now.y, y), moving)
        place_met(points, rows, now.x, near, placed, now.y)
        place_met(points, rows, x_ahead, near, placed, y_ahead)
        y = between(points, now.y, y_ahead, fraction)
        ends = (now.x, shorter(rows, now.x, x_ahead, fraction)), (now.y, y)
        is_crowded = crowded(scene, *ends, near)
        if not np.any(is_crowded):
            break
        is_crowded = islands.anyone(joined(labels, near, ~points.is_fixed), is_crowded)
        fraction = np.where(is_crowded, 0.25 * fraction, fraction)
    labels = joined(labels, near, ~points.is_fixed)
    known, nearer = cover(scene, known, *ends, near)
    stencils, some = looked_at(scene.table, known, nearer)
    again = np.ones(count)
    contact.lower_fractions(scene.table, stencils, now.y, y, labels, moving, floors, again)
    return fraction * again[labels], labels, known, stencils, some


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
def between(points, y, ahead, fraction):
    """Points at y + fraction (ahead - y), with a fraction for each body."""
    result = ahead.copy()
    for b in range(len(fraction)):
        if fraction[b] < 1.0:
            for begin, end in ((points.first[b], points.first[b + 1]), (points.hull[b, 0], points.hull[b, 1])):
                for v in range(begin, end):
                    for k in range(3):
                        result[v, k] = y[v, k] + fraction[b] * (ahead[v, k] - y[v, k])
    return result


@compiled
def of_near(stencils, some):
    """The stencils within d̂ alone."""
    of = some.of
    columns = stencils.pair[of], stencils.kind[of], stencils.vertices[of], stencils.mollified[of], stencils.foreseen[of]
    return contact.Stencils(*columns, np.zeros(len(of)))


@compiled
def sizes(scene, limits, labels, y, y_ahead, dx):
    """Size of a step in units of the tolerances, (B,); see `engine.newton.convergence`."""
    points, rows, size = scene.points, scene.rows, np.zeros(len(labels))
    for b in range(len(labels)):
        for v in range(points.hull[b, 0], points.hull[b, 1]):
            square = 0.0
            for k in range(3):
                square += (y_ahead[v, k] - y[v, k]) ** 2
            size[b] = max(size[b], square)
        size[b] = np.sqrt(size[b]) / limits.motion
    for r in range(len(rows.body)):
        for n in range(rows.first[r] + 1, rows.first[r + 1]):
            for k in range(3):
                size[rows.body[r]] = max(size[rows.body[r]], abs(dx[n, k]) / limits.change)
    of_bodies = islands.largest(labels, np.where(points.is_soft, 0.0, size))
    return np.where(points.is_soft, islands.largest(labels, size), of_bodies)


@compiled
def keeps(given, ahead, y_ahead, labels):
    """The bodies (B,) of islands in which a step to ahead (N, 3) almost keeps gaps and friction."""
    now, moving, exact = given.now, given.moving, given.linkage.exact
    gaps, slips = np.zeros(len(moving)), np.zeros(len(moving))
    contact.add_changes(given.scene.table, now.stencils, now.y, y_ahead, moving, gaps)
    add_slips(given.friction, given.since, now.x, ahead, moving, slips)
    allowed = np.where(islands.anyone(labels, exact), _CHANGE[1], _CHANGE[0])
    return (islands.largest(labels, gaps) < _CHANGE[0]) & (islands.largest(labels, slips) < allowed)


@compiled
def line_search(given, dx, y_ahead, fraction, labels, searching, joined_labels, kept):
    """Halve the steps of islands until their energy does not rise; the whole ones are tried on circles, too.

    Returns:
        Nodes (N, 3), points, the fractions (B,), the bodies (B,) that have turned, the place that they came from with
        what is near their ways, and what is kept.
    """
    row_of_node, alpha, now, scene = kept.row_of_node, fraction.copy(), given.now, given.scene
    ahead, turned = now.x + dx, np.zeros(len(alpha), dtype=np.bool_)
    at = shorter(scene.rows, now.x, ahead, alpha)
    placed = paired(kept.candidates, len(alpha))
    y = y_ahead if np.all(fraction == 1.0) else positions(scene.points, scene.rows, at, placed)
    if not np.any(searching):
        return at, y, alpha, turned, now, kept
    highest = islands.total(labels, energies_at(given, now.stencils, now.x, now.y))
    noise = islands.total(labels, rounding(scene, now.x, given.x_tilde, len(alpha)))
    for b in range(len(highest)):
        highest[b] += _ROUNDING * abs(highest[b]) + noise[b]
    for halving in range(_HALVINGS):
        too_high = ~(islands.total(labels, energies_at(given, now.stencils, at, y)) <= highest) & searching
        if not np.any(too_high):
            break
        if halving == 0 and len(given.linkage.parent):
            at, turned, now, kept = turn(given, at, too_high, highest, labels, joined_labels, kept)
            too_high &= ~turned
            searching = searching & ~turned
        alpha = np.where(too_high, 0.5 * alpha, alpha)
        straight = shorter(scene.rows, now.x, ahead, alpha)
        for n in range(len(at)):
            if not turned[scene.rows.body[row_of_node[n]]]:
                at[n] = straight[n]
        y = positions(scene.points, scene.rows, at, paired(kept.candidates, len(alpha)))
    return at, y, alpha, turned, now, kept


@compiled
def energies_at(given, stencils, x, y):
    """E of the moving bodies with nodes x (N, 3) and points y, (B,)."""
    of = given.scene, given.linkage, given.limits, stencils, given.friction, given.since, given.x_tilde
    return energies(*of, x, y, given.moving)


@compiled
def turn(given, at, too_high, highest, labels, joined_labels, kept):
    """The same step on circles for islands whose energy would rise, see `engine.newton.turning`.

    Returns:
        Nodes (N, 3), the bodies (B,) that turn, the place with what is near, and what is kept.
    """
    scene, linkage, now, affine = given.scene, given.linkage, given.now, len(given.linkage.parent)
    straight, body = at - now.x, scene.rows.body
    q, dq = joints.coordinates(now.x, affine), joints.coordinates(straight, affine)
    on, looked_at_, taken = on_circles(q, dq, linkage.order, linkage.parent), too_high, too_high
    circles = straight.copy()
    for _ in range(len(too_high) + 1):
        ahead = now.x + straight
        joints.write_nodes(on, circles)
        for n in range(len(ahead)):
            if looked_at_[body[kept.row_of_node[n]]]:
                ahead[n] = now.x[n] + circles[n]
        y_ahead = positions(scene.points, scene.rows, ahead, paired(kept.candidates, len(taken)))
        free, met, known, stencils, among = way(
            scene, kept.candidates, now, ahead, y_ahead, joined_labels, given.moving
        )
        kept = with_candidates(kept, known)
        taken = looked_at_ & ~islands.anyone(met, (free < 1.0) | (met != labels))
        if np.any(taken):
            taken &= islands.total(labels, energies_at(given, stencils, ahead, y_ahead)) <= highest
        if not np.any(taken) or np.all(taken == looked_at_):
            break
        looked_at_ = taken
    result = at.copy()
    for n in range(len(result)):
        if taken[body[kept.row_of_node[n]]]:
            result[n] = now.x[n] + circles[n]
    y = positions(scene.points, scene.rows, result, paired(kept.candidates, len(taken)))
    _, _, known, stencils, among = way(scene, kept.candidates, now, result, y, joined_labels, given.moving)
    kept = with_candidates(kept, known)
    return result, taken, Place(now.x, now.y, stencils, now.some, among, now.touching), kept


@compiled
def rounding(scene, x, x_tilde, count):
    """By how much rounding of x may change energies, (B,); see `engine.terms.kinetic`."""
    rows, noise = scene.rows, np.zeros(count)
    for r in range(len(rows.body)):
        first, size = rows.first[r], rows.first[r + 1] - rows.first[r]
        if rows.is_fixed[r]:
            continue
        for a in range(size):
            for k in range(3):
                force = 0.0
                for c in range(size):
                    force += rows.W[r, a, c] * (x[first + c, k] - x_tilde[first + c, k])
                noise[rows.body[r]] += 8.0 * 2.2e-16 * abs(force * x[first + a, k])
    return noise
