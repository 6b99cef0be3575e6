"""Newton's convergence test, which is that of libuipc, and the report of a step that does not meet it.

A step meets it if it moves no vertex by velocity_tol·dt, changes no entry of any A by transrate_tol·dt, and collision
detection allows at least the fraction ccd_tol of it. Beyond it, Newton goes on until the next step would be a small
fraction of the tolerances, the remainder. It is smaller for the links of articulations, whose contact forces go to
another engine.

The rows of soft bodies in an island with an articulation need not be as exact: bodies look at the steps of bodies only.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.compiled import compiled
from ipc_articulation.contact import islands

_CONTRACTION = 0.1  # ratio of two steps that shows Newton to be near its goal
TINY = 1e-6  # fraction of the tolerances below which a step needs no further one
EXACT = 30.0  # times the tolerances: below this size steps of soft bodies are tried with exact Hessians again
LATE, SMALL = 60, 0.05  # iterations after which steps of this size are the last ones: they are mostly rounding
USUAL_REMAINDER = 1e-3
EXACT_REMAINDER = 1e-8  # see `Term.exact`: joints, and contact forces on them, are then right to 1e-6

SMALLER_STEP = "try a smaller dt, a larger newton/max_iter or a looser newton/velocity_tol"
STIFFER = "it turns or deforms fast: try a smaller dt, a larger kappa or a looser newton/transrate_tol"
FARTHER = (
    "surfaces are almost in touch: try a smaller dt, a larger contact/d_hat or, where it is given, a larger resistance"
)


@compiled
def are_done(work, last_size, at_goal):
    """Returns: (B,), whether the step of a body's island is its last one.

    A step is the last one if it meets the test and the next step, at the rate of the last two, would be below the
    remainder. If a body at rest comes near, that body must move first.

    Args:
        work: With the size of the step, the fraction of it that collision detection allows, and the fraction of the one
            before that was taken: only a full step determines the rate.
        last_size: Size of the step before, (B,); 0 if there was none.
        at_goal: Whether all constraints have reached their goals; without it no step is the last one.
    """
    labels, size, is_soft, limits = work.labels, work.size, work.scene.points.is_soft, work.limits
    done, before = np.empty(len(labels), dtype=np.bool_), np.zeros((2, len(labels)))
    for b in range(len(labels)):
        done[b] = at_goal
    for b in range(len(labels)):
        if work.taken[b] == 1.0:
            for kind in range(int(is_soft[b]), 2):
                before[kind, labels[b]] = max(before[kind, labels[b]], last_size[b])
        if not work.fraction[b] >= limits.ccd or (work.movable[b] and not work.moving[b]):
            done[labels[b]] = False
    for b in range(len(labels)):
        last = before[int(is_soft[b]), labels[b]]
        rate = size[b] <= _CONTRACTION * last and size[b] ** 2 <= limits.remainder[b] * last
        if not (size[b] < 1.0 and (rate or size[b] <= TINY)):
            done[labels[b]] = False
    for b in range(len(labels)):
        done[b] = done[labels[b]]
    return done


@compiled
def attenuated(labels, beta, alpha, exact):
    """Remaining fraction of the first residual after a step, (n,), for libuipc's semi-implicit termination.

    The fraction α of a Newton step leaves 1 - α of the gradient if that is linear,

        g(q + α dq) = (1 - α) g(q) + O(|dq|²),     so β ← (1 - α) β,

    The force κ/d of a tiny gap that changes by the part r of itself leaves r² of itself besides: a whole step that only
    doubles a gap of 1e-12 m leaves half of a force that is far too large. So α is 0 where gaps or friction change by
    much. Islands with an articulation are omitted: their remaining residual would be an error of its joints.

    Args:
        labels: Islands, (n,).
        beta: Remaining fraction before the step, (n,).
        alpha: Fraction of the step that was taken, (n,); 0 where the step does not count.
        exact: Bodies of articulations, (n,).
    """
    left = beta.copy()
    for b in range(len(beta)):
        if not exact[b]:
            left[b] *= 1.0 - alpha[b]
    return islands.largest(labels, left)
