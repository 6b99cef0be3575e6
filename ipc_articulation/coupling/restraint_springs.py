"""The bounded springs of limits, dry friction and motors; `restraints` has the formulas."""

from __future__ import annotations

import numpy as np

from ipc_articulation.articulation.bounded_springs import CENTER, FRICTION, HIGH, LOW, LOWER, MOTOR, STIFFNESS, UPPER
from ipc_articulation.compiled import compiled

RECOIL = 0.3  # speed at which a limit or an equality pulls back, above which contact may stop it [rad/s or m/s]
CREEP = 1e-6  # speed of a held joint at which dry friction has its full value [rad/s or m/s]


@compiled
def add_restraints(springs, x, strength, lower, upper, limit_force, friction, friction_force, dt, exact):
    """Add the springs of limits and dry friction to springs (m + r, 4, 4), of freedoms and rows that have any.

    Args:
        springs: Of freedoms, then of rows.
        x: Their predicted displacement x̃, (m + r,).
        strength: S of their limits, (m + r,).
        lower: This and the next four are those of `Restraints`, (m + r,).
        upper: (m + r,)
        limit_force: (m + r,)
        friction: (m + r,)
        friction_force: (m + r,)
        dt: [s]
        exact: Whether the prediction is the exact one.
    """
    for k in range(len(x)):
        low, high, shift = lower[k], upper[k], dt * dt * limit_force[k] / strength[k]
        if not exact:  # where a joint is beyond its limit, that is its place at present, or the prediction's
            low = min(0.0, x[k]) if low > 0.0 else min(low, x[k])
            high = max(0.0, x[k]) if high < 0.0 else max(high, x[k])
        if np.isfinite(lower[k]):
            center = x[k] + shift if shift > 0.0 and x[k] - low <= RECOIL * dt else low
            _set(springs[k, LOWER], center, strength[k], -np.inf, 0.0)
        if np.isfinite(upper[k]):
            center = x[k] + shift if shift < 0.0 and high - x[k] <= RECOIL * dt else high
            _set(springs[k, UPPER], center, strength[k], 0.0, np.inf)
        if friction[k] > 0.0:
            _add_friction(springs[k, FRICTION], x[k], lower[k], upper[k], friction[k], friction_force[k], dt, exact)


@compiled
def _add_friction(spring, x, lower, upper, f, force, dt, exact):
    width, bound = dt * CREEP, dt * dt * f
    slips = abs(force) >= f and -force * x >= f * width
    slack = min(max(0.0, lower), upper)  # nearest to zero between the ends
    center = slack if slips or exact else x + width * min(max(force / f, -1.0), 1.0)
    _set(spring, center, bound / width, -bound, bound)


@compiled
def with_equalities(mass, tilde, ties, S, dt):
    """M̂ + Σ S JᵀJ over the rows J of `ties` (e, m) that do not recoil in the prediction δθ̃ (m,), (m, m)."""
    result = mass.copy()
    for k in range(len(ties)):
        if abs((ties[k] * tilde).sum()) <= RECOIL * dt:
            for i in range(len(tilde)):
                for j in range(len(tilde)):
                    result[i, j] += ties[k, i] * (S[k] * ties[k, j])
    return result


@compiled
def add_motors(springs, tilde, stiffness, force, effort, dt):
    """Add the springs of motors (m,) to those of freedoms that have any, for a prediction δθ̃ (m,); see `Motors`."""
    for k in range(len(tilde)):
        if stiffness[k] > 0.0:
            bound = dt * dt * effort[k]
            _set(springs[k, MOTOR], tilde[k] + dt * dt * force[k] / stiffness[k], stiffness[k], -bound, bound)


@compiled
def _set(spring, center, stiffness, low, high):
    spring[CENTER], spring[STIFFNESS], spring[LOW], spring[HIGH] = center, stiffness, low, high
