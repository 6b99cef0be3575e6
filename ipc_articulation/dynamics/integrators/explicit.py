"""Steps that need accelerations only. Stiff springs, dampers and gains need the implicit step (`implicit.py`).

Each takes q (..., nq), v (..., nv) and a positive time step [s] and returns the next q and v as a `Step`. The drive is
constant during the step.
"""

from __future__ import annotations

from numpy.typing import ArrayLike

from ipc_articulation.arrays import Array
from ipc_articulation.dynamics.algorithms.bad_states import states
from ipc_articulation.dynamics.algorithms.manifold import coordinate_rate, moved, normalised
from ipc_articulation.dynamics.arguments import positive_number
from ipc_articulation.dynamics.integrators.drive import IDLE, Drive, acceleration
from ipc_articulation.dynamics.integrators.step import Step, in_range
from ipc_articulation.dynamics.model.model import Model


def semi_implicit_euler(model: Model, q: ArrayLike, v: ArrayLike, dt: float, drive: Drive = IDLE) -> Step:
    """v⁺ = v + dt q̈(q, v), q⁺ = q ⊕ dt v⁺. Order 1.

    If the mass matrix is constant (a pendulum), the energy oscillates without drift. Otherwise it drifts: by some
    percent in 10 s at 1 ms on a swinging chain of four links. `midpoint` has no such drift.

    Raises:
        StateError: A wrong shape, a number that is not finite, a quaternion that is not of length one, a time step that
            is not positive, or so large that the end of the step is out of range.
    """
    q, v, dt = _checked(model, q, v, dt)
    v_end = v + dt * acceleration(model, q, v, drive)
    return in_range(model, Step(moved(model, q, dt * v_end), v_end), dt)


def trapezoid(model: Model, q: ArrayLike, v: ArrayLike, dt: float, drive: Drive = IDLE) -> Step:
    """Heun's form of the trapezoidal rule. Order 2.

        v* = v + dt q̈(q, v),  q* = q ⊕ dt v;   v⁺ = v + ½dt (q̈(q, v) + q̈(q*, v*)),   q⁺ = q ⊕ ½dt (v + v⁺)

    Raises:
        StateError: A wrong shape, a number that is not finite, a quaternion that is not of length one, a time step that
            is not positive, or so large that the end of the step is out of range.
    """
    q, v, dt = _checked(model, q, v, dt)
    a = acceleration(model, q, v, drive)
    a_end = acceleration(model, moved(model, q, dt * v), v + dt * a, drive)
    v_end = v + 0.5 * dt * (a + a_end)
    return in_range(model, Step(moved(model, q, 0.5 * dt * (v + v_end)), v_end), dt)


def runge_kutta_4(model: Model, q: ArrayLike, v: ArrayLike, dt: float, drive: Drive = IDLE) -> Step:
    """The classical Runge-Kutta method for (q, v); quaternions are normalised at the end of the step. Order 4.

    Raises:
        StateError: A wrong shape, a number that is not finite, a quaternion that is not of length one, a time step that
            is not positive, or so large that the end of the step is out of range.
    """
    q, v, dt = _checked(model, q, v, dt)

    def slope(h: float, k: tuple[Array, Array]) -> tuple[Array, Array]:
        q_k, v_k = q + h * k[0], v + h * k[1]
        return coordinate_rate(model, q_k, v_k), acceleration(model, normalised(model, q_k), v_k, drive)

    k1 = coordinate_rate(model, q, v), acceleration(model, q, v, drive)
    k2 = slope(0.5 * dt, k1)
    k3 = slope(0.5 * dt, k2)
    k4 = slope(dt, k3)
    q_rate, a = ((w + 2.0 * x + 2.0 * y + z) / 6.0 for w, x, y, z in zip(k1, k2, k3, k4, strict=True))
    return in_range(model, Step(normalised(model, q + dt * q_rate), v + dt * a), dt)


def _checked(model: Model, q: ArrayLike, v: ArrayLike, dt: float) -> tuple[Array, Array, float]:
    q, v = states(model, q=q, v=v)
    return q, v, positive_number("dt", dt)
