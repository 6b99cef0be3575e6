"""Collision detection of a step in one compiled call, where all bodies are affine and of one material.

It takes the stages of `Potential.step_fractions` in the same order. Where pairs of bodies must be searched or measured
anew, or stencils are so many that cores share them, it stops before its last stage, and `Potential` goes on.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.compiled import compiled
from ipc_articulation.contact import ccd
from ipc_articulation.contact.broad_phase import boxes_of_way, near_moving, with_moved
from ipc_articulation.contact.candidates import glance
from ipc_articulation.contact.material_contact import TOGETHER
from ipc_articulation.contact.planes import motion
from ipc_articulation.contact.positions import follow
from ipc_articulation.engine.newton import islands


@compiled
def sweep(sides, touching, candidates, at, scratch, start, moving, awake, paired, q, dq, labels, movable):
    """The fraction of a step dq (n, 12) from q that each body may take.

    Args:
        sides: `HeldSides`.
        touching: This and the next seven are of `ContactWorld.sweeping`.
        candidates: The first ten fields of `Candidates`.
        at: Positions x, low and high at q.
        scratch: Positions from x on, which are overwritten with those ahead.
        start: Boxes (n, 3) at the beginning of the step, and floors (n,).
        moving: Bodies that move, (n,).
        awake: Bodies that have moved since the step began, (n,); the moving ones are added.
        paired: Bodies in candidate pairs, (n,).
        q: Where bodies are placed.
        dq: The step.
        labels: Islands at the beginning of the step, (n,).
        movable: Bodies that are not fixed, (n,).

    Returns:
        Fractions and islands (n,); the coordinates ahead (n, 12) that these stages have looked at; the pairs near on
        this way; whether the last stage is done; and the columns of the stencils that it has looked at.
    """
    x, low, high = at
    x_ahead, low_ahead, high_ahead, q_of_x, q_of_boxes = scratch
    moved = sides.points, sides.first, sides.corners, sides.first_corner
    targets = x_ahead, low_ahead, high_ahead, q_of_x, q_of_boxes
    labels, ahead = islands.join(labels, touching[0], movable), q + dq
    follow(*moved, ahead, moving, awake, paired, *targets)
    whose, ways = (labels, moving, start[2]), (q, x, x_ahead)
    share = _fractions(sides, touching, *whose, *ways, ahead)
    if share.min() < 1.0:
        for b in range(len(q)):
            ahead[b] = q[b] + share[b] * dq[b]
        follow(*moved, ahead, moving, awake, paired, *targets)
    around = boxes_of_way(awake, low, high, low_ahead, high_ahead, start[0], start[1])
    near = near_moving(*around, sides.allowed, awake, sides.reach)
    labels = islands.join(labels, with_moved(near, moving), movable)
    _, missing, is_far, columns = glance(*candidates, near, q, ahead, (sides.center, sides.half), sides.reach)
    is_done = not (len(missing) or is_far or len(columns[1]) > TOGETHER)
    if is_done:
        of = columns[0], columns[1], columns[2], columns[3]
        share = share * _fractions(sides, of, labels, moving, start[2], *ways, ahead)
    return share, labels, ahead, near, is_done, columns


@compiled
def _fractions(sides, stencils, labels, moving, floors, q, x, x_ahead, ahead):
    """`ContactWorld.step_fractions` of the first four columns of stencils."""
    fractions = np.ones(len(labels))
    motion.lower_fractions(sides.planes, q, ahead, floors, labels, moving, fractions)
    if len(stencils[1]):
        limits = sides.thickness, sides.d_hat, floors
        ccd.lower_fractions(*stencils, labels, moving, x, x_ahead, *limits, fractions)
    return fractions[labels]
