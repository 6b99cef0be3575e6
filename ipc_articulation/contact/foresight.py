"""The forces that barriers will have at the end of a Newton step, foreseen by the model of that step, for numba.

Newton's method takes B' for linear in the gap d. But a gap that is far too small opens only to twice its size an
iteration, and light bodies near d̂, where the force grows as the square of the depth, come half as deep. The model of a
step foresees a force that is nearly that of its goal already: with the slope h that the model had,

    β = min(B'(d) + h ∂d·dq, 0),

and in the next iteration h is not B''(d), but the slope of the chord to the gap g with that force:

    h = (B'(g) - B'(d))/(g - d),   B'(g) = β.

Where B' = -1/d, as it is for small gaps, h = -β/d, the matrix of a primal-dual interior-point method with the dual
variable -β (Nocedal, Wright 2006, «Numerical optimization», section 19.3). Energy and gradient remain those of B. In
the first iteration of a step nothing is foreseen, and h = B''; gaps that were open in the last one have β = 0.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.compiled import compiled
from ipc_articulation.contact.barrier import barrier, gap_scale

_NEAR = 1e-2  # of `gap_scale`: how near to g a gap counts as g


@compiled
def chord(gap, slope, curvature, foreseen, d_hat, xi):
    """The slope h of a barrier with B' = slope and B'' = curvature; B'' where nothing is foreseen (NaN), or it is 0."""
    if np.isnan(foreseen) or curvature <= 0.0:
        return curvature
    goal, at_goal = d_hat, 0.0
    if foreseen < 0.0:
        goal, at_goal = _gap_with(foreseen, min(gap, gap * slope / foreseen), d_hat, xi)
    return curvature if _are_near(gap, goal, d_hat) else (at_goal - slope) / (goal - gap)


@compiled
def _gap_with(slope, gap, d_hat, xi):
    """A gap with almost B' = slope, and its B', by Newton's method for √-B' from a gap that is smaller.

    √-B' falls as a convex function up to about d̂/2, and almost straight beyond, where steps go at most half-way to d̂.
    """
    root, last, now = np.sqrt(-slope), gap, slope
    for _ in range(100):
        _, now, curvature = barrier(gap, d_hat, xi)
        last, size = gap, np.sqrt(-now)
        gap = min(max(gap + 2.0 * size * (size - root) / curvature, 0.5 * gap), 0.5 * (gap + d_hat))
        if _are_near(last, gap, d_hat):
            break
    return last, now


@compiled
def _are_near(gap, other, d_hat):
    return abs(other - gap) <= _NEAR * gap_scale(gap, other, d_hat)
