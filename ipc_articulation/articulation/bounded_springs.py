"""Springs on the freedoms of an articulation, whose forces are bounded: limits, dry friction, motors that saturate.

A spring of stiffness k about a displacement c pulls a freedom x = δθ back, by a force between two bounds:

    φ'(x) = clip(k (x - c), low, high),     φ''(x) = k where it is between them, else 0

- limit: c = l, (low, high) = (-∞, 0), or c = u and (0, ∞): nothing inside, stiff beyond;
- dry friction: (low, high) = (-f, f): sticks up to f, then slips (Moreau's envelope of f |x - c|, Huber's function);
- a motor: stiffness of its control, (low, high) what its force may still change.

The multibody engine's own step, which ends at δθ̃, has these forces already. What the step of the scene adds is how they
change, by the Bregman distance of φ from the prediction (Bregman 1967, «The relaxation method of finding the common
point of convex sets»):

    D(x) = φ(x) - φ(δθ̃) - φ'(δθ̃) (x - δθ̃) ≥ 0,     D'(x) = φ'(x) - φ'(δθ̃)

It is convex, and zero and flat at δθ̃: without contact the step ends at the prediction. φ' grows between its bounds
only: with u and w, the δθ̃ and x nearest to where it does,

    D'(x) = k (w - u),     D(x) = ½ k (w - u)² + k (w - u) (x - w),

both terms ≥ 0: as differences of φ they would be lost in its rounding where k is large.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from ipc_articulation.arrays import Array
from ipc_articulation.compiled import compiled
from ipc_articulation.errors import ArticulationError

SPRINGS = 4  # of a freedom: at its lower limit, at its upper limit, of dry friction, of a motor
LOWER, UPPER, FRICTION, MOTOR = range(SPRINGS)
CENTER, STIFFNESS, LOW, HIGH = range(4)  # numbers of a spring

_FACTS = "center [rad or m], stiffness, lowest and highest force [both times dt²]"


def springs_array(name: str, size: int, springs: ArrayLike | None) -> Array:
    """Springs of an articulation as an array (f, 4, 4): for each freedom four springs with four numbers each.

    Args:
        name: The articulation, for messages.
        size: Its number of freedoms f.
        springs: The springs; None for none. Their values are not checked.

    Raises:
        ArticulationError: They have another shape, or are no numbers.
    """
    wanted = size, SPRINGS, 4
    if springs is None:
        return np.zeros(wanted)
    try:
        value = np.asarray(springs, dtype=float, order="C")
    except (TypeError, ValueError) as error:
        raise ArticulationError(f"{name}: bounded_springs must be an array of numbers ({error})") from error
    if value.shape != wanted:
        raise ArticulationError(
            f"{name}: bounded_springs has shape {value.shape}, must be {wanted}: for each freedom {SPRINGS} springs, "
            f"each with {_FACTS}"
        )
    return value


@compiled
def are_valid(springs: Array) -> bool:
    """Whether springs (F, 4, 4) have finite centres, stiffnesses ≥ 0, and a lowest force ≤ 0 ≤ the highest force."""
    for k in range(len(springs)):
        for s in range(SPRINGS):
            c, stiffness, low, high = springs[k, s]
            if not (np.isfinite(c) and 0.0 <= stiffness < np.inf and low <= 0.0 <= high):
                return False
    return True


def refuse_springs(names: Sequence[str], springs: Array) -> None:
    """Refuse springs (F, 4, 4) of freedoms with names that are not valid.

    Raises:
        ArticulationError: names the first such freedom, and what is valid.
    """
    for name, own in zip(names, springs, strict=True):
        if not are_valid(own[None]):
            spring = next(
                s for s in range(SPRINGS) if not are_valid(np.where(np.arange(SPRINGS)[:, None] == s, own, 0)[None])
            )
            raise ArticulationError(
                f"{name}: bounded_springs, spring {spring} is {own[spring].tolist()}, must be {_FACTS}: finite, not "
                "negative, not positive, not negative"
            )


@compiled
def distance(springs: Array, tilde: Array, x: Array, D: Array) -> None:
    """Add D(x) of each freedom, for springs (F, 4, 4), prediction δθ̃ and displacement x (F,), to `D` (F,) [J·s²]."""
    for k in range(len(springs)):
        for s in range(SPRINGS):
            stiffness = springs[k, s, STIFFNESS]
            if stiffness > 0.0:
                w = _within(springs[k, s], x[k])
                change = w - _within(springs[k, s], tilde[k])
                D[k] += stiffness * change * (0.5 * change + (x[k] - w))


@compiled
def slopes(springs: Array, tilde: Array, x: Array) -> Array:
    """D'(x) of each freedom, (F,); see `distance`."""
    slope = np.zeros(len(x))
    for k in range(len(x)):
        for s in range(SPRINGS):
            if springs[k, s, STIFFNESS] > 0.0:
                change = _within(springs[k, s], x[k]) - _within(springs[k, s], tilde[k])
                slope[k] += springs[k, s, STIFFNESS] * change
    return slope


@compiled
def curvatures(springs: Array, x: Array) -> Array:
    """D''(x) of each freedom, (F,)."""
    curvature = np.zeros(len(x))
    for k in range(len(x)):
        for s in range(SPRINGS):
            stiffness = springs[k, s, STIFFNESS]
            if (
                stiffness > 0.0
                and springs[k, s, LOW] < stiffness * (x[k] - springs[k, s, CENTER]) < springs[k, s, HIGH]
            ):
                curvature[k] += stiffness
    return curvature


@compiled
def _within(spring: Array, x: float) -> float:
    """The displacement nearest to x at which the force of a spring (4,) is between its bounds [rad or m]."""
    center, stiffness = spring[CENTER], spring[STIFFNESS]
    return min(max(x, center + spring[LOW] / stiffness), center + spring[HIGH] / stiffness)
