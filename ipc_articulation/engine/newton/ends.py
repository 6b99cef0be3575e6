"""Where a step begins and ends: between the engine's state, with coordinates q (n, 12), and nodes."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ipc_articulation.arrays import Array, Bools, Ints
from ipc_articulation.compiled import compiled
from ipc_articulation.contact import choosing, islands, memory
from ipc_articulation.contact.nodes import write_nodes
from ipc_articulation.engine import joint_coordinates
from ipc_articulation.engine.integrator import predict
from ipc_articulation.engine.newton import stages, touching
from ipc_articulation.engine.newton.crushed import newly_crushed
from ipc_articulation.engine.newton.extrapolation import rigid_motion
from ipc_articulation.engine.newton.work import set_step
from ipc_articulation.engine.rest import BALANCE, ROUNDING, end_step
from ipc_articulation.engine.state import EngineState
from ipc_articulation.engine.terms import usual
from ipc_articulation.engine.terms.coordinate_term import Joints
from ipc_articulation.frontend.nodes.numbering import all_coordinates, write_all_nodes
from ipc_articulation.references import by_reference


class _Ends(NamedTuple):
    """What steps begin and end with, by n rows of twelve coordinates; A affine bodies come first."""

    numbers: Any  # `scene.numbering.Numbers`
    order: int  # of the time integrator
    acceleration: Array  # (n, 12)
    is_dynamic: Bools  # (n,)
    is_movable: Bools  # (n,)
    is_affine: Bools  # (n,)
    gravity: Array  # (R,) its magnitude at each row of nodes [m/s²]
    center: Array  # (n, 3) of mass, in the body's frame [m]
    is_link: Bools  # (n,) of articulations
    tree: Ints  # this and the next one are of `engine.joint_tree`
    parent: Ints
    coupled: Ints  # (B,) labels of islands of bodies that are always coupled
    driven: Bools  # (B,) bodies that do not rest
    joints: Any  # this and the next one are those of `joint_coordinates.follow`
    home: Array
    state: EngineState  # at the beginning of the step; to get one from Python takes 3 µs


EndsType, Ends = by_reference(_Ends, __name__)


@compiled
def hold_ends(of_rows, couples, movable, driven, of_joints, state):
    """`Ends` of what they have by rows, pairs (c, 2) of coupled bodies, those that move, those driven, and joints."""
    joints, home = of_joints
    coupled = islands.join(np.arange(len(movable)), couples, movable)
    return Ends(*of_rows, coupled, driven, Joints(*joints), home, state)


@compiled
def set_state(work, state):
    """Have another state at the beginning of the step."""
    work.ends.state = state


@compiled
def begin(work, state, dt):
    """Begin a step of dt [s] at a state."""
    set_state(work, state)
    set_step(work.limits, dt, True)
    ends, q_tilde, x = work.ends, np.empty_like(state.q), np.empty_like(work.since)
    predict(ends.order, state, ends.acceleration, ends.is_dynamic, dt, q_tilde)
    write_all_nodes(ends.numbers, q_tilde, work.usual.wells.goal)
    usual.begin(work.usual, dt)
    write_all_nodes(ends.numbers, state.q, x)
    stages.begin(work, x)


@compiled
def meet(work, adaptive):
    """Begin with what the last step has ended with, and what is near there; κ_c [Pa] of pairs without any."""
    scene, dt, state, numbers = work.scene, work.limits.dt, work.ends.state, work.ends.numbers
    known, held = work.candidates.stencils, (state.pairs, state.resistances)
    v, v_before = np.empty_like(work.since), np.empty_like(work.since)
    write_all_nodes(numbers, state.qdot, v)
    write_all_nodes(numbers, state.qdot_before, v_before)
    memory.recall(work.memory, state.anchored, state.anchors, state.springs, state.stretches)
    choosing.begin_step(scene.table.law, scene, known, held, dt, adaptive, v)
    touching.collide(work)
    touching.begin(work, (work.now.x - dt * v, work.now.x - dt * v_before))


@compiled
def aim(work, moving):
    """Look at the way on which bodies (B,) repeat the motion of the last step, see `newton.extrapolation`.

    Along trees of joints the rigid motions of affine bodies, of soft vertices dt v. Returns: whether any moves.
    """
    ends, state, dt, motion = work.ends, work.ends.state, work.limits.dt, np.empty_like(work.since)
    affine = np.count_nonzero(ends.is_affine)
    write_all_nodes(ends.numbers, dt * state.qdot, motion)
    of = state.q[:affine], state.qdot[:affine], moving[:affine], ends.center[:affine], ends.is_link[:affine]
    write_nodes(rigid_motion(*of, ends.tree, ends.parent, dt), motion)
    stages.aim(work, moving, motion)
    return np.any(motion)


@compiled
def end(work):
    """The end of a step.

    Returns:
        q and its rates (n, 12), and θ; bodies, as a mask (n,), that the step did not change and the next one would not
        either, and whether there are any; and whether `crushed` finds any.
    """
    ends, state, dt, unconverged = work.ends, work.ends.state, work.limits.dt, work.left | work.early
    _settle(work, ends.gravity, ends.driven | unconverged, dt)
    q, changed = all_coordinates(ends.numbers, work.now.x, state.q), np.empty(len(state.q), dtype=np.bool_)
    for i in range(len(changed)):
        b = ends.numbers.body_of[i]
        changed[i] = unconverged[b] or work.stiffer[b]
    qdot, same, found = end_step(ends.order, state, q, ends.is_movable, changed, dt)
    theta = joint_coordinates.follow(ends.joints, ends.home, state.theta, q)
    return q, qdot, theta, same, found, len(newly_crushed(state.q, q, ends.is_affine)[0]) > 0


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
    now.x = x


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
