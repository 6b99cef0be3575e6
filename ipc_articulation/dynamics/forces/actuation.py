"""Motors: a force clipped to the effort limit, and springs and dampers towards a target (PD control).

    τ = clip(τ_ff, ±effort) + Kp difference(q, q_d) + Kd (v_d - v)

As in RaiSim, PD control is part of the implicit integrator's step and ignores the effort limit. `PD.limited` replaces
it by a constant force in joints whose motors would exceed the limit.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite

import numpy as np
from numpy.typing import ArrayLike

from ipc_articulation.arrays import Array
from ipc_articulation.dynamics.algorithms.bad_states import checked, one_state, states
from ipc_articulation.dynamics.algorithms.manifold import displacement
from ipc_articulation.dynamics.arguments import numbers, require
from ipc_articulation.dynamics.model.model import Model
from ipc_articulation.errors import StateError


def within_effort(model: Model, tau: ArrayLike) -> Array:
    """Motor forces clipped to the effort limits: (..., nv), or one number for all -> (..., nv) [N·m or N].

    Raises:
        StateError: A wrong shape, a number that is not finite.
    """
    require("model", model, Model)
    tau = numbers("tau", tau)
    model = model.spanning_tree
    tau = checked(model, "tau", tau if tau.ndim else np.full(model.nv, tau))
    effort = model.coordinates.effort
    return np.minimum(np.maximum(tau, -effort), effort)  # np.clip takes twice as long


@dataclass(frozen=True)
class PD:
    """Proportional and derivative control of all joints, those in loops included: nq, nv are the spanning tree's."""

    kp: Array  # (nv,) [N·m/rad or N/m]
    kd: Array  # (nv,) [N·m·s/rad or N·s/m]
    q: Array  # (nq,) target position
    v: Array  # (nv,) target velocity

    @staticmethod
    def to(model: Model, q: ArrayLike, kp: ArrayLike, kd: ArrayLike, v: ArrayLike = 0.0) -> PD:
        """Control to a target.

        Args:
            model: The model.
            q: Target position, (nq,).
            kp: Stiffness, one number or (nv,), not negative.
            kd: Damping, one number or (nv,), not negative.
            v: Target velocity, one number or (nv,).

        Raises:
            StateError: A wrong length, a number that is not finite, a negative gain.
        """
        require("model", model, Model)
        model = model.spanning_tree
        given = {"kp": kp, "kd": kd, "target velocity": v}
        gains = {name: _one_each(value, model.nv, name) for name, value in given.items()}
        pd = PD(gains["kp"], gains["kd"], _one_each(q, model.nq, "target position"), gains["target velocity"])
        return pd.checked(model)

    def checked(self, model: Model) -> PD:
        """The same control with arrays of the shapes that a model needs.

        Raises:
            StateError: A wrong length, a number that is not finite, a negative gain, a quaternion that is not of length
                one.
        """
        require("model", model, Model)
        model = model.spanning_tree
        for name, x in (("kp", self.kp), ("kd", self.kd), ("target velocity", self.v)):
            one_state(model, "v", x, name)
        for name, gain in (("kp", self.kp), ("kd", self.kd)):
            if (np.asarray(gain) < 0.0).any():
                raise StateError(f"{name} of '{model.dof_names[int(np.argmin(gain))]}' is negative; give zero or more")
        one_state(model, "q", self.q, "target position")
        return self

    def forces(self, model: Model, q: ArrayLike, v: ArrayLike) -> Array:
        """Kp difference(q, q_d) + Kd (v_d - v): (..., nq), (..., nv) -> (..., nv) [N·m or N].

        Raises:
            StateError: A wrong shape, a number that is not finite, a quaternion that is not of length one.
        """
        pd, tree = self.checked(model), model.spanning_tree
        return pd.forces_of_checked(tree, *states(tree, q=q, v=v))

    def forces_of_checked(self, model: Model, q: Array, v: Array) -> Array:
        """`forces` of the spanning tree, without checks of the state."""
        return self.kp * displacement(model, q, self.q) + self.kd * (self.v - v)

    def limited(self, model: Model, q: ArrayLike, v: ArrayLike) -> tuple[PD, Array]:
        """Replace the control of joints whose force exceeds the effort limit by the limit as a constant force.

        Args:
            model: The model.
            q: Position, (nq,).
            v: Velocity, (nv,).

        Returns:
            The control, with zero gains for these joints, and the constant forces (nv,), zero for all others. If no
            motor is at its limit, the control is `self`.

        Raises:
            StateError: A wrong shape, a number that is not finite, a quaternion that is not of length one.
        """
        q, v = one_state(model, "q", q), one_state(model, "v", v)
        tau = self.checked(model).forces_of_checked(model, q, v)
        beyond = np.abs(tau) > model.coordinates.effort
        if not beyond.any():
            return self, np.zeros(len(tau))
        free = ~beyond
        limit = np.copysign(model.coordinates.effort, tau)
        return PD(self.kp * free, self.kd * free, self.q, self.v), np.where(beyond, limit, 0.0)


def _one_each(value: ArrayLike, count: int, what: str) -> Array:
    x = numbers(what, value)
    if x.shape not in ((), (count,)):
        raise StateError(f"{what} has shape {x.shape}; give one number or ({count},)")
    if x.ndim:
        return x
    if not isfinite(x):
        raise StateError(f"{what} must be finite; it is {x}")
    return np.full(count, x)
