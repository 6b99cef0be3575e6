"""The stages of a Newton iteration of bodies that may touch, besides those of `stages`."""

from __future__ import annotations

import numpy as np

from ipc_articulation.compiled import compiled
from ipc_articulation.engine import islands
from ipc_articulation.engine.newton.turning import on_circles
from prototypes.core import contact, friction, memory, resistance, stages, usual
from prototypes.core.search import boxes, cover, looked_at, near_pairs
from prototypes.core.stages import find_done, needed, take
from prototypes.core.system import solve, without_later
from prototypes.core.terms.coordinates import coordinates, write_nodes
from prototypes.core.ways import Place, between, joined, of_near, place_met, positions, shorter, way, with_others

_GAPS, _SLIPS, _EXACT_SLIPS = 0.1, 0.1, 1e-3  # of gaps, and of friction in parts of μ λ, what a last step may change


@compiled
def recall(work, resistances, anchored, anchors, springs, stretches):
    """Begin with what the last step has ended with; resistances are pairs and values."""
    law = work.scene.table.law
    law.pairs, law.values = resistances
    memory.recall(work.memory, anchored, anchors, springs, stretches)


@compiled
def begin(work, x, v, v_before, couples, adaptive):
    """Begin a step: what is near, what touches, resistances, and friction there.

    Args:
        work: After `recall`.
        x: Nodes (N, 3).
        v: Their velocities (N, 3) [m/s].
        v_before: Those of the step before.
        couples: Bodies that are always of one island, (c, 2).
        adaptive: κ_c of pairs without any [Pa].
    """
    scene, limits, law = work.scene, work.limits, work.scene.table.law
    held = law.pairs, law.values
    resistance.begin_step(law, scene, work.candidates.stencils, held, limits.dt, adaptive, v)
    work.start = islands.join(np.arange(len(work.start)), couples, ~scene.points.is_fixed)
    without_later(work.sums.matrix, work.blocks)
    _look_around(work, x)
    now = work.now
    met = resistance.adopt(law, scene, now.stencils, now.some, now.y, (x - limits.dt * v, x - limits.dt * v_before))
    work.since, work.friction = x, friction.lag(scene, limits, now.stencils, now.some, now.y)
    memory.anchor(scene, limits, work.memory, work.friction, x, x)
    work.stiffer = resistance.follow(law, scene, work.candidates.stencils, now.stencils, now.among, met)


@compiled
def _look_around(work, x):
    """Find what is near and what touches with nodes at x (N, 3); bodies that are near are of one island."""
    scene, points, rows = work.scene, work.scene.points, work.scene.rows
    movable, placed = ~points.is_fixed, needed(work)
    y = positions(points, rows, x, placed)
    near = near_pairs(scene.table, *boxes(points, y, y), movable)
    place_met(points, rows, x, near, placed, y)
    work.candidates, nearer = cover(scene, work.candidates, (x, x), (y, y), near)
    stencils, among = looked_at(scene.table, work.candidates, nearer)
    some = contact.near(scene.table, stencils, y, movable)
    work.start = joined(work.start, near, movable)
    work.now = Place(x, y, stencils, some, among, of_near(stencils, some))


@compiled
def renew_friction(work):
    """Take normal forces and tangents of friction from where bodies are; see `engine.newton.lagging`."""
    scene, limits = work.scene, work.limits
    _look_around(work, work.now.x)
    now = work.now
    work.friction = friction.lag(scene, limits, now.stencils, now.some, now.y)
    memory.anchor(scene, limits, work.memory, work.friction, now.x, work.since)
    usual.follow(work.usual, np.zeros_like(now.x))
    return work.start.copy()


@compiled
def assemble(work):
    """Add the derivatives of barriers and friction."""
    scene, now, sums = work.scene, work.now, work.sums
    of = sums.row_of_node, sums.is_free, sums.matrix, sums.g
    contact.add_derivatives(scene, work.limits.square, now.stencils, now.some, now.y, sums.projected, *of)
    friction.add_friction(scene, work.friction, work.since, now.x, sums.moving, *of)


@compiled
def measure(work):
    """Add their energies where bodies are."""
    add_energies(work, work.E)


@compiled
def add_energies(work, E):
    """Add their energies where bodies are to E (B,)."""
    _add_energies(work, work.now.x, work.now.y, E)


@compiled
def measure_ahead(work):
    """Add their energies where a line search looks."""
    _add_energies(work, work.at, work.y_at, work.E_ahead)


@compiled
def _add_energies(work, x, y, E):
    contact.add_energies(work.scene.table, work.limits.square, work.now.stencils, y, work.moving, E)
    friction.add_friction_energies(work.friction, work.since, x, work.moving, E)


@compiled
def remember(work):
    """What the state remembers of the end of a step: resistances, and what friction has."""
    memory.remember(work.scene, work.limits, work.memory, work.friction, work.since, work.now.x)
    law = work.scene.table.law
    return law.pairs, law.values, memory.known(work.memory)


@compiled
def stiffer(work):
    """The bodies (B,) whose resistance is not that with which the last step ended."""
    return work.stiffer


@compiled
def look_ahead(work, by_gradients, at_goal, is_late):
    """Look at all of the step that bodies may go, after corrections of gaps; its forces are foreseen.

    Returns:
        Whether any island has to lower its energy, and the smallest fraction of a step that a body may go.
    """
    scene, now, sums, square = work.scene, work.now, work.sums, work.limits.square
    placed = needed(work)
    work.y_ahead = positions(scene.points, scene.rows, now.x + work.dx, placed)
    if not by_gradients and len(now.some.of):
        loads = np.zeros_like(work.dx)
        if contact.add_corrections(scene, square, now.stencils, now.some, now.y, work.y_ahead, loads):
            more = np.empty_like(work.dx)
            solve(work.pattern, sums.matrix, sums.is_free, work.U, loads, more)
            work.dx -= more
            work.y_ahead = positions(scene.points, scene.rows, now.x + work.dx, placed)
    contact.foresee(scene, now.stencils, now.some, now.y, work.y_ahead)
    collide(work)
    if find_done(work, at_goal, is_late, True):
        y = between(scene.points, now.y, work.y_ahead, work.fraction)
        work.done &= _keeps(work, shorter(scene.rows, now.x, now.x + work.dx, work.fraction), y)
    return take(work), np.min(np.where(work.moving, work.fraction, 1.0))


@compiled
def collide(work):
    """Find how far bodies may go, what they meet there, and what is near on this way."""
    now = work.now
    found = way(
        work.scene, work.candidates, now, (now.x + work.dx, work.y_ahead), work.start, work.moving, work.limits.longest
    )
    work.fraction, work.labels, work.candidates, stencils, among = found
    work.now = with_others(now, stencils, among)


@compiled
def _keeps(work, ahead, y_ahead):
    """The bodies (B,) of islands in which a step to ahead (N, 3) almost keeps gaps and friction."""
    now, limits, B = work.now, work.limits, len(work.moving)
    gaps, slips = np.zeros(B), np.zeros(B)
    contact.add_changes(work.scene.table, now.stencils, now.y, y_ahead, work.moving, gaps)
    friction.add_slips(work.friction, work.since, now.x, ahead, work.moving, slips)
    allowed = np.where(islands.anyone(work.labels, limits.exact), _EXACT_SLIPS, _SLIPS)
    return (islands.largest(work.labels, gaps) < _GAPS) & (islands.largest(work.labels, slips) < allowed)


@compiled
def keeps(work):
    """The same of the step that was taken."""
    return _keeps(work, work.at, work.y_at)


@compiled
def end_iteration(work, may_end, tol):
    """Let friction follow the step, go there, and find what is within d̂; see `stages.end_iteration`."""
    friction.follow(work.friction, work.since, work.now.x, work.at, work.moving, work.turned)
    found = stages.end_iteration(work, may_end, tol)
    touch(work)
    return found


@compiled
def forget(work):
    """Forget what the last Newton step has foreseen."""
    work.now.stencils.foreseen[:] = np.nan


@compiled
def touch(work):
    """Find what is within d̂ where bodies are."""
    now = work.now
    some = contact.near(work.scene.table, now.stencils, now.y, work.moving)
    work.now = Place(now.x, now.y, now.stencils, some, now.among, of_near(now.stencils, some))


@compiled
def bend(work, order, parent):
    """The step of islands whose energies are too high on circles, see `newton.turning`.

    Returns:
        The nodes (N, 3) where the straight step leads and those where it leads on circles, and the bodies (B,) of these
        islands.
    """
    affine, now = len(parent), work.now
    which = work.moving & ~work.done & ~(islands.total(work.labels, work.E_ahead) <= work.highest)
    straight, circles = work.at.copy(), work.at - now.x
    q, dq = coordinates(now.x, affine), coordinates(circles, affine)
    write_nodes(on_circles(q, dq, order, parent), circles)
    return straight, now.x + circles, which


@compiled
def turn(work, straight, circles, which):
    """Let some bodies (B,) turn on circles in a line search, and the others go straight, to nodes (N, 3) each.

    Returns:
        Those of them whose way is free, and leads to no other island.
    """
    scene, now, body, row_of_node = work.scene, work.now, work.scene.rows.body, work.sums.row_of_node
    at = straight.copy()
    for n in range(len(at)):
        if which[body[row_of_node[n]]]:
            at[n] = circles[n]
    y_at = positions(scene.points, scene.rows, at, needed(work))
    free, met, work.candidates, stencils, among = way(
        scene, work.candidates, now, (at, y_at), work.start, work.moving, work.limits.longest
    )
    work.now = with_others(now, stencils, among)
    work.at, work.y_at, work.turned = at, y_at, which
    return which & ~islands.anyone(met, (free < 1.0) | (met != work.labels))
