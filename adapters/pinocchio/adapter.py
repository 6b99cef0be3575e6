"""A Pinocchio model as one side of the coupling."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Unpack

import numpy as np
import pinocchio as pin
from ipc_articulation.adapters.around import (
    AROUND,
    Around,
    facets_of,
    predicted,
    refuse_change,
    refuse_equal_names,
    refuse_other_lengths,
)
from ipc_articulation.adapters.pinocchio.chain import make_chain
from ipc_articulation.adapters.pinocchio.charts import Charts
from ipc_articulation.adapters.pinocchio.description import Description
from ipc_articulation.adapters.pinocchio.edits import Edits
from ipc_articulation.adapters.pinocchio.restraints import restraints
from ipc_articulation.adapters.pinocchio.step import Step, own_step
from ipc_articulation.adapters.surroundings import Surroundings
from numpy.typing import ArrayLike

from ipc_articulation.arguments import POSITIVE, checked, instance, optional
from ipc_articulation.arrays import Array
from ipc_articulation.coupling.adapter import CoupledBody, CoupledRobot, Prediction, TiedMotion
from ipc_articulation.coupling.robots import FRICTION
from ipc_articulation.dynamics.arguments import NUMBERS, UNIT, numbers
from ipc_articulation.errors import AdapterError, StateError

_SCENE = frozenset({"model", "collision_model", "visual_model"})  # attributes from which the scene is built


class PinocchioAdapter:
    """Couples a Pinocchio model and its state to an IPC scene.

    Every joint moves one link: revolute (bounded or not), prismatic, helical, universal, spherical, planar and free
    ones, and composite ones of these. Mimic joints are tied to their primaries (see `coupling.ties`). Geometry of the
    universe is static, and half-spaces of it are half-planes. If the geometry model has collision pairs, only these
    bodies of the model touch each other; else all do, except a link and its parent, and a link and the bodies that its
    chain stands on. The caller gives free bodies, further static bodies and planes; IPC moves the free bodies.

    Pinocchio has no integrator; the step is semi-implicit Euler with implicit damping (see `step`). As in Pinocchio's
    own algorithms, limits of joints and dry friction have no effect.

    Between steps the attributes may be set, and so may inertias, rotor inertia (`model.armature`) and damping of the
    model. An edit of placements or of the collision geometry is refused at the next step.

    Attributes:
        q: Position, (nq,), as Pinocchio's functions take it.
        v: Velocity, (nv,), as Pinocchio's functions take it: that of a free-flyer in its own axes.
        tau: Forces of the drives in the next step, (nv,) [N·m or N].
        kd: Gains of velocity of the drives, (nv,) [N·m·s/rad or N·s/m], zero or more: the force of a drive is
            tau - kd v⁺.

    Args:
        model: The model; its gravity must be the scene's.
        dt: Time step [s].
        collision_model: Geometry that touches; None: nothing of the robot does.
        visual_model: Geometry for display; None: the collision geometry is drawn.
        q: Position at the start, (nq,); None: neutral.
        v: Velocity at the start, (nv,); None: at rest.
        around: The robot's surroundings, and the options for surfaces.

    Raises:
        AdapterError: An argument is unknown or of another type, the time step is not positive, two bodies have the
            same name, or a geometry is on a joint that the model does not have.
        MeshError: Repairs are refused, and a mesh is open or has no volume.
        StateError: q or v has a wrong length, is not finite, or has a quaternion or an angle's cosine and sine that are
            not of length one.
        UnsupportedError: A joint or a geometry is of a kind that has no counterpart; the message names it.
    """

    @checked(
        AdapterError,
        tuple(AROUND),
        model=instance(pin.Model),
        dt=POSITIVE,
        collision_model=optional(instance(pin.GeometryModel)),
        visual_model=optional(instance(pin.GeometryModel)),
        q=optional(NUMBERS),
        v=optional(NUMBERS),
        **AROUND,
    )
    def __init__(
        self,
        model: pin.Model,
        dt: float,
        *,
        collision_model: pin.GeometryModel | None = None,
        visual_model: pin.GeometryModel | None = None,
        q: ArrayLike | None = None,
        v: ArrayLike | None = None,
        **around: Unpack[Around],
    ) -> None:
        self.model, self.collision_model, self.visual_model = model, collision_model, visual_model
        self._dt, self._data, self._surroundings = float(dt), model.createData(), Surroundings(around)
        self._chain = make_chain(model)
        self._charts = Charts(self._chain)
        friction, facets = around.get("friction", FRICTION), facets_of(around)
        self._description = Description(model, self._chain, collision_model, visual_model, friction, facets)
        self.q: Array = pin.neutral(model) if q is None else numbers("q", q).copy()
        self.v: Array = np.zeros(model.nv) if v is None else numbers("v", v).copy()
        self.tau, self.kd = np.zeros(model.nv), np.zeros(model.nv)
        self._predicted: Step | None = None
        self._edits: Edits | None = None  # since the model was described
        refuse_equal_names(self.describe())

    def __setattr__(self, name: str, value: object) -> None:
        refuse_change(self, name, _SCENE)
        super().__setattr__(name, value)

    @property
    def dt(self) -> float:
        """Time step [s]."""
        return self._dt

    @property
    def gravity(self) -> Array:
        """Gravity, (3,) [m/s²]."""
        return np.array(self.model.gravity.linear)

    @property
    def free(self) -> tuple[CoupledBody, ...]:
        """The free bodies, with the poses and velocities that IPC gave them last. Read-only: IPC moves them."""
        return self._surroundings.free

    def describe(self) -> CoupledRobot:
        """The model at its present state.

        Raises:
            MeshError: Repairs are refused, and a mesh is open or has no volume.
            StateError: q is wrong.
            UnsupportedError: A geometry has no closed surface.
        """
        q, _ = self._state()
        self._edits = Edits(self.model, self.collision_model)
        return self._surroundings.around(self._description.at(q))

    def predict(self) -> Prediction:
        """M̂, δθ̃ and link poses of the step from the present state; no visible state changes.

        M̂ is the Hessian of the step's incremental potential by δθ: Bᵀ M̂ B with M̂ of Pinocchio's own velocities, see
        `step`.

        Raises:
            AdapterError: The step is not finite, or the model was edited beyond what the scene follows.
            StateError: q, v, tau or kd is wrong.
        """
        if self._edits is not None:
            self._edits.refuse()
        q, v = self._state()
        tau, kd = self._numbers("tau", self.model.nv), self._numbers("kd", self.model.nv)
        if (kd < 0.0).any():
            raise StateError(f"kd must be {self.model.nv} numbers, zero or more; it is {kd.tolist()!s:.80}")
        step = own_step(self.model, self._data, q, v, self._charts.drift(v), tau, kd, self._dt)
        if not np.isfinite(step.v).all():
            raise AdapterError(
                f"the step of model '{self.model.name}' is not finite; use a smaller time step or weaker drives"
            )
        self._predicted = step
        B = self._charts.slopes(q)
        change: Array = np.asarray(self._dt * np.linalg.solve(B, step.v), dtype=float)
        mass = B.T @ step.mass @ B
        held = restraints(self._chain, self.theta())
        return Prediction(mass, change, self._chain.place(q), self._tied(change), self._surroundings.aims, held)

    def commit(self, delta_theta: Array, free_poses: Array, free_velocities: Array) -> None:
        """Take the predicted step with IPC's correction: δθ, and θ̇⁺ = δθ/dt.

        Args:
            delta_theta: δθ of the joints' freedoms, (nv,) [rad or m].
            free_poses: Poses of the free bodies after the step, (f, 4, 4), rigid.
            free_velocities: Rates of those poses, (f, 4, 4).

        Raises:
            AdapterError: Nothing was predicted since the last commit.
        """
        predicted(self._predicted)
        self._predicted, (q, _) = None, self._state()
        delta = np.asarray(delta_theta, dtype=float)
        self.q = pin.integrate(self.model, q, self._charts.motion(q, delta))
        self.v = self._charts.slopes(self.q) @ delta / self._dt
        self._surroundings.move_free(free_poses, free_velocities)

    def link_poses(self) -> Array:
        """Forward kinematics of the links at the present state, (n, 4, 4)."""
        return self._chain.place(self._state()[0])

    def theta(self) -> Array:
        """Displacement of the joints' freedoms from the neutral position, (nv,) [rad or m]."""
        neutral = pin.neutral(self.model)
        return self._charts.displacement(neutral, pin.difference(self.model, neutral, self._state()[0]))

    def theta_dot(self) -> Array:
        """Rates of the joints' freedoms, (nv,) [rad/s or m/s]; a free one's origin moves along the parent's axes."""
        q, v = self._state()
        return np.asarray(np.linalg.solve(self._charts.slopes(q), v), dtype=float)

    def motor_forces(self, forces: Array) -> Array:
        """The `tau` that does the work of forces on the freedoms of the articulation at the present position.

        Args:
            forces: By freedom, (nv,) [N·m or N].

        Returns:
            B⁻ᵀ f with B = ∂v/∂θ̇, (nv,).
        """
        B = self._charts.slopes(self._state()[0])
        return np.asarray(np.linalg.solve(B.T, forces), dtype=float)

    def limits(self) -> Array:
        """Lowest and highest position of each freedom, (nv, 2) [rad or m]; -inf and inf without limits."""
        return self._chain.limits()

    def link_motion(self, theta: Array, theta_dot: Array) -> tuple[Array, Array]:
        """Poses of the links with other displacements and rates of the freedoms, (nv,), and the rates of these poses.

        Returns:
            (n, 4, 4) each; the state does not change.
        """
        return self._chain.place_moving(*self._coordinates(theta, theta_dot))

    def set_state(self, motion: tuple[Array, Array] | None, free_poses: Array, free_velocities: Array) -> None:
        """Set the state of joints and free bodies; `tau` and `kd` stay as they are.

        Args:
            motion: Displacements from the neutral position and rates of the freedoms, (nv,) each; None: as they are.
            free_poses: Poses of the free bodies, (f, 4, 4), rigid.
            free_velocities: Rates of those poses, (f, 4, 4).
        """
        if motion is not None:
            self.q, self.v = self._coordinates(*motion)
        self._predicted = None
        self._surroundings.move_free(free_poses, free_velocities)

    def state(self) -> dict[str, Array]:
        """Position, velocity, and the state of the free bodies; the user sets `tau` and `kd`."""
        return {"q": np.array(self.q), "v": np.array(self.v), **self._surroundings.state()}

    def restore(self, state: Mapping[str, Array]) -> None:
        """Restore a state of `state`.

        Raises:
            AdapterError: The state is that of another model.
        """
        refuse_other_lengths(state, q=self.q, v=self.v)
        self.q, self.v, self._predicted = np.array(state["q"]), np.array(state["v"]), None
        self._surroundings.restore(state)

    def _coordinates(self, theta: Array, theta_dot: Array) -> tuple[Array, Array]:
        """Pinocchio's position and velocity, the inverse of `theta` and `theta_dot`."""
        neutral = pin.neutral(self.model)
        q = pin.integrate(self.model, neutral, self._charts.motion(neutral, theta))
        return q, self._charts.slopes(q) @ theta_dot

    def _state(self) -> tuple[Array, Array]:
        """The position and the velocity, checked."""
        q, v = self._numbers("q", self.model.nq), self._numbers("v", self.model.nv)
        if not pin.isNormalized(self.model, q, UNIT):
            raise StateError(
                f"q of joint '{self._chain.beside_unit(q)}' is not of length one; give pin.normalize(model, q)"
            )
        return q, v

    def _numbers(self, name: str, count: int) -> Array:
        """An attribute as finite numbers, (count,)."""
        array = numbers(name, getattr(self, name))
        if array.shape != (count,) or not np.isfinite(array).all():
            raise StateError(f"{name} must be {count} finite numbers; it is {array.tolist()!s:.80}")
        return array

    def _tied(self, change: Array) -> TiedMotion | None:
        """The motion of the mimic joints with that of the others, (nv,)."""
        chain = self._chain
        rows = [link for link, primary in enumerate(chain.primaries) if primary >= 0]
        if not rows:
            return None
        rates = np.zeros((len(rows), self.model.nv))
        rates[np.arange(len(rows)), [chain.primaries[link] for link in rows]] = chain.rates[rows]
        return TiedMotion(rates @ change, rates)
