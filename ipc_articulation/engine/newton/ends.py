"""Where a step begins and ends: between the engine's state, with coordinates q (n, 12), and nodes."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ipc_articulation.arrays import Array, Bools, Ints
from ipc_articulation.compiled import compiled
from ipc_articulation.contact import choosing, islands, memory
from ipc_articulation.engine.integrator import predict
from ipc_articulation.engine.newton import stages
from ipc_articulation.engine.newton.extrapolation import rigid_motion
from ipc_articulation.engine.rest import BALANCE, ROUNDING, end_step
from ipc_articulation.engine.scene.numbering import all_coordinates, write_all_nodes, write_nodes
from ipc_articulation.references import by_reference


class _Ends(NamedTuple):
    """What of a scene never changes, by n rows of twelve coordinates; A affine bodies come first."""

    numbers: Any  # `terms.coordinates.Numbers`
    order: int  # of the time integrator
    acceleration: Array  # (n, 12)
    is_dynamic: Bools  # (n,)
    is_movable: Bools  # (n,)
    is_affine: Bools  # (n,)
    stiffness: Array  # (A,) v κ of stiff bodies, or none [J]
    gravity: Array  # (R,) its magnitude at each row of nodes [m/s²]
    center: Array  # (n, 3) of mass, in the body's frame [m]
    is_link: Bools  # (n,) of articulations
    tree: Ints  # this and the next one are of `engine.joint_tree`
    parent: Ints


EndsType, Ends = by_reference(_Ends, __name__)


@compiled
def hold_ends(ends):
    """`Ends` of these."""
    return Ends(*ends)


@compiled
def begin(work, ends, state, couples, dt):
    """Begin a step of dt [s] at a state, with pairs of bodies (c, 2) that are of one island."""
    usual, q_tilde, x = work.usual, np.empty_like(state.q), np.empty_like(work.since)
    predict(ends.order, state, ends.acceleration, ends.is_dynamic, dt, q_tilde)
    write_all_nodes(ends.numbers, q_tilde, usual.wells.goal)
    usual.stiff.c[:] = dt * dt * ends.stiffness
    usual.stiff.step[:] = 0.0
    write_all_nodes(ends.numbers, state.q, x)
    stages.begin(work, x, couples)


@compiled
def recall(work, ends, state, adaptive):
    """Begin with what the last step has ended with, before anything is looked for; κ_c [Pa] of pairs without any."""
    law, known, v = work.scene.table.law, work.candidates.stencils, np.empty_like(work.since)
    write_all_nodes(ends.numbers, state.qdot, v)
    memory.recall(work.memory, state.anchored, state.anchors, state.springs, state.stretches)
    choosing.begin_step(law, work.scene, known, (state.pairs, state.resistances), work.limits.dt, adaptive, v)


@compiled
def places_before(work, ends, state):
    """Nodes (N, 3) as the last motion would have brought them here, and likewise the one before it."""
    v, v_before, dt = np.empty_like(work.since), np.empty_like(work.since), work.limits.dt
    write_all_nodes(ends.numbers, state.qdot, v)
    write_all_nodes(ends.numbers, state.qdot_before, v_before)
    return work.now.x - dt * v, work.now.x - dt * v_before


@compiled
def aim(work, ends, state, moving, dt):
    """Look at the way on which bodies (B,) repeat the motion of the last step, see `newton.extrapolation`.

    Along trees of joints the rigid motions of affine bodies, of soft vertices dt v. Returns: whether any moves.
    """
    motion, affine = np.empty_like(work.since), np.count_nonzero(ends.is_affine)
    write_all_nodes(ends.numbers, dt * state.qdot, motion)
    of = state.q[:affine], state.qdot[:affine], moving[:affine], ends.center[:affine], ends.is_link[:affine]
    write_nodes(rigid_motion(*of, ends.tree, ends.parent, dt), motion)
    stages.first(work, moving)
    stages.aim(work, motion)
    return np.any(motion)


@compiled
def end(work, ends, state, unconverged, is_driven, dt):
    """The end of a step.

    Args:
        work: After Newton's method.
        ends: `Ends`.
        state: At the beginning.
        unconverged: Bodies (B,) whose islands did not meet the convergence test.
        is_driven: Those that do not rest, (B,).
        dt: [s].

    Returns:
        q and its rates (n, 12); bodies, as a mask (n,), that the step did not change and the next one would not either,
        and whether there are any.
    """
    _settle(work, ends.gravity, is_driven | unconverged, dt)
    q, changed = all_coordinates(ends.numbers, work.now.x, state.q), np.empty(len(state.q), dtype=np.bool_)
    for i in range(len(changed)):
        b = ends.numbers.body_of[i]
        changed[i] = unconverged[b] or work.stiffer[b]
    qdot, same, found = end_step(ends.order, state, q, ends.is_movable, changed, dt)
    return q, qdot, same, found


@compiled
def _settle(work, gravity, stays, dt):
    """Restore the nodes of islands that moved only by rounding, but those of some bodies (B,); see `engine.rest`."""
    rows, points, now, goes = work.scene.rows, work.scene.points, work.now, stays.copy()
    for r in range(len(rows.body)):
        moved, extent = _motion(rows, points, now.x, work.since, r)
        rounding = ROUNDING * (np.max(np.abs(now.x[rows.first[r]])) + extent)
        goes[rows.body[r]] |= moved > min(rounding, BALANCE * gravity[r] * dt * dt)
    goes = islands.anyone(work.start, goes)
    if np.all(goes):
        return
    x = now.x.copy()
    for r in range(len(rows.body)):
        if not goes[rows.body[r]]:
            x[rows.first[r] : rows.first[r + 1]] = work.since[rows.first[r] : rows.first[r + 1]]
    work.now = stages.at_place(now, x, now.y)


@compiled
def _motion(rows, points, x, since, r):
    """How far the points of a row's hull have moved from nodes since to x, (N, 3), its origin at least; its extent."""
    b, first, moved, extent = rows.body[r], rows.first[r], 0.0, 0.0
    count = rows.first[r + 1] - first
    begin, end = (points.hull[b, 0], points.hull[b, 1]) if count > 1 else (0, 0)
    for k in range(3):
        moved += (x[first, k] - since[first, k]) ** 2 if begin == end else 0.0
    for v in range(begin, end):
        square, arm = 0.0, 0.0
        for a in range(1, count):
            arm += points.weight[v, a] ** 2
        for k in range(3):
            s = 0.0
            for a in range(count):
                s += points.weight[v, a] * (x[first + a, k] - since[first + a, k])
            square += s * s
        moved, extent = max(moved, square), max(extent, arm)
    return np.sqrt(moved), np.sqrt(extent)
