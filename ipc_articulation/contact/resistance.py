"""Contact resistance that follows from what each pair has to carry, for pairs that leave it open (`BY_LOAD`).

A barrier of resistance κ_c presses with the force F(d) = κ_c |B'(d)|: 0.2 κ_c d̂³ at nine tenths of d̂, 4.3 κ_c d̂³ at a
half, 12 κ_c d̂³ at a fifth (see `barrier`), and below with about 2 κ_c d̂⁴/d. So the gap tells whether κ_c fits the load:
between 0.2 d̂ and 0.85 d̂ it does, within a factor of 30. Every pair of bodies has its own κ_c. In the step in which they
come within d̂ of each other it is

    start:   κ_c = m a / |B'(d̂/2)|,   1/m = 1/m_i + 1/m_j,   a = g + min(u²/d̂, u/dt):

at half of d̂ one point bears the weight of the lighter body, and stops it from the speed u, at which the two can
approach each other, over the way d̂ or within the step, whichever is gentler; for g = 0 stands d̂/(10 dt²). Bodies that
are in contact when the first step begins, and were before it, do not meet: u is there the speed at which their gap
closes, and all points that are in contact bear the body together, max(Σ |B'(d)|, |B'(d̂/2)|) in place of |B'(d̂/2)|.
Between two steps κ_c follows the smallest gap d with which the step has ended, if d is outside of these limits and
rests:

    κ_c → κ_c B'(d)/B'(d̂/2), at most twice and at least half of it

A gap rests if the last two steps' changes Δd of it are small beside those that its own force would make of it, with
speeds of √(a d̂) and accelerations of a = max(κ_c |B'(d)|/m, g/100):

    |Δd| < dt √(a d̂)/10 for both,   and they differ by less than a dt²/10

Otherwise κ_c stays: what the barrier takes up in a hit is energy of motion, and no load, also where the hit turns.
Beyond d̂ it is forgotten.

**Energy.** Lowering takes energy out. Raising at the gap d₀ with which a step begins adds (κ_c' - κ_c) B(d₀), and B(d₀)
is at most about |B'(d₀)| d̂/4: of a pair at rest a quarter of the work of its load over d̂. **Friction** takes the normal
forces with which the last step ended. **Scales:** sizes, masses and times enter by m, d̂, g, u and dt only.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ipc_articulation.arrays import Array, Bools, Ints
from ipc_articulation.compiled import compiled
from ipc_articulation.contact.barrier import barrier
from ipc_articulation.contact.held import place
from ipc_articulation.contact.materials import Materials

_MIDDLE, _NARROW, _WIDE = 0.5, 0.2, 0.85  # gaps in units of d̂
_SLOWLY = 2.0  # greatest change of κ_c from one step to the next
_LITTLE = 0.1  # of what a contact's force can give: hardly motion; of d̂/dt²: what stands for g where there is none
_LEAST = 0.01  # of g, what a contact's force can give at least
_SMALLEST = 2.0**-20  # of its start, below which κ_c is not lowered


class Constants(NamedTuple):
    """Constants of a step."""

    mass: Array  # (N,) [kg], inf for what never moves
    body_pairs: Ints  # (m, m) index of a material
    plane_pairs: Ints  # (m, P) index of a material
    group: Ints  # (n,) see `Materials`
    by_load: Bools  # (k,) of the materials
    d_hat: Array  # (k,) [m]
    thickness: Array  # (k,) ξ [m]
    slope: Array  # (k,) |B'(d̂/2)| [m³]
    given: Array  # (k,) κ_c of the other materials [Pa]
    speed: Array  # (N,) greatest of a body's points [m/s]
    gravity: float  # [m/s²]
    dt: float  # [s]


def constants(mass: Array, gravity: float, materials: Materials) -> tuple[Any, ...]:
    """`Constants` of a scene, as a plain tuple, which numba takes faster.

    Args:
        mass: Of bodies and half-planes, (N,) [kg], inf for what never moves; it may change between steps.
        gravity: [m/s²].
        materials: The contact models of all pairs.
    """
    d_hat, xi = materials.d_hat, materials.thickness
    slope = np.array([-barrier(_MIDDLE * d, d, x)[1] for d, x in zip(d_hat, xi, strict=True)])
    pairs = materials.body_pairs, materials.plane_pairs, materials.group
    given, still = np.zeros(len(d_hat)), np.zeros(len(mass))
    return tuple(Constants(mass, *pairs, materials.by_load, d_hat, xi, slope, given, still, gravity, 1.0))


@compiled
def _ordered(law, one, other):
    """Both bodies of a pair, the smaller number first, and its material."""
    i, j, n = min(one, other), max(one, other), len(law.group)
    return i, j, law.body_pairs[law.group[i], law.group[j]] if j < n else law.plane_pairs[law.group[i], j - n]


@compiled
def _start(law, i, j, m):
    """m a / |B'(d̂/2)| of a pair of material m."""
    return _to_stop(law, i, j, m, law.speed[i] + law.speed[j])


@compiled
def _to_stop(law, i, j, m, u):
    """The same for a speed u [m/s]."""
    return _mass(law, i, j) * (_gravity(law, m) + min(u * u / law.d_hat[m], u / law.dt)) / law.slope[m]


@compiled
def _mass(law, i, j):
    """m of a pair [kg]."""
    return 1.0 / (1.0 / law.mass[i] + 1.0 / law.mass[j])


@compiled
def _gravity(law, m):
    """g, or what stands for it [m/s²]."""
    return law.gravity if law.gravity > 0.0 else _LITTLE * law.d_hat[m] / law.dt**2


@compiled
def resistances(bodies, columns, pairs, values):
    law, kappa, N = Constants(*columns), np.empty(len(bodies)), len(columns[0])
    for p in range(len(bodies)):
        i, j, m = _ordered(law, bodies[p, 0], bodies[p, 1])
        if law.by_load[m]:
            at = place(pairs, i * N + j)
            kappa[p] = values[at] if at >= 0 else _start(law, i, j, m)
        else:
            kappa[p] = law.given[m]
    return kappa


@compiled
def _are_new(bodies, gaps, change, columns, pairs):
    """See `Resistance.has_new`, (P,); `change` (P,) [m] is the last one of the gaps."""
    law, N, found = Constants(*columns), len(columns[0]), np.zeros(len(bodies), dtype=np.bool_)
    for p in range(len(bodies)):
        i, j, m = _ordered(law, bodies[p, 0], bodies[p, 1])
        found[p] = law.by_load[m] and gaps[p] - change[p] < law.d_hat[m] and place(pairs, i * N + j) < 0
    return found


@compiled
def adopted(bodies, gaps, change, pushes, columns, pairs, values):
    """Held pairs and their values with the new ones."""
    law, N, new = Constants(*columns), len(columns[0]), np.flatnonzero(_are_new(bodies, gaps, change, columns, pairs))
    keys, kappa = np.empty(len(new), dtype=np.int64), np.empty(len(new))
    for k in range(len(new)):
        i, j, m = _ordered(law, bodies[new[k], 0], bodies[new[k], 1])
        keys[k] = i * N + j
        u = max(0.0, -change[new[k]] / law.dt)
        kappa[k] = _to_stop(law, i, j, m, u) * min(1.0, law.slope[m] / pushes[new[k]])
    every, kappa = np.concatenate((pairs, keys)), np.concatenate((values, kappa))
    order = np.argsort(every)
    return every[order], kappa[order]


@compiled
def followed(bodies, gaps, changes, columns, pairs, values):
    """The pairs in contact that choose κ_c, sorted, and their values; and the bodies (N,) with a change."""
    law, N, kappa = Constants(*columns), len(columns[0]), resistances(bodies, columns, pairs, values)
    keys, changed = np.full(len(bodies), -1), np.zeros(N, dtype=np.bool_)
    for p in range(len(bodies)):
        i, j, m = _ordered(law, bodies[p, 0], bodies[p, 1])
        if law.by_load[m]:
            keys[p] = i * N + j
            push, lowest = -barrier(gaps[p], law.d_hat[m], law.thickness[m])[1], _SMALLEST * _start(law, i, j, m)
            factor = _fitting(gaps[p] / law.d_hat[m], push / law.slope[m], kappa[p] > lowest)
            if factor != 1.0 and _rests(law, m, kappa[p] * push / _mass(law, i, j), changes[:, p]):
                kappa[p] *= factor
                changed[i] = changed[j] = True
    order = np.argsort(keys)
    order = order[keys[order] >= 0]
    return keys[order], kappa[order], changed


@compiled
def _rests(law, m, force, changes):
    """Whether a gap rests whose changes were these (2,); force is κ_c |B'(d)| over the mass of the pair [m/s²]."""
    a = max(force, _LEAST * _gravity(law, m))
    slow = _LITTLE * law.dt * np.sqrt(a * law.d_hat[m])
    return max(abs(changes[0]), abs(changes[1])) < slow and abs(changes[0] - changes[1]) < _LITTLE * a * law.dt**2


@compiled
def _fitting(gap, ratio, may_be_lowered):
    """By what κ_c of a pair that rests at a gap in units of d̂ is multiplied; the ratio is B'(d)/B'(d̂/2)."""
    if _NARROW <= gap <= _WIDE:
        return 1.0
    return max(min(ratio, _SLOWLY), 1.0 / _SLOWLY if may_be_lowered else 1.0)


def start_value(mass: float, gravity: float, dt: float, d_hat: float) -> float:
    """The start [Pa] for an effective mass m [kg] at rest, gravity g [m/s²] and steps of dt [s]."""
    return -mass * (gravity or _LITTLE * d_hat / dt**2) / barrier(_MIDDLE * d_hat, d_hat, 0.0)[1]
