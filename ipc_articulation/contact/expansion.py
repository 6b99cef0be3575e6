"""Where the barriers are expanded for a Newton step, for numba.

Newton's model b(d) + b'(d) Δ + ½ b''(d) Δ² of a barrier at the gap d pulls back what leaves d̂, and knows nothing of
what comes from beyond it. So steps lead back and forth, or collision detection cuts them short. But b is a convex
function of the gap, and gaps change almost linearly: p = d + n·δc, c the vector between the closest points. So the
model is expanded where the step leads,

    b(δ) + b'(δ) (p - δ) + ½ b''(δ) (p - δ)²,

about a gap δ that follows p from solution to solution of the same system; at δ = p the step minimises what is quadratic
together with the barriers themselves, of linear gaps (prox-linear or composite Newton methods: Burke 1985, «Descent
methods for composite nondifferentiable optimization problems»; Lewis & Wright 2016, «A proximal method for composite
minimization»). The first solution, δ = d, is Newton's.
"""

from __future__ import annotations

from ipc_articulation.compiled import compiled
from ipc_articulation.contact.barrier import barrier

FRESH = 0.5  # of d̂, where a barrier is first expanded that would be passed through
_LEAST = 0.3  # δ becomes no smaller part of itself at once
NEAR = 0.2  # |p - δ| as part of δ, and of d̂ - δ, that is near enough
_EDGE = 0.05  # of d̂: differences at gaps of almost d̂ do not matter


@compiled
def follow(at, gap, d_hat):
    """The point of expansion δ after `at`, for a predicted gap [m]; `at` itself where it is near enough."""
    new = d_hat if gap >= d_hat else max(gap, _LEAST * at)
    low = min(new, at)
    return at if abs(new - at) <= NEAR * min(low, d_hat - low + _EDGE * d_hat) else new


@compiled
def expanded(at, gap, d_hat, xi):
    """b'(δ) + b''(δ) (d - δ), b'(δ) and b''(δ) ≥ 0 at the gap d, in units of κ; zero for δ = d̂."""
    if at >= d_hat:
        return 0.0, 0.0, 0.0
    _, slope, curvature = barrier(at, d_hat, xi)
    curvature = max(curvature, 0.0)
    return slope + curvature * (gap - at), slope, curvature
