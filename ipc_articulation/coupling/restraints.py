"""Limits, dry friction and equalities that hold against contact: what the step of the scene has of them.

The multibody engine's own step ends at δθ̃, with a force L of a limit and F of dry friction on each freedom, and on
each row R: the length of a tendon, the angle of a ball joint. With C = [1; R] of `articulation.spring_rows` both move
by x = C δθ, and in the engine's own step by x̃ = C δθ̃. L and F become bounded springs on x (see
`articulation.bounded_springs`) that have just these forces at x̃. With S as stiff as in `stiffness`, and ε = dt·CREEP:

    upper limit   φ' = clip(S (x - c), 0, ∞),    c = x̃ + dt² L/S where L < 0, else max(u, x̃)
    friction      φ' = clip(dt² f (x - c)/ε, ±dt² f),    c = 0 where it slips, else x̃ + ε F/f
    motor         φ' = clip(k (x - c), ±dt² effort),     c = x̃ + dt² τ/k, where M̂ loses the gains k

and likewise for a lower limit. A row's limits are as compliant as those of its freedoms together: S = 1/(R S⁻¹ Rᵀ).
So a load τ moves a joint dt² τ/S past its limit, and a joint that dry friction holds creeps at CREEP·τ/f. An exact
equality with the row J adds S JᵀJ to M̂: contact cannot part what it holds together. Soft ones are in M̂ already.

Where the engine pulls a joint back from beyond its limit, or closes an equality, faster than RECOIL, it does so with
its own force alone: contact may stop it, and the limit then holds where the joint is.

An engine whose own limits are soft (MuJoCo's) leaves a joint past them without any contact; an engine may have neither
limits nor friction (Pinocchio). The exact prediction takes back its L and F, and ends at the minimum y of

    ½ (y - z)ᵀ M̂ (y - z) + φ(C y),     M̂ (δθ̃ - z) = dt² Cᵀ (L + F),     c = u or l of limits, 0 of friction.

A joint that is beyond its limit returns to it at the speed RETURN.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.articulation.bounded_springs import (
    CENTER,
    FRICTION,
    HIGH,
    LOW,
    LOWER,
    SPRINGS,
    STIFFNESS,
    UPPER,
    slopes,
)
from ipc_articulation.articulation.spring_impulses import impulses
from ipc_articulation.articulation.spring_rows import BoundedRows
from ipc_articulation.coupling.adapter import CoupledRobot, Restraints
from ipc_articulation.coupling.batches import Predictions
from ipc_articulation.coupling.restraint_springs import add_motors, add_restraints, with_equalities
from ipc_articulation.coupling.stiffness import Stiffness

Restraining = Literal["step", "exact", "engine"]  # see `couple`

RETURN = 0.1  # speed at which an exact prediction brings back a joint that is beyond its limit [rad/s or m/s]

_OF_ROWS = ("lower", "upper", "limit_force", "friction", "friction_force")  # of freedoms, then of rows


@dataclass(frozen=True)
class Holding:
    """How stiffly the step of the scene holds what a prediction restrains; of N robots, whose axis comes first."""

    limits: Array  # S of each freedom's limits, (m,) [kg·m² or kg]
    equalities: Mapping[str, float | Array]  # S of an equality, by its unit
    where: Restraining
    with_rows: bool = True  # False: rows act in the engine's own step only

    @classmethod
    def of(cls, stiffness: Stiffness, robot: CoupledRobot, where: Restraining, with_rows: bool = True) -> Holding:
        """As stiff as it is chosen for a robot."""
        return cls(stiffness.limit_strengths(robot), stiffness.equality_strengths(robot), where, with_rows)

    @classmethod
    def joined(cls, each: Sequence[Holding]) -> Holding:
        """That of robots together."""
        equalities = {unit: np.array([own.equalities[unit] for own in each]) for unit in each[0].equalities}
        return cls(np.array([own.limits for own in each]), equalities, each[0].where, each[0].with_rows)

    def held(self, predictions: Predictions, dt: float) -> Held:
        """What the step of dt [s] holds of the predictions of N robots."""
        restraints, tilde = predictions.restraints, predictions.delta_theta_tilde
        if restraints is None or self.where == "engine":
            return Held(predictions.mass, tilde, None)
        if not self.with_rows and restraints.rows.shape[1]:
            restraints = _without_rows(restraints, tilde.shape[1])
        R, exact = restraints.rows, self.where == "exact" or not restraints.predicted
        springs = np.zeros((*restraints.lower.shape, SPRINGS, 4))
        if exact:
            restraints, tilde = _released(restraints, tilde, predictions.mass, dt)
        x, S = _along(R, tilde), self._limit_strengths(R)
        forces = [getattr(restraints, name).ravel() for name in _OF_ROWS]
        add_restraints(springs.reshape(-1, SPRINGS, 4), x.ravel(), S.ravel(), *forces, dt, exact)
        if exact:
            tilde = _exact(tilde, R, predictions.mass, springs, _slack(restraints))
        mass, m = self._mass(predictions, dt), tilde.shape[1]
        if (motors := restraints.motors) is not None:
            given = (values.ravel() for values in (tilde, motors.stiffness, motors.force, motors.effort))
            own = springs[:, :m].reshape(-1, SPRINGS, 4)
            add_motors(own, *given, dt)
            springs[:, :m] = own.reshape(-1, m, SPRINGS, 4)
            mass = mass - motors.stiffness[:, :, None] * np.eye(m)
        rows = BoundedRows(R, springs[:, m:]) if R.shape[1] else None
        return Held(mass, tilde, springs[:, :m], rows, exact)

    def _limit_strengths(self, R: Array) -> Array:
        """S of the limits of freedoms and rows, (N, m + r); 1 of a row that is zero."""
        if not R.shape[1]:
            return self.limits
        compliance = _times(R**2, 1.0 / self.limits)
        return np.concatenate([self.limits, 1.0 / np.where(compliance > 0.0, compliance, 1.0)], axis=1)

    def _mass(self, predictions: Predictions, dt: float) -> Array:
        """M̂ + Σ S JᵀJ of the equalities that do not recoil, (N, m, m)."""
        restraints = predictions.restraints
        if restraints is None or not restraints.tie_units:
            return predictions.mass
        S = np.stack([self.equalities[unit] for unit in restraints.tie_units], axis=1)
        given = zip(predictions.mass, predictions.delta_theta_tilde, restraints.ties, S, strict=True)
        return np.array([with_equalities(*map(np.ascontiguousarray, own), dt) for own in given])


class Held(NamedTuple):
    """The articulation's input in a step; of N robots, whose axis comes first."""

    mass: Array  # (m, m) with equalities
    delta_theta_tilde: Array  # (m,) [rad or m]
    springs: Array | None  # (m, 4, 4)
    rows: BoundedRows | None = None  # r rows; None: without any
    exact: bool = False  # the springs have all of the forces of limits and dry friction

    def of(self, robot: int) -> Held:
        """That of one of N robots."""
        springs = None if self.springs is None else self.springs[robot]
        rows = None if self.rows is None else BoundedRows(*(part[robot] for part in self.rows))
        return Held(self.mass[robot], self.delta_theta_tilde[robot], springs, rows, self.exact)

    def resistance(self, delta_theta: Array) -> Array:
        """∂K/∂δθ at δθ (m,): what opposes contact, (m,) [J·s² per rad or m]."""
        tilde = self.delta_theta_tilde
        resistance = _times(self.mass, delta_theta - tilde)
        if self.springs is not None:
            resistance += _slopes(self.springs, tilde, delta_theta)
        if self.rows is not None:
            R, springs = self.rows
            resistance += _times(R.swapaxes(-1, -2), _slopes(springs, _times(R, tilde), _times(R, delta_theta)))
        return resistance


def limits_and_friction(held: Held, own: Restraints | None, delta_theta: Array, dt: float) -> tuple[Array, Array]:
    """Forces of limits and of dry friction in a step of a robot by δθ (m,), (m + r,) each [N·m or N].

    They are those of the engine's own step, L and F, and how the springs change: L - (φ'(x) - φ'(x̃))/dt². An exact
    prediction has none of its own: -φ'(x)/dt².

    Args:
        held: The articulation's input in the step.
        own: Restraints of the engine's own step; None: there are none.
        delta_theta: δθ.
        dt: [s]
    """
    m = len(delta_theta)
    limit, friction = np.zeros((2, m)) if own is None else np.array([own.limit_force, own.friction_force])
    if own is None or held.springs is None:
        return limit, friction
    springs, R = held.springs, np.zeros((0, m))
    if held.rows is not None:
        R, springs = held.rows.weights, np.concatenate([springs, held.rows.springs])
    change, count = -_pulls(springs, _along(R, delta_theta)) / dt**2, len(springs)
    if held.exact:
        limit[:count], friction[:count] = 0.0, 0.0
    else:
        change += _pulls(springs, _along(R, held.delta_theta_tilde)) / dt**2
    limit[:count] += change[:, LOWER] + change[:, UPPER]
    friction[:count] += change[:, FRICTION]
    return limit, friction


def _pulls(springs: Array, x: Array) -> Array:
    """φ'(x) of each spring (F, 4, 4) of freedoms at x (F,), (F, 4) [N·m·s² or N·s²]."""
    stretch = springs[..., STIFFNESS] * (x[:, None] - springs[..., CENTER])
    return np.minimum(np.maximum(stretch, springs[..., LOW]), springs[..., HIGH])


def _slopes(springs: Array, tilde: Array, x: Array) -> Array:
    """D'(x) of springs (..., 4, 4) of freedoms, (...)."""
    return slopes(springs.reshape(-1, SPRINGS, 4), tilde.ravel(), x.ravel()).reshape(x.shape)


def _times(A: Array, x: Array) -> Array:
    """A x of matrices (..., k, m) and vectors (..., m)."""
    return (A @ x[..., None])[..., 0]


def _without_rows(restraints: Restraints, m: int) -> Restraints:
    """Those of the m freedoms alone."""
    own = {name: getattr(restraints, name)[:, :m] for name in _OF_ROWS}
    return replace(restraints, rows=restraints.rows[:, :0], **own)


def _along(R: Array, delta: Array) -> Array:
    """x = C δθ, (..., m + r), of δθ (..., m)."""
    return np.concatenate([delta, _times(R, delta)], axis=-1) if R.shape[-2] else delta


def _released(restraints: Restraints, tilde: Array, mass: Array, dt: float) -> tuple[Restraints, Array]:
    """Predictions without the forces of limits and dry friction; ends may be passed by what RETURN brings back."""
    m, forces, back = tilde.shape[1], restraints.limit_force + restraints.friction_force, RETURN * dt
    zero, on_freedoms = np.zeros_like(forces), forces[:, :m]
    if restraints.rows.shape[1]:
        on_freedoms = on_freedoms + _times(restraints.rows.swapaxes(1, 2), forces[:, m:])
    lower, upper = np.minimum(restraints.lower, back), np.maximum(restraints.upper, -back)
    free = replace(restraints, lower=lower, upper=upper, limit_force=zero, friction_force=zero)
    return free, tilde - np.linalg.solve(mass, (dt * dt * on_freedoms)[..., None])[..., 0]


def _exact(free: Array, R: Array, mass: Array, springs: Array, slack: Array) -> Array:
    """The minima y, (N, m), where z is `free`; `slack` (N, m + r) is where no spring pulls."""
    return np.array([_exact_one(*own) for own in zip(free, R, mass, springs, slack, strict=True)])


def _exact_one(free: Array, R: Array, mass: Array, springs: Array, slack: Array) -> Array:
    C = np.concatenate([np.eye(len(mass)), R]) if len(R) else np.eye(len(mass))
    V = np.linalg.solve(mass, C.T)
    return free - V @ impulses(C @ V, springs, slack, C @ free, np.zeros(len(C)))


def _slack(restraints: Restraints) -> Array:
    """The x nearest to zero between the ends, (N, m + r)."""
    return np.minimum(np.maximum(0.0, restraints.lower), restraints.upper)
