"""The impulses of bounded springs on freedoms that yield: x = x̂ - A μ, with a compliance A and μ = D'(x).

They minimise

    ½ μᵀ A μ + Σ Dₖ(x̂ - A μ),     with the gradient A (μ - D'(x̂ - A μ)).

This is convex, with quadratic pieces: Newton's method with an exact line search finds the minimum in a few iterations
(Qi, Sun 1993, «A nonsmooth version of Newton's method»). D is that of `bounded_springs`.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.articulation.bounded_springs import curvatures, slopes
from ipc_articulation.compiled import compiled

_ITERATIONS = 100
_BISECTIONS = 60
_TOLERANCE = 1e-12  # of the impulses, relative to the largest


@compiled
def impulses(A, springs, tilde, ahead, mu):
    """The μ (F,) that are least for a compliance A (F, F), springs (F, 4, 4), δθ̃ and x̂ (F,), from a first guess."""
    for _ in range(_ITERATIONS):
        x = ahead - A @ mu
        force = slopes(springs, tilde, x)
        step = np.linalg.solve(np.eye(len(A)) + curvatures(springs, x).reshape(-1, 1) * A, force - mu)
        if np.abs(step).max() <= _TOLERANCE * np.abs(mu).max():
            return mu
        mu = mu + _length(A, springs, tilde, ahead, mu, step) * step
    return mu


@compiled
def _length(A, springs, tilde, ahead, mu, step):
    """The α in [0, 1] at which the function of μ + α·step is least: 1, or where its derivative vanishes."""
    change, low, high = A @ step, 0.0, 1.0
    if _derivative(springs, tilde, ahead - A @ mu, mu, step, change, 1.0) <= 0.0:
        return 1.0
    for _ in range(_BISECTIONS):
        middle = 0.5 * (low + high)
        if _derivative(springs, tilde, ahead - A @ mu, mu, step, change, middle) > 0.0:
            high = middle
        else:
            low = middle
    return low if low > 0.0 else high


@compiled
def _derivative(springs, tilde, x, mu, step, change, alpha):
    """stepᵀ A (μ + α·step - D'(x - α A·step)) for change = A·step."""
    return np.dot(change, mu + alpha * step - slopes(springs, tilde, x - alpha * change))
