"""Contact resistance that follows from what each pair has to carry, for pairs that leave it open (`BY_LOAD`).

A barrier of resistance κ_c presses with the force F(d) = κ_c |B'(d)|: 0.2 κ_c d̂³ at nine tenths of d̂, 4.3 κ_c d̂³ at a
half, 12 κ_c d̂³ at a fifth (see `barrier`), and below with about 2 κ_c d̂⁴/d. So the gap tells whether κ_c fits the load:
between 0.2 d̂ and 0.85 d̂ it does, within a factor of 30. Every pair of bodies has its own κ_c. It starts, in the step in
which they come within d̂ of each other, with

    start:   κ_c = m a / |B'(d̂/2)|,   1/m = 1/m_i + 1/m_j,   a = g + min(u²/d̂, u/dt):

at half of d̂ one point bears the weight of the lighter body, and stops it from the speed u, at which the two can
approach each other, over the way d̂ or within the step, whichever is gentler; for g = 0 stands d̂/(10 dt²). Bodies that
are in contact when the first step begins do not meet: u is there the speed at which their gap closes, and all points
that are in contact bear the body together, max(Σ |B'(d)|, |B'(d̂/2)|) in place of |B'(d̂/2)|. Between two steps κ_c
follows what the pair has carried, at the smallest gap d with which the step has ended, if it rests. It does if the last
two steps' changes Δd of the gap are small beside those that its own force would make of it, with speeds of √(a d̂) and
accelerations of a = max(κ_c |B'(d)|/m, g/100):

    rest:    |Δd| < dt √(a d̂)/10 for both,   and they differ by less than a dt²/10

    raise:   κ_c → κ_c min(2, B'(d)/B'(d̂/2))   if d < 0.2 d̂            (others lie on it; a gripper closes)
    lower:   κ_c → κ_c max(1/2, B'(d)/B'(d̂/2))   if 0.85 d̂ < d < d̂    (many points share the load; it has gone)

Otherwise it stays: what the barrier takes up in a hit is energy of motion, and no load, also where the hit turns. Out
of contact it is halved until it is below its start. Within a step, so that Newton's method does not have to find its
way through gaps of a millionth of d̂, κ_c is raised at once if a gap has narrowed since the last iteration, and again
if it has halved since:

    rescue:  κ_c → κ_c min(10, B'(d)/B'(d̂/2))   if d < 0.05 d̂,   and at least to the start for u = 0

up to 10⁴ times the start of a pair with the mass of all bodies and twice the greatest speed: more is never carried. If
the step has begun at a gap d₀ < d̂, (κ_c' - κ_c) B(d₀) is at most m g d̂/4 in each of the first twelve iterations.

**Energy.** Lowering takes energy out. Raising at the gap d₀ with which a step begins adds (κ_c' - κ_c) B(d₀). That is
nothing where the pair was out of contact then, as in an impact that one step takes up. Where it was at rest, B(d₀) is
at most about |B'(d₀)| d̂/4, and so a quarter of the work of the load over d̂. A rescue in a hit of several steps adds
more only where Newton's method has taken twelve iterations. **Friction** takes the normal forces with which the last
step ended. **Scales:** sizes, masses and times enter by m, d̂, g, u and dt only.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ipc_articulation.arrays import Array, Bools, Ints
from ipc_articulation.compiled import compiled
from ipc_articulation.contact.barrier import barrier
from ipc_articulation.contact.held import NOTHING_HELD, Held, place
from ipc_articulation.contact.materials import Materials

_MIDDLE, _NARROW, _WIDE, _RESCUE = 0.5, 0.2, 0.85, 0.05  # gaps in units of d̂
_SLOWLY = 2.0  # greatest change of κ_c from one step to the next
_AT_ONCE = 10.0  # greatest change within a step, in an iteration
_WORK = 0.25  # of m g d̂: what raising within a step may add to the energy, in its first iterations
_FIRST = 12  # of these; later ones may add what they need, so that no step is without end
_AGAIN = 0.5  # of the gap at which κ_c was raised: where it is raised again within the step
_MOST = 1e4  # of the start for all bodies together: a rescue goes no further
_SLOW = 0.1  # of the speed and the acceleration that a contact's force can give: what is hardly motion
_LEAST = 0.01  # of g, what a contact's force can give at least
_SMALLEST = 2.0**-20  # of its start, below which κ_c is not lowered
_PUSH = 0.1  # of d̂/dt²: what the start bears where there is no gravity


class _Law(NamedTuple):
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
    total: float  # mass of all that moves [kg]
    fastest: float  # [m/s]


class Resistance:
    """κ_c of every pair of bodies, and of every body with every half-plane."""

    def __init__(self, mass: Array, gravity: float, materials: Materials) -> None:
        """Take masses (N,) of bodies and half-planes [kg], inf for what never moves, and the gravity [m/s²]."""
        d_hat, xi = materials.d_hat, materials.thickness
        slope = np.array([-barrier(_MIDDLE * d, d, x)[1] for d, x in zip(d_hat, xi, strict=True)])
        still = np.zeros(len(mass))
        self._law = _Law(
            mass=mass,
            body_pairs=materials.body_pairs,
            plane_pairs=materials.plane_pairs,
            group=materials.group,
            by_load=materials.by_load,
            d_hat=d_hat,
            thickness=xi,
            slope=slope,
            given=np.zeros(len(d_hat)),
            speed=still,
            gravity=gravity,
            dt=1.0,
            total=_total(mass),
            fastest=0.0,
        )
        self._columns = tuple(self._law)  # numba takes a plain tuple faster
        self._given, self.is_open = materials.resistance, bool(materials.by_load.any())
        self.held, self._last, self._first = NOTHING_HELD, NOTHING_HELD, NOTHING_HELD
        self._rescues = 0  # calls of `rescue` in this step
        self.changed = still > 0.0  # (N,) bodies whose κ_c is not what the last step ended with

    def begin_step(self, held: Held, dt: float, adaptive: float, speed: Array) -> None:
        """Begin a step.

        Args:
            held: What the last step ended with.
            dt: Time step [s].
            adaptive: libuipc's adaptive resistance, of pairs without any [Pa].
            speed: The greatest of each body's points, (n,) [m/s].
        """
        given = np.where(np.isnan(self._given), adaptive, self._given)
        speeds = np.concatenate([speed, np.zeros(len(self._law.mass) - len(speed))])
        self._law = self._law._replace(given=given, speed=speeds, dt=dt, fastest=float(speeds.max(initial=0.0)))
        self._rescues = 0
        self._columns, self.held, self.changed = tuple(self._law), held, np.zeros_like(self.changed)

    def set_masses(self, rows: Ints, mass: float) -> None:
        """Give some bodies (k,) another mass [kg]."""
        masses = self._law.mass.copy()
        masses[rows] = mass
        self._law = self._law._replace(mass=masses, total=_total(masses))
        self._columns = tuple(self._law)

    def of(self, bodies: Ints) -> Array:
        """κ_c (P,) [Pa] of pairs (P, 2) that may touch."""
        return _of(bodies, self._columns, *self.held)

    def holds(self, bodies: Ints) -> bool:
        """Whether all pairs (P, 2) that choose their own hold some κ_c."""
        return bool(_holds(bodies, self._columns, *self.held))

    def adopt(self, bodies: Ints, gaps: Array, changes: Array, pushes: Array) -> None:
        """Give pairs in contact at the beginning of a step that hold nothing what they need.

        Args:
            bodies: As for `follow`, with the next two.
            gaps: (P,) [m].
            changes: (2, P) [m].
            pushes: Σ |B'(d)| of their points in contact, (P,) [m³].
        """
        pairs, values = _adopted(bodies, gaps, changes[0], pushes, self._columns, *self.held)
        self.held = Held(pairs, values)

    def follow(self, bodies: Ints, gaps: Array, changes: Array) -> None:
        """What is done between two steps.

        Args:
            bodies: Pairs in contact, (P, 2).
            gaps: Their smallest gaps, (P,) [m].
            changes: By how much the last step and the one before it have changed them, (2, P) [m].
        """
        pairs, values, last, self.changed = _followed(bodies, gaps, changes, self._columns, *self.held)
        self.held, self._last = Held(pairs, values), Held(pairs, last)
        self._first = self._last

    def rescue(self, bodies: Ints, gaps: Array) -> bool:
        """What is done within a step; pairs (P, 2) are those in contact, with smallest gaps (P,).

        Returns:
            Whether any κ_c was raised.
        """
        self._rescues += 1
        work = _WORK if self._rescues <= _FIRST else np.inf
        held = *self.held, *self._last, *self._first
        pairs, values, last, raised = _rescued(bodies, gaps, work, self._columns, *held)
        self.held, self._last = Held(pairs, values), Held(pairs, last)
        if not np.count_nonzero(raised):
            return False
        self.changed = self.changed | raised
        return True


def _total(mass: Array) -> float:
    """Mass of all that moves [kg], of masses (N,)."""
    return float(mass[np.isfinite(mass)].sum())


@compiled
def _material(law, i, j):
    """Index of the material of a pair i <= j."""
    n, of_i = len(law.group), law.group[i]
    return law.body_pairs[of_i, law.group[j]] if j < n else law.plane_pairs[of_i, j - n]


@compiled
def _start(law, i, j, m):
    """m a / |B'(d̂/2)| of a pair of material m."""
    return _to_stop(law, m, _both(law, i, j), law.speed[i] + law.speed[j])


@compiled
def _both(law, i, j):
    """m of a pair [kg]."""
    return 1.0 / (1.0 / law.mass[i] + 1.0 / law.mass[j])


@compiled
def _weight(law, m):
    """g, or what stands for it [m/s²]."""
    return law.gravity if law.gravity > 0.0 else _PUSH * law.d_hat[m] / law.dt**2


@compiled
def _to_stop(law, m, mass, u):
    """m a / |B'(d̂/2)| for a mass [kg] and a speed u [m/s]."""
    return mass * (_weight(law, m) + min(u * u / law.d_hat[m], u / law.dt)) / law.slope[m]


@compiled
def _of(bodies, columns, pairs, values):
    law, kappa, N = _Law(*columns), np.empty(len(bodies)), len(columns[0])
    for p in range(len(bodies)):
        i, j = min(bodies[p, 0], bodies[p, 1]), max(bodies[p, 0], bodies[p, 1])
        m = _material(law, i, j)
        if law.by_load[m]:
            at = place(pairs, i * N + j)
            kappa[p] = values[at] if at >= 0 else _start(law, i, j, m)
        else:
            kappa[p] = law.given[m]
    return kappa


@compiled
def _ratio(law, m, gap):
    """B'(d)/B'(d̂/2)."""
    return -barrier(gap, law.d_hat[m], law.thickness[m])[1] / law.slope[m]


@compiled
def _in_contact(bodies, law, pairs, values):
    """Open pairs in contact, sorted: their keys, κ_c, and rows among all pairs."""
    N, count = len(law.mass), 0
    keys, kappa, row = (
        np.empty(len(bodies), dtype=np.int64),
        np.empty(len(bodies)),
        np.empty(len(bodies), dtype=np.int64),
    )
    for p in range(len(bodies)):
        i, j = min(bodies[p, 0], bodies[p, 1]), max(bodies[p, 0], bodies[p, 1])
        m = _material(law, i, j)
        if law.by_load[m]:
            at = place(pairs, i * N + j)
            keys[count], row[count] = i * N + j, p
            kappa[count] = values[at] if at >= 0 else _start(law, i, j, m)
            count += 1
    order = np.argsort(keys[:count])
    return keys[order], kappa[order], row[order]


@compiled
def _holds(bodies, columns, pairs, values):
    return np.all(_of_held(*_in_contact(bodies, _Law(*columns), pairs, values)[:1], pairs))


@compiled
def _of_held(keys, pairs):
    """Which keys (k,) are among sorted pairs."""
    return np.array([place(pairs, key) >= 0 for key in keys], dtype=np.bool_)


@compiled
def _adopted(bodies, gaps, change, pushes, columns, pairs, values):
    """Held pairs and their values with those in contact; `change` (P,) [m] is the last of their gaps."""
    law, N = _Law(*columns), len(columns[0])
    keys, kappa, row = _in_contact(bodies, law, pairs, values)
    is_new = ~_of_held(keys, pairs)
    keys, kappa, row = keys[is_new], kappa[is_new], row[is_new]
    for p in range(len(keys)):
        i, j = keys[p] // N, keys[p] % N
        m, u = _material(law, i, j), max(0.0, -change[row[p]] / law.dt)
        kappa[p] = _to_stop(law, m, _both(law, i, j), u) * min(1.0, law.slope[m] / pushes[row[p]])
    return _merged(keys, kappa, gaps[row], pairs, values)[:2]


@compiled
def _followed(bodies, gaps, changes, columns, pairs, values):
    """Held pairs, their values and gaps (0 beyond d̂) between two steps, and the bodies (N,) with a change."""
    law, N = _Law(*columns), len(columns[0])
    keys, kappa, row = _in_contact(bodies, law, pairs, values)
    d, changes = gaps[row], changes[:, row]
    changed, after = np.zeros(N, dtype=np.bool_), kappa.copy()
    for p in range(len(keys)):
        i, j = keys[p] // N, keys[p] % N
        m = _material(law, i, j)
        after[p] = kappa[p]
        if _rests(law, m, kappa[p] / _both(law, i, j), d[p], changes[:, p]):
            after[p] *= _fitting(law, m, d[p], kappa[p] > _SMALLEST * _start(law, i, j, m))
        if after[p] != kappa[p]:
            changed[i] = changed[j] = True
    away = np.array([place(keys, key) < 0 for key in pairs], dtype=np.bool_)
    gone, left = pairs[away], 0.5 * values[away]
    for p in range(len(gone)):
        i, j = gone[p] // N, gone[p] % N
        m = _material(law, i, j)
        if m < 0 or not law.by_load[m] or left[p] < _start(law, i, j, m):
            gone[p] = -1
    stays = gone >= 0
    return *_merged(keys, after, d, gone[stays], left[stays]), changed


@compiled
def _rests(law, m, kappa, gap, changes):
    """Whether a gap rests; kappa is κ_c over the mass of the pair."""
    force = kappa * _ratio(law, m, gap) * law.slope[m]
    a = max(force, _LEAST * _weight(law, m))
    slow = _SLOW * law.dt * np.sqrt(a * law.d_hat[m])
    return max(abs(changes[0]), abs(changes[1])) < slow and abs(changes[0] - changes[1]) < _SLOW * a * law.dt**2


@compiled
def _fitting(law, m, gap, may_be_lowered):
    """By what κ_c of a pair at rest is multiplied."""
    if gap < _NARROW * law.d_hat[m]:
        return min(_SLOWLY, _ratio(law, m, gap))
    if gap > _WIDE * law.d_hat[m] and may_be_lowered:
        return max(1.0 / _SLOWLY, _ratio(law, m, gap))
    return 1.0


@compiled
def _rescued(bodies, gaps, work, columns, pairs, values, last_pairs, last, first_pairs, first):
    """Held pairs, their values, gaps below which they are raised next, and the bodies (N,) with a raised value."""
    law, N = _Law(*columns), len(columns[0])
    keys, kappa, row = _in_contact(bodies, law, pairs, values)
    d, below = gaps[row], gaps[row]
    changed = np.zeros(N, dtype=np.bool_)
    for p in range(len(keys)):
        i, j = keys[p] // N, keys[p] % N
        m, at = _material(law, i, j), place(last_pairs, keys[p])
        most = _MOST * _to_stop(law, m, law.total, 2.0 * law.fastest)
        before = place(first_pairs, keys[p])
        if before >= 0 and first[before] > 0.0:
            B = barrier(first[before], law.d_hat[m], law.thickness[m])[0]
            most = min(most, kappa[p] + work * _both(law, i, j) * _weight(law, m) * law.d_hat[m] / B)
        if d[p] < _RESCUE * law.d_hat[m] and at >= 0 and d[p] < last[at] and kappa[p] < most:
            raised = max(kappa[p] * min(_AT_ONCE, _ratio(law, m, d[p])), _to_stop(law, m, _both(law, i, j), 0.0))
            kappa[p] = min(raised, most)
            below[p] *= _AGAIN
            changed[i] = changed[j] = True
        elif at >= 0 and last[at] > 0.0:
            below[p] = min(d[p], last[at])
    away = np.array([place(keys, key) < 0 for key in pairs], dtype=np.bool_)
    return *_merged(keys, kappa, below, pairs[away], values[away]), changed


@compiled
def _merged(keys, values, gaps, other_keys, other_values):
    """Both sorted lists as one, with gaps 0 for the others."""
    every, order = np.concatenate((keys, other_keys)), np.argsort(np.concatenate((keys, other_keys)))
    gaps = np.concatenate((gaps, np.zeros(len(other_keys))))
    return every[order], np.concatenate((values, other_values))[order], gaps[order]


def start_value(mass: float, gravity: float, dt: float, d_hat: float) -> float:
    """The start [Pa] for an effective mass m [kg] at rest, gravity g [m/s²] and steps of dt [s]."""
    return -mass * (gravity or _PUSH * d_hat / dt**2) / barrier(_MIDDLE * d_hat, d_hat, 0.0)[1]
