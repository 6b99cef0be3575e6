"""A robot with a state, and a getter for each term of its equations of motion.

    M q̈ = τ - c + f - d - s

with τ the control forces, c(q, v) Coriolis and gravity forces, f external forces, d damping and s spring forces. So the
acceleration is `solve(M, tau - C)`, C = c - f + d + s (nimblephysics, «Manual equations of motion»). The step is

    v⁺ = v + dt q̈,     q⁺ = q ⊕ dt v

It is explicit and moves q with the velocity before the step, as nimblephysics does by default. As there, the spring
force is that one step ahead, s = k x(q ⊕ dt v).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ipc_articulation.arrays import Array
from ipc_articulation.dynamics.algorithms.bad_states import one_state
from ipc_articulation.dynamics.algorithms.bias import bias_forces, coriolis_forces, gravity_forces
from ipc_articulation.dynamics.algorithms.crba import mass_matrix
from ipc_articulation.dynamics.algorithms.jacobian import ORIGIN, jacobian
from ipc_articulation.dynamics.algorithms.manifold import integrate
from ipc_articulation.dynamics.algorithms.solve import solve_mass
from ipc_articulation.dynamics.arguments import numbers, positive_number, require
from ipc_articulation.dynamics.forces.passive import damping_forces, spring_forces
from ipc_articulation.dynamics.model.model import Model
from ipc_articulation.errors import StateError


def _state(kind: str, name: str, doc: str) -> property:
    """A property for an array of the state, a key of `Model.shapes`; it is copied when read and when set."""

    def write(skeleton: Skeleton, value: ArrayLike) -> None:
        setattr(skeleton, f"_{kind}", one_state(skeleton.model, kind, value, name).copy())

    return property(lambda skeleton: getattr(skeleton, f"_{kind}").copy(), write, doc=doc)


class Skeleton:
    """A model and its state, at first that of `Model.start`, at rest.

    Args:
        model: The model.
        dt: Time step [s], positive.

    Raises:
        StateError: The time step is not positive.
    """

    def __init__(self, model: Model, dt: float = 1e-3) -> None:
        require("model", model, Model)
        self.model, self.dt = model, positive_number("dt", dt)
        self._q, self._v = model.start, np.zeros(model.nv)
        self._tau, self._external = np.zeros(model.nv), np.zeros(model.nv)

    positions = _state("q", "positions", "Position q, (nq,).")
    velocities = _state("v", "velocities", "Velocity v, (nv,).")
    control_forces = _state("tau", "control forces", "τ, (nv,) [N·m or N].")

    @property
    def accelerations(self) -> Array:
        """q̈ = M⁻¹ (τ - c + f - d - s), (nv,).

        Raises:
            ModelError: A joint moves no inertia.
        """
        return solve_mass(self.model, self.mass_matrix, self._tau - self.resisting_forces)

    @property
    def mass_matrix(self) -> Array:
        """M(q), (nv, nv), rotors included."""
        return mass_matrix(self.model, self._q)

    @property
    def coriolis_and_gravity_forces(self) -> Array:
        """c(q, v), (nv,)."""
        return bias_forces(self.model, self._q, self._v)

    @property
    def gravity_forces(self) -> Array:
        """c(q, 0), (nv,)."""
        return gravity_forces(self.model, self._q)

    @property
    def coriolis_forces(self) -> Array:
        """c(q, v) - c(q, 0), (nv,)."""
        return coriolis_forces(self.model, self._q, self._v)

    @property
    def external_forces(self) -> Array:
        """f, (nv,), the sum of all `push` calls since the last step."""
        return self._external.copy()

    @property
    def damping_forces(self) -> Array:
        """d = D v, (nv,)."""
        return -damping_forces(self.model, self._v, self._q)

    @property
    def spring_forces(self) -> Array:
        """s = K x, (nv,); x is the displacement from the springs' mounts after one step at the present velocity."""
        return -spring_forces(self.model, integrate(self.model, self._q, self._v, self.dt))

    @property
    def resisting_forces(self) -> Array:
        """C = c - f + d + s, (nv,)."""
        return self.coriolis_and_gravity_forces - self._external + self.damping_forces + self.spring_forces

    def push(self, frame: str, force: ArrayLike, point: ArrayLike = ORIGIN, moment: ArrayLike = ORIGIN) -> None:
        """Apply a force to a link until the next step: f += J(point)ᵀ [moment; force].

        Args:
            frame: Name of the link or frame.
            force: In the world's axes, (3,) [N].
            point: Point of application, in the frame, (3,) [m].
            moment: In the world's axes, (3,) [N·m].

        Raises:
            ModelError: The frame is unknown.
            StateError: An argument is not three finite numbers.
        """
        wrench = np.concatenate([_vector(moment, "moment"), _vector(force, "force")])
        self._external = self._external + jacobian(self.model, self._q, frame, point).T @ wrench

    def clear_external_forces(self) -> None:
        """Remove all external forces."""
        self._external = np.zeros(self.model.nv)

    def step(self) -> None:
        """Advance by one time step; external forces end with it."""
        a = self.accelerations
        self._q = integrate(self.model, self._q, self._v, self.dt)
        self._v = self._v + self.dt * a
        self.clear_external_forces()


def _vector(value: ArrayLike, name: str) -> Array:
    x = numbers(name, value)
    if x.shape != (3,) or not np.isfinite(x).all():
        raise StateError(f"{name} must be three finite numbers; it is {x.tolist()}")
    return x
