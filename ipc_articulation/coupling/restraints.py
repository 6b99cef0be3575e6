"""Limits, dry friction and equalities that hold against contact: what the step of the scene has of them.

The multibody engine's own step ends at δθ̃, with a force L of a limit and F of dry friction on each freedom. These
become bounded springs (see `articulation.bounded_springs`) that have just these forces at δθ̃. With S as stiff as in
`stiffness`, and ε = dt·CREEP:

    upper limit   φ' = clip(S (δθ - c), 0, ∞),    c = δθ̃ + dt² L/S where L < 0, else max(u, δθ̃)
    friction      φ' = clip(dt² f (δθ - c)/ε, ±dt² f),    c = 0 where it slips, else δθ̃ + ε F/f
    motor         φ' = clip(k (δθ - c), ±dt² effort),     c = δθ̃ + dt² τ/k, where M̂ loses the gains k

and likewise for a lower limit. So a load τ moves a joint dt² τ/S past its limit, and a joint that dry friction holds
creeps at CREEP·τ/f. An equality with the row J adds S JᵀJ to M̂: contact cannot part what it holds together.

Where the engine pulls a joint back from beyond its limit, or closes an equality, faster than RECOIL, it does so with
its own force alone: contact may stop it, and the limit then holds where the joint is.

An engine whose own limits are soft (MuJoCo's) leaves a joint past them without any contact; an engine may have neither
limits nor friction (Pinocchio). The exact prediction takes back its L and F, and ends at the minimum y of

    ½ (y - x)ᵀ M̂ (y - x) + φ(y),     M̂ (δθ̃ - x) = dt² (L + F),     c = u or l of limits, 0 of friction.

A joint that is beyond its limit returns to it at the speed RETURN.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.articulation.bounded_springs import FRICTION, LOWER, MOTOR, SPRINGS, UPPER, slopes
from ipc_articulation.articulation.spring_impulses import impulses
from ipc_articulation.coupling.adapter import CoupledRobot, Motors, Prediction, Restraints
from ipc_articulation.coupling.stiffness import Stiffness

Restraining = Literal["step", "exact", "engine"]  # see `couple`

RECOIL = 0.3  # speed at which a limit or an equality pulls back, above which contact may stop it [rad/s or m/s]
RETURN = 0.1  # speed at which an exact prediction brings back a joint that is beyond its limit [rad/s or m/s]
CREEP = 1e-6  # speed of a held joint at which dry friction has its full value [rad/s or m/s]


@dataclass(frozen=True)
class Holding:
    """How stiffly the step of the scene holds what a prediction restrains."""

    limits: Array  # S of each freedom's limits, (m,) [kg·m² or kg]
    equalities: Mapping[str, float]  # S of an equality, by its unit
    where: Restraining

    @classmethod
    def of(cls, stiffness: Stiffness, robot: CoupledRobot, where: Restraining) -> Holding:
        """As stiff as it is chosen for a robot."""
        return cls(stiffness.limit_strengths(robot), stiffness.equality_strengths(robot), where)

    def held(self, prediction: Prediction, dt: float) -> Held:
        """What the step of dt [s] holds of a prediction."""
        restraints, tilde = prediction.restraints, prediction.delta_theta_tilde
        if restraints is None or self.where == "engine":
            return Held(prediction.mass, tilde, None)
        springs, exact = np.zeros((len(tilde), SPRINGS, 4)), self.where == "exact" or not restraints.predicted
        if exact:
            restraints, tilde = _released(restraints, tilde, prediction.mass, dt)
        _add_limits(springs, tilde, restraints, self.limits, dt, exact)
        _add_friction(springs, tilde, restraints, dt, exact)
        if exact:
            tilde = _exact(tilde, prediction.mass, springs, _slack(restraints))
        mass = self._mass(prediction, dt)
        if restraints.motors is not None:
            _add_motors(springs, tilde, restraints.motors, dt)
            mass = mass - np.diag(restraints.motors.stiffness)
        return Held(mass, tilde, springs)

    def _mass(self, prediction: Prediction, dt: float) -> Array:
        """M̂ + Σ S JᵀJ of the equalities that do not recoil, (m, m)."""
        restraints = prediction.restraints
        if restraints is None or not len(restraints.ties):
            return prediction.mass
        S = np.array([self.equalities[unit] for unit in restraints.tie_units])
        S[np.abs(restraints.ties @ prediction.delta_theta_tilde) > RECOIL * dt] = 0.0
        return prediction.mass + restraints.ties.T @ (S[:, None] * restraints.ties)


@dataclass(frozen=True)
class Held:
    """The articulation's input in a step."""

    mass: Array  # (m, m) with equalities
    delta_theta_tilde: Array  # (m,) [rad or m]
    springs: Array | None  # (m, 4, 4)

    def resistance(self, delta_theta: Array) -> Array:
        """∂K/∂δθ at δθ (m,): what opposes contact, (m,) [J·s² per rad or m]."""
        tilde, springs = self.delta_theta_tilde, self.springs
        inertial = self.mass @ (delta_theta - tilde)
        return inertial if springs is None else inertial + slopes(springs, tilde, delta_theta)


def _released(restraints: Restraints, tilde: Array, mass: Array, dt: float) -> tuple[Restraints, Array]:
    """The prediction without the forces of limits and dry friction; ends may be passed by what RETURN brings back."""
    forces = restraints.limit_force + restraints.friction_force
    zero, back = np.zeros(len(tilde)), RETURN * dt
    lower, upper = np.minimum(restraints.lower, back), np.maximum(restraints.upper, -back)
    free = replace(restraints, lower=lower, upper=upper, limit_force=zero, friction_force=zero)
    return free, tilde - np.linalg.solve(mass, dt * dt * forces)


def _exact(free: Array, mass: Array, springs: Array, slack: Array) -> Array:
    """The minimum y, (m,); `slack` is where no spring pulls."""
    A = np.linalg.inv(mass)
    return free - A @ impulses(A, springs, slack, free, np.zeros(len(free)))


def _slack(restraints: Restraints) -> Array:
    """The δθ nearest to zero between the ends, (m,)."""
    return np.minimum(np.maximum(0.0, restraints.lower), restraints.upper)


def _add_limits(springs: Array, tilde: Array, held: Restraints, strength: Array, dt: float, exact: bool) -> None:
    """Springs at limits; freedoms without one have no stiffness there."""
    shift, low, high = dt * dt * held.limit_force / strength, held.lower, held.upper
    if not exact:  # where a joint is beyond its limit, that is its place at present, or the prediction's
        low = np.where(low > 0.0, np.minimum(0.0, tilde), np.minimum(low, tilde))
        high = np.where(high < 0.0, np.maximum(0.0, tilde), np.maximum(high, tilde))
    ends = (
        (LOWER, np.where((shift > 0.0) & (tilde - low <= RECOIL * dt), tilde + shift, low), held.lower, (-np.inf, 0.0)),
        (
            UPPER,
            np.where((shift < 0.0) & (high - tilde <= RECOIL * dt), tilde + shift, high),
            held.upper,
            (0.0, np.inf),
        ),
    )
    for spring, center, end, bounds in ends:
        at = np.isfinite(end)
        springs[at, spring] = np.stack(
            [center[at], strength[at], *(np.full(at.sum(), bound) for bound in bounds)], axis=1
        )


def _add_friction(springs: Array, tilde: Array, held: Restraints, dt: float, exact: bool) -> None:
    """Springs of dry friction, of freedoms that have any."""
    at = held.friction > 0.0
    f, F, x, width = held.friction[at], held.friction_force[at], tilde[at], dt * CREEP
    slips = (np.abs(F) >= f) & (-F * x >= f * width)
    center = np.where(slips | exact, _slack(held)[at], x + width * np.clip(F / f, -1.0, 1.0))
    bound = dt * dt * f
    springs[at, FRICTION] = np.stack([center, bound / width, -bound, bound], axis=1)


def _add_motors(springs: Array, tilde: Array, motors: Motors, dt: float) -> None:
    """Springs of motors, of freedoms that have any."""
    at = motors.stiffness > 0.0
    k, bound = motors.stiffness[at], dt * dt * motors.effort[at]
    springs[at, MOTOR] = np.stack([tilde[at] + dt * dt * motors.force[at] / k, k, -bound, bound], axis=1)
