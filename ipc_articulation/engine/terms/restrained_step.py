"""The Newton step with limits, dry friction and motors that saturate (see `articulation.bounded_springs`).

Their D has kinks: a step with its second derivative would cross them, and a line search creep along them. So D is left
out of the quadratic model of the energy, and enters the step as it is (a proximal Newton method: Lee, Sun, Saunders
2014, «Proximal Newton-type methods for minimizing composite functions»):

    minimise over dq   gᵀ dq + ½ dqᵀ H dq + Σ Dₛ(xₛ + Gₛ dq),      x = C δθ now,   G = C ∂δθ/∂q

for the rows C of `articulation.spring_rows`. With dq₀ = -H⁻¹g, x̂ = x + G dq₀ and the compliance A = G H⁻¹ Gᵀ of the
rows its solution is dq = dq₀ - H⁻¹ Gᵀ μ, with the impulses μ of `articulation.spring_impulses`.

Rows of different parts of H, which no block connects, know nothing of each other: each part has impulses of its own,
and one load Gᵀ of each part is solved for together. So robots that do not touch change no bit of each other's step.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ipc_articulation.affine import DOF
from ipc_articulation.arrays import Array, Ints
from ipc_articulation.articulation.bounded_springs import STIFFNESS, slopes
from ipc_articulation.articulation.spring_impulses import impulses
from ipc_articulation.articulation.spring_rows import along, selected
from ipc_articulation.compiled import compiled


class Pressed(NamedTuple):
    """The S springs of the parts of H in which any spring bears on a step, part by part."""

    rows: Any  # C, `SpringRows`
    springs: Array  # (S, 4, 4)
    tilde: Array  # (S,) C δθ̃
    x: Array  # (S,)
    ahead: Array  # (S,) x̂
    part: Ints  # (S,)


@compiled
def press(at, dq, place, labels):
    """The springs that bear on a step.

    Args:
        at: Articulations, `Linearized`.
        dq: -H⁻¹ g, (n, 12), without them.
        place: Of each body among the unknowns, (n,); -1 where it has none.
        labels: The part of each body, (n,); all bodies of an articulation are in one.

    Returns:
        `Pressed`.
    """
    of, bodies = at.arrays, at.arrays.bodies
    chosen = _moving(place, bodies, of.rows, of.springs)
    rows, springs, tilde = selected(of.rows, chosen), of.springs[chosen], of.row_tilde[chosen]
    x = along(rows, at.delta)
    ahead = x + _along(bodies, at.J, rows, dq)
    slope, part = slopes(springs, tilde, ahead), _parts(place, labels, bodies, rows)
    is_pressed = np.zeros(len(labels), dtype=np.bool_)
    for s in range(len(slope)):
        is_pressed[part[s]] |= slope[s] != 0.0
    order = np.argsort(part, kind="mergesort")
    kept = order[is_pressed[part[order]]]
    return Pressed(selected(rows, kept), springs[kept], tilde[kept], x[kept], ahead[kept], part[kept])


@compiled
def loads(bodies, J, rows, part, n):
    """The s-th Gᵀ of every part, added up, for all s: (largest number of a part, n, 12)."""
    slot = _slots(part)
    result = np.zeros((slot.max() + 1, n, DOF))
    for s in range(len(slot)):
        for k in range(rows.starts[s], rows.starts[s + 1]):
            f = rows.first[s] + k - rows.starts[s]
            for side in range(2):
                result[slot[s], bodies[f, side]] += rows.weights[k] * J[f, DOF * side : DOF * side + DOF]
    return result


@compiled
def restrained(at, dq, V, labels, pressed):
    """dq - H⁻¹ Gᵀ μ, given V = H⁻¹ of the `loads`; the other arguments as for, and from, `press`."""
    rows, springs, tilde, x, ahead, part = pressed
    yields, step, first = np.empty((len(V), len(part))), dq.copy(), 0
    for s in range(len(V)):
        yields[s] = _along(at.arrays.bodies, at.J, rows, V[s])
    while first < len(part):
        after = first + 1
        while after < len(part) and part[after] == part[first]:
            after += 1
        A, own = np.ascontiguousarray(yields[: after - first, first:after]), slice(first, after)
        mu = impulses(A, springs[own], tilde[own], ahead[own], slopes(springs[own], tilde[own], x[own]))
        for s in range(len(mu)):
            if mu[s] != 0.0:
                for b in range(len(step)):
                    if labels[b] == part[first]:
                        step[b] -= mu[s] * V[s, b]
        first = after
    return step


@compiled
def _parts(place, labels, bodies, rows):
    """The part of each row, (S,): that of a body with unknowns."""
    part = np.empty(len(rows.first), dtype=np.int64)
    for s in range(len(part)):
        for k in range(rows.starts[s], rows.starts[s + 1]):
            i, j = bodies[rows.first[s] + k - rows.starts[s]]
            if rows.weights[k] != 0.0 and (place[i] >= 0 or place[j] >= 0):
                part[s] = labels[i] if place[i] >= 0 else labels[j]
    return part


@compiled
def _slots(part):
    """The number of each row in its part, (S,); rows of a part follow each other."""
    slot = np.zeros(len(part), dtype=np.int64)
    for s in range(1, len(part)):
        slot[s] = slot[s - 1] + 1 if part[s] == part[s - 1] else 0
    return slot


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
