"""The result of an integrator's step."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.dynamics.algorithms.bad_states import complain
from ipc_articulation.dynamics.arguments import LARGEST
from ipc_articulation.dynamics.loops.motion import Motion
from ipc_articulation.dynamics.model.model import Model
from ipc_articulation.errors import StateError


@dataclass(frozen=True)
class Step:
    """The state at the end of a step. It can be unpacked: `q, v = step`."""

    q: Array  # (..., nq)
    v: Array  # (..., nv)

    def __iter__(self) -> Iterator[Array]:
        return iter((self.q, self.v))


@dataclass(frozen=True)
class ImplicitStep(Step):
    """The state at the end of an implicit step, and the Hessian of the incremental potential that it minimises."""

    mass: Array  # M̂ (nv, nv)
    momentum: Array  # (nv,) M̂ times the rate that it would have without friction, limits and mimic joints
    motion: Motion  # of the spanning tree at its beginning
    rate: Array  # (nv,) the constant velocity with which q is reached: v, unless the scheme keeps momentum


AnyStep = TypeVar("AnyStep", bound=Step)


def in_range(model: Model, step: AnyStep, dt: float) -> AnyStep:
    """The step, if its end is a state that another step can begin with.

    Args:
        model: The model.
        step: The step.
        dt: Its length [s].

    Raises:
        StateError: A number at its end is not finite, or too large; the message names the place.
    """
    if np.vdot(step.q, step.q) <= LARGEST**2 and np.vdot(step.v, step.v) <= LARGEST**2:
        return step
    try:
        complain(model, "qv", [step.q.reshape(-1, model.nq), step.v.reshape(-1, model.nv)], unit=False)
    except StateError as error:
        raise StateError(f"a step with dt = {dt:g} s ends where {error}; use a smaller time step") from None
    return step
