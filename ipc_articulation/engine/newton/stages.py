"""The stages of a step, compiled: how it begins, whose step is the last one, and where bodies go.

`direction` has the Newton step, `line_search` how much of it is taken, `touching` what only bodies do that may touch.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.compiled import compiled
from ipc_articulation.contact import friction, islands
from ipc_articulation.contact.search import boxes
from ipc_articulation.contact.ways import at_place
from ipc_articulation.engine.newton import touching
from ipc_articulation.engine.newton.convergence import EXACT, SMALL, are_done, attenuated
from ipc_articulation.engine.newton.line_search import go, measure
from ipc_articulation.engine.newton.work import points_at
from ipc_articulation.engine.terms import usual
from ipc_articulation.linear_system.system import without_later


@compiled
def begin(work, x):
    """Begin a step with nodes at x (N, 3)."""
    work.start, work.since = work.ends.coupled, x
    work.early[:] = False
    work.left[:] = False
    without_later(work.sums.matrix, work.blocks)
    stand(work, x)


@compiled
def stand(work, x):
    """Let bodies stand with nodes at x (N, 3), with nothing near that is known, and look there."""
    y = points_at(work, x)
    work.now, work.at, work.y_at, work.moving = at_place(work.nowhere, x, y), x, y, work.movable
    work.free, work.met = np.ones(len(work.start)), work.start


@compiled
def stay_there(work):
    """The same where bodies are."""
    stand(work, work.now.x)


@compiled
def nodes(work):
    """Nodes (N, 3) where bodies are, and which move, (B,)."""
    return work.now.x, work.moving


@compiled
def looked_at(work):
    """The same where a line search looks."""
    return work.at, work.moving


@compiled
def points(work):
    """Points (V, 3) where bodies are."""
    return work.now.y


@compiled
def wake(work, moving):
    """Let these bodies (B,) move, and no others."""
    work.moving = moving


@compiled
def first(work, moving):
    """Begin a minimisation with some bodies (B,) where they are, and nothing foreseen. Returns: how many they are."""
    work.moving = moving
    for b in range(len(moving)):
        work.size[b], work.taken[b], work.residual[b] = 0.0, 1.0, 1.0
        work.left[b] |= work.early[b]
        work.early[b] = work.refused[b] = False
    work.now.stencils.foreseen[:] = np.nan
    return np.count_nonzero(moving)


@compiled
def decide(work, at_goal, is_late):
    """Find how far bodies may go of Newton's step, and for which it is the last one; look at as much of it.

    Returns:
        Whether any island has to lower its energy, and the smallest fraction of a step that a body may go.
    """
    if work.scene.touches:
        touching.collide(work)
    work.labels, work.fraction, searches, smallest = work.met, work.free, False, 1.0
    _find_done(work, at_goal, is_late)
    for b in range(len(work.free)):
        work.taken[b], work.turned[b] = work.free[b], False
        if work.moving[b]:
            searches, smallest = searches or not work.done[b], min(smallest, work.free[b])
    if np.any(work.fraction < 1.0):
        go(work)
    return searches, smallest


@compiled
def _find_done(work, at_goal, is_late):
    """Find the bodies for which the step is the last one."""
    last, limits, touches = work.size, work.limits, work.scene.touches
    work.motion, work.change = motions(work.scene, work.now.y, work.y_ahead, work.dx)
    work.size = sizes(work.labels, work.scene.points.is_soft, limits, work.motion, work.change)
    for b in range(len(last)):
        work.gain[b] = 1.0
        if touches:  # else Newton's method starts near its goal
            work.gain[b] = 1.0 - work.size[b] / last[b] if work.size[b] < last[b] else 0.0
            last[b] = min(last[b], 1.0)  # larger steps tell nothing of how fast it converges
    work.done = are_done(work, last, at_goal)
    if is_late and at_goal:  # but for joints, whose forces another engine gets
        goes_on = (work.size >= SMALL) | (work.fraction < limits.ccd) | (work.movable & ~work.moving) | limits.exact
        work.done |= ~islands.anyone(work.labels, goes_on)
    if touches and np.any(work.done & work.moving):
        work.done &= touching.keeps_ahead(work)


@compiled
def sizes(labels, is_soft, limits, motion, change):
    """Size of a step with these `motions` in units of the tolerances, (B,), see `engine.newton.convergence`."""
    size, of_bodies = np.empty(len(motion)), np.zeros(len(motion))
    for b in range(len(size)):
        size[b] = max(motion[b] / (limits.velocity * limits.dt), change[b] / (limits.transrate * limits.dt))
        if not is_soft[b]:
            of_bodies[labels[b]] = max(of_bodies[labels[b]], size[b])
    size = islands.largest(labels, size)
    for b in range(len(size)):
        if not is_soft[b]:
            size[b] = of_bodies[labels[b]]
    return size


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
    ended, early, touches = np.zeros_like(work.done), False, work.scene.touches
    if attenuates:
        alpha = np.minimum(work.taken, work.gain)
        if touches:
            alpha = np.where(touching.keeps(work, work.at, work.y_at), alpha, 0.0)
        work.residual = attenuated(work.labels, work.residual, alpha, work.limits.exact)
    for b in range(len(ended)):
        work.refused[b] &= work.size[b] >= (EXACT if work.scene.points.is_soft[b] else 1.0)
        if may_end:
            ended[b] = work.done[b] or work.residual[b] <= tol
            if ended[b] and not work.done[b] and work.moving[b]:
                work.early[b] = early = True
    if touches:
        friction.follow(work.friction, work.since, work.now.x, work.at, work.moving, work.turned)
    usual.follow(work.usual, work.now.x, work.at)
    work.moving, number, woken = islands.unfinished(work.labels, work.moving, ended, work.movable)
    _arrive(work)
    work.E[:] = work.E_ahead
    return number, woken, early


@compiled
def _arrive(work):
    """Go where is looked at, and find what is within d̂ there."""
    work.now.x, work.now.y = work.at, work.y_at
    if work.scene.touches:
        touching.touch(work)


@compiled
def give_up(work):
    """End the minimisation; what still moves did not meet the convergence test."""
    work.early |= work.moving


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
    return islands.anyone(work.start, work.ends.driven | work.stiffer | has_moved) & work.movable


@compiled
def aim(work, moving, motion):
    """Let some bodies (B,) move, and look at all of a motion (N, 3)."""
    work.moving, work.dx, work.at = moving, motion, work.now.x + motion
    work.y_at = work.y_ahead = points_at(work, work.at)
    if work.scene.touches:
        touching.collide(work)


@compiled
def start(work, added):
    """Go to the end of that way where nothing is in it for an island, and the energy there is lower.

    `added` (2, B) are the energies of terms that are not `usual`, see `line_search`.
    """
    measure(work, added, True)
    stays = islands.anyone(work.met, work.free < 1.0)  # others may be in the way of what stays
    before, after, falls = islands.total(work.met, work.E), islands.total(work.met, work.E_ahead), True
    for b in range(len(stays)):
        falls_too = not stays[b] and after[b] < before[b]
        work.taken[b], work.turned[b] = 1.0 if falls_too else 0.0, False
        if falls_too:
            work.E[b] = work.E_ahead[b]
        falls &= falls_too
    if not falls:
        go(work)
    _arrive(work)


@compiled
def go_as_far(work):
    """Go as far as collision detection allows."""
    work.taken[:], work.turned[:] = work.free, False
    go(work)
    work.now.x, work.now.y = work.at, work.y_at


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
