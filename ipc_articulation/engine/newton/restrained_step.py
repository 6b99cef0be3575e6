"""The Newton step of joints with limits, dry friction and motors that saturate (see `articulation.bounded_springs`).

Their D has kinks: a step with its second derivative would cross them, and a line search creep along them. So D is left
out of the quadratic model of the energy, and enters the step as it is (a proximal Newton method: Lee, Sun, Saunders
2014, «Proximal Newton-type methods for minimizing composite functions»):

    minimise over dq   gᵀ dq + ½ dqᵀ H dq + Σ Dₖ(xₖ + Jₖ dq),      x = δθ now,   J = ∂δθ/∂q

With dq₀ = -H⁻¹g, x̂ = x + J dq₀ and the compliance A = J H⁻¹ Jᵀ of the freedoms its solution is dq = dq₀ - H⁻¹ Jᵀ μ,
with the impulses μ of `articulation.spring_impulses`.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.affine import DOF
from ipc_articulation.articulation.bounded_springs import STIFFNESS, slopes
from ipc_articulation.articulation.spring_impulses import impulses
from ipc_articulation.compiled import compiled
from ipc_articulation.engine.linear_system.block_cholesky import solve_again


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
