"""The implicit midpoint rule, for motion whose energy and momentum must not drift.

    q̄ = q ⊕ ½dt v̄,   v̄ = v + ½dt q̈(q̄, v̄);      q⁺ = q ⊕ dt v̄,   v⁺ = 2v̄ - v

The rule is symmetric: a step back along -v⁺ ends where the step began. So the energy of a robot without damping or
drive oscillates by O(dt²) but does not drift, as it does with explicit steps (Hairer, Lubich, Wanner 2006, «Geometric
Numerical Integration», ch. XI). The equation of v̄ is solved by fixed-point iteration, which converges while
½dt |∂q̈/∂v̄| < 1: stiff springs and dampers need the implicit step (`implicit.py`).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ipc_articulation.dynamics.algorithms.bad_states import states
from ipc_articulation.dynamics.algorithms.manifold import moved
from ipc_articulation.dynamics.arguments import positive_number
from ipc_articulation.dynamics.integrators.drive import IDLE, Drive, acceleration
from ipc_articulation.dynamics.integrators.step import Step
from ipc_articulation.dynamics.model.model import Model
from ipc_articulation.errors import SolverError

ITERATIONS = 50
TOLERANCE = 1e-13  # for the last change of v̄, relative to the largest velocity and to 1
FAR = 1e15  # at a velocity, or a displacement in a step, above this the iteration diverges
ROUNDING = 1e-9  # as TOLERANCE, if changes shrink no more because q̈ is rounded near a singular position


def midpoint(model: Model, q: ArrayLike, v: ArrayLike, dt: float, drive: Drive = IDLE) -> Step:
    """One step of the implicit midpoint rule. Order 2; energy and momentum do not drift.

    Args:
        model: The model.
        q: Position, (..., nq).
        v: Velocity, (..., nv).
        dt: Time step [s], positive.
        drive: Motor forces and external wrenches, constant during the step.

    Raises:
        SolverError: The step did not converge, in one state of a batch or in several.
        StateError: A wrong shape, a number that is not finite, a quaternion that is not of length one, a time step that
            is not positive.
    """
    q, v = states(model, q=q, v=v)
    dt = positive_number("dt", dt)
    middle, change = v, np.inf
    for _ in range(ITERATIONS):
        if np.abs(middle).max(initial=0.0) * (1.0 + dt) > FAR:
            break
        before, middle = middle, v + 0.5 * dt * acceleration(model, moved(model, q, 0.5 * dt * middle), middle, drive)
        last, change = change, np.abs(middle - before).max(initial=0.0) / max(1.0, np.abs(middle).max(initial=0.0))
        if change <= TOLERANCE or last <= change <= ROUNDING:
            return Step(moved(model, q, dt * middle), 2.0 * middle - v)
    raise SolverError(
        f"the midpoint step of model '{model.name}' did not converge in {ITERATIONS} iterations; use a time step "
        f"smaller than {dt:g} s, or `implicit` for stiff springs, dampers and gains"
    )
