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


@compiled
def press(dq, place, bodies, J, rows, springs, tilde, delta):
    """The springs that bear on a step.

    Args:
        dq: -H⁻¹ g, (n, 12), without them.
        place: Of each body among the unknowns, (n,); -1 where it has none.
        bodies: The two bodies of each freedom's joint, (F, 2).
        J: ∂δθ/∂q, (F, 24).
        rows: C, S rows.
        springs: The springs, (S, 4, 4).
        tilde: C δθ̃, (S,).
        delta: δθ at present, (F,).

    Returns:
        Whether there are any. Of those of bodies with unknowns rows, springs, C δθ̃, x, and x̂.
    """
    chosen = _moving(place, bodies, rows, springs)
    rows, springs, tilde = selected(rows, chosen), springs[chosen], tilde[chosen]
    x = along(rows, delta)
    ahead = x + _along(bodies, J, rows, dq)
    return len(chosen) > 0 and slopes(springs, tilde, ahead).any(), rows, springs, tilde, x, ahead


@compiled
def loads(bodies, J, rows, n):
    """Gᵀ, (S, n, 12)."""
    result = np.zeros((len(rows.first), n, DOF))
    for s in range(len(result)):
        for k in range(rows.starts[s], rows.starts[s + 1]):
            f = rows.first[s] + k - rows.starts[s]
            for side in range(2):
                result[s, bodies[f, side]] += rows.weights[k] * J[f, DOF * side : DOF * side + DOF]
    return result


@compiled
def restrained(dq, V, bodies, J, rows, springs, tilde, x, ahead):
    """dq - H⁻¹ Gᵀ μ, given V = H⁻¹ Gᵀ (S, n, 12); the other arguments as for, and from, `press`."""
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
