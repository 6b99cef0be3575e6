"""The Newton step of joints with limits, dry friction and motors that saturate (see `articulation.bounded_springs`).

Their D has kinks: a step with its second derivative would cross them, and a line search creep along them. So D is left
out of the quadratic model of the energy, and enters the step as it is (a proximal Newton method: Lee, Sun, Saunders
2014, «Proximal Newton-type methods for minimizing composite functions»):

    minimise over dq   gᵀ dq + ½ dqᵀ H dq + Σ Dₖ(xₖ + Jₖ dq),      x = δθ now,   J = ∂δθ/∂q

With dq₀ = -H⁻¹g, x̂ = x + J dq₀ and the compliance A = J H⁻¹ Jᵀ of the freedoms its solution is dq = dq₀ - H⁻¹ Jᵀ μ,
where the impulses μ minimise

    ½ μᵀ A μ + Σ Dₖ(x̂ - A μ),     with the gradient A (μ - D'(x̂ - A μ)).

This is convex, with quadratic pieces: Newton's method with an exact line search finds the minimum in a few iterations.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.affine import DOF
from ipc_articulation.articulation.bounded_springs import STIFFNESS, curvatures, slopes
from ipc_articulation.compiled import compiled
from ipc_articulation.engine.linear_system.block_cholesky import solve_again

_ITERATIONS = 100
_BISECTIONS = 60
_TOLERANCE = 1e-12  # of the impulses, relative to the largest


@compiled
def restrained(dq, place, pattern, U, bodies, J, springs, tilde, x):
    """The step with the springs.

    Args:
        dq: -H⁻¹ g, (n, 12), without them.
        place: Of each body among the unknowns, (n,); -1 where it has none.
        pattern: Of the factor of H.
        U: That factor.
        bodies: The two bodies of each freedom's joint, (F, 2).
        J: ∂δθ/∂q, (F, 24).
        springs: The springs, (F, 4, 4).
        tilde: δθ̃, (F,).
        x: δθ at present, (F,).
    """
    chosen = _moving(place, bodies, springs)
    springs, tilde, bodies, J = springs[chosen], tilde[chosen], bodies[chosen], J[chosen]
    ahead = x[chosen] + _along(bodies, J, dq)
    if not slopes(springs, tilde, ahead).any():
        return dq
    V = _responses(place, pattern, U, bodies, J, dq.shape)
    A = np.empty((len(J), len(J)))
    for k in range(len(J)):
        A[k] = _along(bodies, J, V[k])
    mu = impulses(A, springs, tilde, ahead, slopes(springs, tilde, x[chosen]))
    step = dq.copy()
    for k in range(len(mu)):
        if mu[k] != 0.0:
            step -= mu[k] * V[k]
    return step


@compiled
def _moving(place, bodies, springs):
    """The freedoms that have a spring, and a body with unknowns."""
    chosen = np.zeros(len(bodies), dtype=np.bool_)
    for k in range(len(bodies)):
        if place[bodies[k, 0]] >= 0 or place[bodies[k, 1]] >= 0:
            chosen[k] = springs[k, :, STIFFNESS].any()
    return np.flatnonzero(chosen)


@compiled
def _along(bodies, J, dq):
    """J dq, (F,)."""
    change = np.zeros(len(J))
    for k in range(len(J)):
        for side in range(2):
            for c in range(DOF):
                change[k] += J[k, DOF * side + c] * dq[bodies[k, side], c]
    return change


@compiled
def _responses(place, pattern, U, bodies, J, shape):
    """H⁻¹ Jᵀ, (F, n, 12)."""
    V = np.zeros((len(J), *shape))
    unknown = np.flatnonzero(place >= 0)
    for k in range(len(J)):
        b = np.zeros((len(pattern.order), DOF))
        for side in range(2):
            row = place[bodies[k, side]]
            if row >= 0:
                b[row] += J[k, DOF * side : DOF * side + DOF]
        moved = solve_again(pattern, U, b)
        for body in unknown:
            V[k, body] = moved[place[body]]
    return V


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
