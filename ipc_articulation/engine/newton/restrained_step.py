"""The Newton step with limits, dry friction and motors that saturate (see `articulation.bounded_springs`).

Their D has kinks: a step with its second derivative would cross them, and a line search creep along them. So D is left
out of the quadratic model of the energy, and enters the step as it is (a proximal Newton method: Lee, Sun, Saunders
2014, «Proximal Newton-type methods for minimizing composite functions»):

    minimise over dq   gᵀ dq + ½ dqᵀ H dq + Σ Dₛ(xₛ + Gₛ dq),      x = C δθ now,   G = C ∂δθ/∂q

for the rows C of `articulation.spring_rows`. With dq₀ = -H⁻¹g, x̂ = x + G dq₀ and the compliance A = G H⁻¹ Gᵀ of the
rows its solution is dq = dq₀ - H⁻¹ Gᵀ μ, with the impulses μ of `articulation.spring_impulses`.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.affine import DOF
from ipc_articulation.articulation.bounded_springs import STIFFNESS, slopes
from ipc_articulation.articulation.spring_impulses import impulses
from ipc_articulation.articulation.spring_rows import along, selected
from ipc_articulation.compiled import compiled
from ipc_articulation.engine.linear_system.block_cholesky import solve_again


@compiled
def restrained(dq, place, pattern, U, bodies, J, rows, springs, tilde, delta):
    """The step with the springs.

    Args:
        dq: -H⁻¹ g, (n, 12), without them.
        place: Of each body among the unknowns, (n,); -1 where it has none.
        pattern: Of the factor of H.
        U: That factor.
        bodies: The two bodies of each freedom's joint, (F, 2).
        J: ∂δθ/∂q, (F, 24).
        rows: C, S rows.
        springs: The springs, (S, 4, 4).
        tilde: C δθ̃, (S,).
        delta: δθ at present, (F,).
    """
    chosen = _moving(place, bodies, rows, springs)
    if len(chosen) == 0:
        return dq
    rows, springs, tilde = selected(rows, chosen), springs[chosen], tilde[chosen]
    x = along(rows, delta)
    ahead = x + _along(bodies, J, rows, dq)
    if not slopes(springs, tilde, ahead).any():
        return dq
    V = _responses(place, pattern, U, bodies, J, rows, dq.shape)
    A = np.empty((len(V), len(V)))
    for s in range(len(V)):
        A[s] = _along(bodies, J, rows, V[s])
    mu = impulses(A, springs, tilde, ahead, slopes(springs, tilde, x))
    step = dq.copy()
    for s in range(len(mu)):
        if mu[s] != 0.0:
            step -= mu[s] * V[s]
    return step


@compiled
def _moving(place, bodies, rows, springs):
    """The rows that have a spring, and a body with unknowns."""
    chosen = np.zeros(len(springs), dtype=np.bool_)
    for s in range(len(springs)):
        if springs[s, :, STIFFNESS].any():
            for k in range(rows.starts[s], rows.starts[s + 1]):
                i, j = bodies[rows.first[s] + k - rows.starts[s]]
                chosen[s] |= rows.weights[k] != 0.0 and (place[i] >= 0 or place[j] >= 0)
    return np.flatnonzero(chosen)


@compiled
def _along(bodies, J, rows, dq):
    """G dq, (S,)."""
    change = np.zeros(len(rows.first))
    for s in range(len(change)):
        for k in range(rows.starts[s], rows.starts[s + 1]):
            if rows.weights[k] != 0.0:
                f, turned = rows.first[s] + k - rows.starts[s], 0.0
                for side in range(2):
                    for c in range(DOF):
                        turned += J[f, DOF * side + c] * dq[bodies[f, side], c]
                change[s] += rows.weights[k] * turned
    return change


@compiled
def _responses(place, pattern, U, bodies, J, rows, shape):
    """H⁻¹ Gᵀ, (S, n, 12)."""
    V = np.zeros((len(rows.first), *shape))
    unknown = np.flatnonzero(place >= 0)
    for s in range(len(V)):
        b = np.zeros((len(pattern.order), DOF))
        for k in range(rows.starts[s], rows.starts[s + 1]):
            f = rows.first[s] + k - rows.starts[s]
            for side in range(2):
                row = place[bodies[f, side]]
                if row >= 0 and rows.weights[k] != 0.0:
                    b[row] += rows.weights[k] * J[f, DOF * side : DOF * side + DOF]
        moved = solve_again(pattern, U, b)
        for body in unknown:
            V[s, body] = moved[place[body]]
    return V
