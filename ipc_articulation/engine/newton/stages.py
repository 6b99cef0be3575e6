"""The stages of a Newton iteration, compiled; `touching` has what only bodies do that may touch."""

from __future__ import annotations

import numpy as np

from ipc_articulation.compiled import compiled
from ipc_articulation.contact import friction, islands
from ipc_articulation.contact.search import boxes
from ipc_articulation.contact.ways import alone, at_place, shorter
from ipc_articulation.engine.newton import touching
from ipc_articulation.engine.newton.convergence import EXACT, SMALL, are_done, attenuated
from ipc_articulation.engine.newton.work import points_at
from ipc_articulation.engine.terms import articulations, usual
from ipc_articulation.linear_system.system import (
    analysed,
    cleared,
    factorise,
    is_of,
    solve_by_gradients,
    with_room,
    without_later,
)
from ipc_articulation.linear_system.system import solve as solve_by_factor

_ROUNDING = 1e-12  # relative noise of an energy, besides that of coordinates
SHIFT = 1e-9  # of the largest diagonal entry of a part: far above rounding, far below stiffness
SOLVED, REFUSED, NOT_FINITE = 0, 1, 2  # results of `solve`
LOW, HIGH = 0, 1  # results of `judge`, or NOT_FINITE


@compiled
def begin(work, x):
    """Begin a step with nodes at x (N, 3)."""
    work.start = islands.join(np.arange(len(work.start)), work.ends.couples, ~work.scene.points.is_fixed)
    work.since, work.early = x, np.zeros(len(work.start), dtype=np.bool_)
    work.left = work.early
    without_later(work.sums.matrix, work.blocks)
    stand(work, x)


@compiled
def stand(work, x):
    """Let bodies stand with nodes at x (N, 3), with nothing near that is known, and look there."""
    y = points_at(work, x)
    work.now, work.at, work.y_at, work.moving = alone(x, y), x, y, ~work.scene.points.is_fixed
    work.free, work.met = np.ones(len(work.start)), work.start


@compiled
def stay_there(work):
    """The same where bodies are."""
    stand(work, work.now.x)


@compiled
def nodes(work):
    """Nodes (N, 3) and points (V, 3) where bodies are, and which move, (B,)."""
    return work.now.x, work.now.y, work.moving


@compiled
def looked_at(work):
    """The same where a line search looks."""
    return work.at, work.y_at, work.moving


@compiled
def wake(work, moving):
    """Let these bodies (B,) move, and no others."""
    work.moving = moving


@compiled
def first(work, moving):
    """Begin a minimisation with some bodies (B,) where they are, and nothing foreseen. Returns: how many they are."""
    B = len(moving)
    work.moving, work.size, work.taken, work.residual = moving, np.zeros(B), np.ones(B), np.ones(B)
    work.left, work.early, work.refused = work.left | work.early, np.zeros(B, np.bool_), np.zeros(B, np.bool_)
    work.now.stencils.foreseen[:] = np.nan
    return np.count_nonzero(moving)


@compiled
def clear(work):
    """Begin sums of nothing of the rows that are free now, with room for blocks that all terms add."""
    sums, rows, (blocks, numbers) = work.sums, work.scene.rows, work.spare
    sums.moving = work.moving
    for r in range(len(rows.body)):
        sums.is_free[r] = work.moving[rows.body[r]] and not rows.is_fixed[r]
    count = 6 * (len(work.now.some.of) + len(work.friction.force))
    sums.matrix = with_room(sums.matrix, count + blocks, 144 * count + numbers)
    cleared(sums.matrix)
    sums.g[:] = 0.0


@compiled
def gradient(work):
    """The sum of gradients (N, 3)."""
    return work.sums.g.copy()


@compiled
def assemble(work):
    """Begin the sums of gradient and Hessian with the usual terms; those of refused bodies are projected."""
    clear(work)
    sums, rows, refused = work.sums, work.scene.rows, work.refused
    sums.projected = refused.copy() if work.scene.projects else np.ones(len(refused), dtype=np.bool_)
    for r in range(len(rows.body)):
        if not sums.is_free[r]:
            size, own = 3 * (rows.first[r + 1] - rows.first[r]), sums.matrix.own[r]
            for a in range(size):
                sums.matrix.numbers[own + (size + 1) * a] = 1.0
    usual.add_derivatives(work.usual, work.now.x, sums)


@compiled
def keep_blocks(work, blocks, numbers):
    """Let the blocks that there are be those with which each step begins, to which terms may add so many."""
    work.blocks, work.spare = work.sums.matrix.used[0], (blocks, numbers)


@compiled
def solve(work, by_gradients, restrains, may_fail):
    """Write the Newton step -H⁻¹ g, restrained by articulations, and look at all of it; its forces are foreseen.

    Returns:
        SOLVED; REFUSED if H is not definite and this may be: the bodies of parts that are not are projected from now
        on, else it is shifted; or NOT_FINITE.
    """
    sums, body = work.sums, work.scene.rows.body
    if not np.isfinite(np.sum(sums.g)):
        return NOT_FINITE
    is_solved, definite = _solved(work, by_gradients, may_fail and not np.all(sums.projected | ~work.moving))
    if not is_solved:
        for r in range(len(body)):
            if not definite[r] and sums.is_free[r]:
                work.refused[body[r]] = sums.projected[body[r]] = True
        return REFUSED
    if restrains and not by_gradients:
        articulations.restrain(work.usual.articulations, work.dx, work.pattern, sums.matrix, sums.is_free, work.U)
    if not np.isfinite(np.sum(work.dx)):
        return NOT_FINITE
    y = points_at(work, work.now.x + work.dx)
    if len(work.now.stencils.kind):
        y = touching.foresee(work, y, by_gradients)
    work.at, work.y_at, work.y_ahead = work.now.x + work.dx, y, y
    return SOLVED


@compiled
def _solved(work, by_gradients, may_fail):
    """Write -H⁻¹ g; whether H is definite, and which rows (R,) are in definite parts."""
    sums, dx = work.sums, np.empty_like(work.dx)
    matrix, is_free = sums.matrix, sums.is_free
    work.dx = dx
    if by_gradients:
        is_solved, is_definite = solve_by_gradients(matrix, is_free, work.scene.rows.body, sums.g, dx)
        if is_solved:
            _negate(dx)
            return True, is_free
        if may_fail and not is_definite:
            return False, ~is_free
    analyse(work)
    definite = factorise(work.pattern, matrix.numbers, is_free, work.U)
    is_solved = np.all(definite)
    if not is_solved and not may_fail:
        _shift(matrix, definite)
        definite = factorise(work.pattern, matrix.numbers, is_free, work.U)
        is_solved = True
    if is_solved:
        solve_by_factor(work.pattern, matrix, is_free, work.U, sums.g, dx)
        _negate(dx)
    return is_solved, definite


@compiled
def analyse(work):
    """Have a pattern of the matrix as it is."""
    if not is_of(work.pattern, work.sums.matrix):
        work.pattern = analysed(work.sums.matrix)
        if len(work.U) < work.pattern.starts[-1]:
            work.U = np.empty(2 * work.pattern.starts[-1])


@compiled
def _negate(dx):
    for k in range(len(dx)):
        for c in range(3):
            dx[k, c] = -dx[k, c]


@compiled
def _shift(matrix, definite):
    """Shift the diagonal of rows that are not in definite parts."""
    for r in range(len(definite)):
        size, at = 3 * (matrix.first[r + 1] - matrix.first[r]), matrix.own[r]
        largest = 0.0
        for a in range(size):
            largest = max(largest, matrix.numbers[at + a * size + a])
        for a in range(size):
            matrix.numbers[at + a * size + a] += 0.0 if definite[r] else SHIFT * largest


@compiled
def decide(work, at_goal, is_late):
    """Find the bodies for which the step is the last one, and look at as much of it as bodies may go.

    Returns:
        Whether any island has to lower its energy, and the smallest fraction of a step that a body may go.
    """
    work.labels, work.fraction, searches, smallest = work.met, work.free, False, 1.0
    _find_done(work, at_goal, is_late)
    work.taken, work.turned = work.free.copy(), np.zeros(len(work.free), dtype=np.bool_)
    for b in range(len(work.free)):
        if work.moving[b]:
            searches, smallest = searches or not work.done[b], min(smallest, work.fraction[b])
    if np.any(work.fraction < 1.0):
        go(work)
    return searches, smallest


@compiled
def _find_done(work, at_goal, is_late):
    """Find the bodies for which the step is the last one."""
    last, limits, points, touches = work.size, work.limits, work.scene.points, work.scene.touches
    work.motion, work.change = motions(work.scene, work.now.y, work.y_ahead, work.dx)
    work.size = sizes(work.labels, points.is_soft, limits, work.motion, work.change)
    work.gain = np.ones(len(last))
    if touches:  # else Newton's method starts near its goal
        work.gain = np.where(work.size < last, 1.0 - work.size / np.maximum(last, 1e-300), 0.0)
        last = np.minimum(last, 1.0)  # larger steps tell nothing of how fast it converges
    movable = ~points.is_fixed
    bodies = work.moving, movable, limits.remainder, points.is_soft
    done = are_done(work.labels, *bodies, work.fraction, work.size, last, work.taken, limits.ccd, at_goal)
    if is_late and at_goal:  # but for joints, whose forces another engine gets
        goes_on = (work.size >= SMALL) | (work.fraction < limits.ccd) | (movable & ~work.moving) | limits.exact
        done |= ~islands.anyone(work.labels, goes_on)
    if touches and np.any(done & work.moving):
        done &= touching.keeps_ahead(work)
    work.done = done


@compiled
def sizes(labels, is_soft, limits, motion, change):
    """Size of a step with these `motions` in units of the tolerances, (B,), see `engine.newton.convergence`."""
    size = np.maximum(motion / (limits.velocity * limits.dt), change / (limits.transrate * limits.dt))
    of_bodies = islands.largest(labels, np.where(is_soft, 0.0, size))
    return np.where(is_soft, islands.largest(labels, size), of_bodies)


@compiled
def motions(scene, y, ahead, dx):
    """How far points go from y to ahead, (V, 3), and how much dx (N, 3) changes the entries of A, (B,) each."""
    points, rows = scene.points, scene.rows
    motion, change = np.zeros(len(points.is_soft)), np.zeros(len(points.is_soft))
    for b in range(len(motion)):
        for v in range(points.hull[b, 0], points.hull[b, 1]):
            square = 0.0
            for k in range(3):
                square += (ahead[v, k] - y[v, k]) ** 2
            motion[b] = max(motion[b], square)
        motion[b] = np.sqrt(motion[b])
    for r in range(len(rows.body)):
        b, first = rows.body[r], rows.first[r]
        if points.hull[b, 0] == points.hull[b, 1]:  # no surface: its origin counts
            motion[b] = max(motion[b], np.sqrt(dx[first, 0] ** 2 + dx[first, 1] ** 2 + dx[first, 2] ** 2))
        for n in range(first + 1, rows.first[r + 1]):
            for k in range(3):
                change[b] = max(change[b], abs(dx[n, k]))
    return motion, change


@compiled
def go(work):
    """Look at the fractions of the step that are to be taken; bodies that have turned stay where they are."""
    scene, at = work.scene, work.at
    straight, body, row_of_node = (
        shorter(scene.rows, work.now.x, work.now.x + work.dx, work.taken),
        scene.rows.body,
        work.sums.row_of_node,
    )
    for n in range(len(at)):
        if not work.turned[body[row_of_node[n]]]:
            at[n] = straight[n]
    work.y_at = points_at(work, at)


@compiled
def measure(work, both):
    """Begin the sums of energies where a line search looks, or at both places: where bodies are, too."""
    if both:
        work.E = _energies(work, work.now.x, work.now.y)
    work.E_ahead = _energies(work, work.at, work.y_at)


@compiled
def _energies(work, x, y):
    """Those (B,) of the usual terms and of contact with nodes at x (N, 3) and points at y (V, 3)."""
    E = np.zeros(len(work.moving))
    usual.add_energies(work.usual, x, work.moving, E)
    if work.scene.touches:
        touching.add_energies(work, x, y, E)
    return E


@compiled
def judge(work, is_first):
    """Compare energies where a line search looks with the largest ones that islands accept.

    Args:
        work: With all energies.
        is_first: Whether the line search begins; then what rounding may have added is accepted, too.

    Returns:
        LOW if no island that searches has a higher energy there, HIGH, or NOT_FINITE.
    """
    if is_first:
        work.highest = islands.total(work.labels, work.E)
        for b in range(len(work.E)):
            work.highest[b] += _ROUNDING * abs(work.highest[b])
        if np.any(np.isnan(work.highest)):
            return NOT_FINITE
    if _is_low(work):
        return LOW
    if is_first:
        work.highest += islands.total(work.labels, usual.rounding(work.usual, work.now.x, work.moving))
    return LOW if is_first and _is_low(work) else HIGH


@compiled
def _is_low(work):
    """Whether no island that searches has a higher energy ahead."""
    total, is_accepted = islands.total(work.labels, work.E_ahead), True
    for b in range(len(total)):
        is_accepted &= total[b] <= work.highest[b] or not searches(work, b)
    return is_accepted


@compiled
def searches(work, b):
    """Whether body b has to lower its energy."""
    return work.moving[b] and not work.done[b] and not work.turned[b]


@compiled
def lower(work, which):
    """Those of some bodies (B,) whose islands' energies are not too high ahead."""
    return which & (islands.total(work.labels, work.E_ahead) <= work.highest)


@compiled
def halve(work):
    """Halve the steps of islands whose energies are too high."""
    total = islands.total(work.labels, work.E_ahead)
    for b in range(len(total)):
        if searches(work, b) and not total[b] <= work.highest[b]:
            work.taken[b] *= 0.5
    go(work)


@compiled
def end_iteration(work, may_end, attenuates, tol):
    """Go to where the line search has ended; islands with less of their first residual than tol end early.

    Args:
        work: After it.
        may_end: Whether there were iterations enough.
        attenuates: Whether this step lowers what is left of the first residual, see `convergence.attenuated`.
        tol: See `Config.semi_implicit_tol`.

    Returns:
        The number of bodies that go on, how many of these were at rest, and whether any island has ended early.
    """
    movable, ended, early = ~work.scene.points.is_fixed, np.zeros_like(work.done), False
    if attenuates:
        alpha = np.minimum(work.taken, work.gain)
        if work.scene.touches:
            alpha = np.where(touching.keeps(work, work.at, work.y_at), alpha, 0.0)
        work.residual = attenuated(work.labels, work.residual, alpha, work.limits.exact)
    for b in range(len(ended)):
        work.refused[b] &= work.size[b] >= (EXACT if work.scene.points.is_soft[b] else 1.0)
        if may_end:
            ended[b] = work.done[b] or work.residual[b] <= tol
            if ended[b] and not work.done[b] and work.moving[b]:
                work.early[b] = early = True
    if work.scene.touches:
        friction.follow(work.friction, work.since, work.now.x, work.at, work.moving, work.turned)
    usual.follow(work.usual, work.at - work.now.x)
    work.moving, number, woken = islands.unfinished(work.labels, work.moving, ended, movable)
    _arrive(work)
    work.E = work.E_ahead
    return number, woken, early


@compiled
def _arrive(work):
    """Go where is looked at, and find what is within d̂ there."""
    work.now = at_place(work.now, work.at, work.y_at)
    if work.scene.touches:
        touching.touch(work)


@compiled
def give_up(work):
    """End the minimisation; what still moves did not meet the convergence test."""
    work.early = work.early | work.moving


@compiled
def unconverged(work):
    """The bodies (B,) whose islands did not meet the convergence test in the last minimisation."""
    return work.early


@compiled
def place(work):
    """Nodes (N, 3) where bodies are."""
    return work.now.x


@compiled
def awake(work, has_moved):
    """The bodies (B,) of islands of which one is driven or has moved in the last step, (B,)."""
    return islands.anyone(work.start, work.ends.driven | work.stiffer | has_moved) & ~work.scene.points.is_fixed


@compiled
def aim(work, moving, motion):
    """Let some bodies (B,) move, and look at all of a motion (N, 3)."""
    work.moving, work.dx, work.at = moving, motion, work.now.x + motion
    work.y_at = work.y_ahead = points_at(work, work.at)


@compiled
def start(work):
    """Go to the end of that way where nothing is in it for an island, and the energy there is lower."""
    stays = islands.anyone(work.met, work.free < 1.0)  # others may be in the way of what stays
    falls = ~stays & (islands.total(work.met, work.E_ahead) < islands.total(work.met, work.E))
    work.taken, work.E = np.where(falls, 1.0, 0.0), np.where(falls, work.E_ahead, work.E)
    work.turned = np.zeros(len(falls), dtype=np.bool_)
    if not np.all(falls):
        go(work)
    _arrive(work)


@compiled
def energies(work):
    """Where terms add the energies of bodies where they are and where a line search looks, (B,) each."""
    return work.E, work.E_ahead


@compiled
def remember(work, E):
    """Have the energies (B,) of the straight step again."""
    work.E_ahead = E


@compiled
def go_as_far(work):
    """Go as far as collision detection allows."""
    work.taken, work.turned = work.free.copy(), np.zeros(len(work.free), dtype=np.bool_)
    go(work)
    work.now = at_place(work.now, work.at, work.y_at)


@compiled
def moved(work, since):
    """How far points are from where they were with nodes since (N, 3), and how much A has changed, (B,) each."""
    return motions(work.scene, points_at(work, since), work.now.y, work.now.x - since)


@compiled
def last_step(work):
    """Of Newton's last step the motion and the change of A, and the fraction that was allowed, (B,) each."""
    return work.motion, work.change, work.fraction


@compiled
def moves_more(work, since, end, rounding):
    """Bodies (B,) of islands that are farther from nodes since (N, 3) than `end` (B,), in units of the tolerances.

    What is not more than rounding, as a part of coordinates, is none.
    """
    points = work.scene.points
    motion, change = moved(work, since)
    low, high = boxes(points, work.now.y, work.now.y)
    for b in range(len(motion)):
        if motion[b] <= rounding * max(np.max(np.abs(low[b])), np.max(np.abs(high[b]))):
            motion[b] = change[b] = 0.0
    return islands.anyone(work.start, sizes(work.start, points.is_soft, work.limits, motion, change) > end)
