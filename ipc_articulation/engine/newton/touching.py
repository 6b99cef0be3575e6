"""What only bodies that may touch do in a Newton iteration, see `stages`."""

from __future__ import annotations

import numpy as np

from ipc_articulation.compiled import compiled
from ipc_articulation.contact import barriers, choosing, friction, islands, memory
from ipc_articulation.contact.corrections import add_corrections
from ipc_articulation.contact.models import fill
from ipc_articulation.contact.nodes import coordinates, write_nodes
from ipc_articulation.contact.ways import carry_foreseen, cut, of_near, way
from ipc_articulation.engine.newton.turning import on_circles
from ipc_articulation.engine.newton.work import points_at
from ipc_articulation.linear_system.system import solve

_GAPS, _SLIPS, _EXACT_SLIPS = 0.1, 0.1, 1e-3  # of gaps, and of friction in parts of μ λ, what a last step may change


@compiled
def collide(work):
    """Find how far bodies may go to where is looked at, what they meet there, and what is near on this way."""
    now = work.now
    ends, who = (work.at, work.y_at), (work.start, work.moving)
    work.free, work.met, work.candidates, stencils, among = way(
        work.scene, work.candidates, now, ends, who, work.limits.longest
    )
    carry_foreseen(now.stencils, stencils)
    now.stencils, now.among = stencils, among


@compiled
def follow_frictions(work):
    """Take other coefficients of friction, those of the table."""
    known = work.candidates.stencils
    fill(work.scene, known, 0, len(known.kind))


@compiled
def begin(work, before):
    """Begin a step with what is near: resistances, and friction.

    Args:
        work: After `collide` where bodies stand.
        before: nodes (N, 3) as the last motion would have brought them here, and likewise the one before it.
    """
    touch(work)
    scene, law, now = work.scene, work.scene.table.law, work.now
    met = choosing.adopt(law, scene, now.stencils, now.some, now.y, before)
    lag_friction(work)
    work.stiffer = choosing.follow(law, scene, work.candidates.stencils, now.stencils, now.among, met)
    work.start = work.met


@compiled
def lag_friction(work):
    """Take normal forces and tangents of friction from where bodies are, and anchors from what is remembered."""
    now = work.now
    work.friction = friction.lag(work.scene, work.limits, now.stencils, now.some, now.y)
    memory.anchor(work.scene, work.limits, work.memory, work.friction, now.x, work.since)


@compiled
def assemble(work):
    """Add the derivatives of barriers and friction."""
    scene, now, sums = work.scene, work.now, work.sums
    barriers.add_derivatives(scene, work.limits.square, now.stencils, now.some, now.y, sums)
    friction.add_friction(scene, work.friction, work.since, now.x, sums)


@compiled
def add_energies(work, x, y, E):
    """Add their energies with nodes at x (N, 3) and points at y (V, 3) to E (B,)."""
    barriers.add_energies(work.scene.table, work.limits.square, work.now.stencils, y, work.moving, E)
    friction.add_friction_energies(work.friction, work.since, x, work.moving, E)


@compiled
def remember(work):
    """What the state remembers of the end of a step: resistances, and what friction has."""
    memory.remember(work.scene, work.limits, work.memory, work.friction, work.since, work.now.x)
    law = work.scene.table.law
    return law.pairs, law.values, memory.known(work.memory)


@compiled
def foresee(work, by_gradients):
    """Correct gaps of the step that is looked at, whose forces are foreseen."""
    scene, now, sums, square = work.scene, work.now, work.sums, work.limits.square
    if not by_gradients and len(now.some.of):
        loads = np.zeros_like(work.dx)
        if add_corrections(scene, square, now.stencils, now.some, now.y, work.y_at, loads):
            more = np.empty_like(work.dx)
            solve(work.pattern, sums.matrix, sums.is_free, work.U, loads, more)
            work.dx -= more
            work.at = now.x + work.dx
            work.y_at = points_at(work, work.at)
    barriers.foresee(scene, now.stencils, now.some, now.y, work.y_at)


@compiled
def keeps(work, ahead, y_ahead):
    """The bodies (B,) of islands in which a step to nodes (N, 3) and points ahead almost keeps gaps and friction."""
    now, limits, B = work.now, work.limits, len(work.moving)
    gaps, slips = np.zeros(B), np.zeros(B)
    barriers.add_changes(work.scene.table, now.stencils, now.y, y_ahead, work.moving, gaps)
    friction.add_slips(work.friction, work.since, now.x, ahead, work.moving, slips)
    allowed = np.where(islands.anyone(work.labels, limits.exact), _EXACT_SLIPS, _SLIPS)
    return (islands.largest(work.labels, gaps) < _GAPS) & (islands.largest(work.labels, slips) < allowed)


@compiled
def keeps_ahead(work):
    """The same of as much of Newton's step as bodies may go."""
    ends = work.now.x + work.dx, work.y_ahead
    return keeps(work, *cut(work.scene, work.now, ends, work.fraction, work.candidates.points))


@compiled
def touch(work):
    """Find what is within d̂ where bodies are."""
    now = work.now
    now.some = barriers.near(work.scene.table, now.stencils, now.y, work.moving)
    now.touching = of_near(now.stencils, now.some)


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
    """Look at the way on which bodies (B,) turn on circles, and the others go straight, to nodes (N, 3) each.

    Returns: those of these bodies whose way is free, and leads to no other island.
    """
    at, body, row_of_node = straight.copy(), work.scene.rows.body, work.sums.row_of_node
    for n in range(len(at)):
        if which[body[row_of_node[n]]]:
            at[n] = circles[n]
    work.at, work.y_at, work.turned[:] = at, points_at(work, at), which
    collide(work)
    return which & ~islands.anyone(work.met, (work.free < 1.0) | (work.met != work.labels))
