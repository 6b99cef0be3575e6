"""A model of our own dynamics as one side of the coupling."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

import numpy as np
from ipc_articulation.adapters.native.base import ModelAdapter, refuse_equal_names, refuse_other_lengths
from numpy.typing import ArrayLike

from ipc_articulation.arrays import Array
from ipc_articulation.coupling.adapter import CoupledBody, CoupledRobot, HalfPlane, Prediction
from ipc_articulation.coupling.robots import FRICTION
from ipc_articulation.coupling.solids import MeshShape
from ipc_articulation.dynamics.integrators import Scheme, Step, implicit
from ipc_articulation.dynamics.model import Model
from ipc_articulation.errors import AdapterError


class NativeAdapter(ModelAdapter):
    """Couples a model of `ipc_articulation.dynamics` and its state to an IPC scene.

    Every degree of freedom is a joint with a link of its own. Links that are fixed to the world are one static body,
    which nothing that hangs on it touches. Free bodies, further static bodies and planes are given by the caller; IPC
    moves the free ones.

    The engine's own step is `dynamics.implicit`, whose M̂ is the Hessian of its incremental potential. Friction, limits
    and mimic joints are decided while the step is predicted; contact meets M̂ alone, that of all joints.

    Attributes:
        q: Position, (m,) [rad or m]; may be set between steps.
        v: Velocity, (m,) [rad/s or m/s]; may be set between steps.
        drive: What drives the joints in the next step. PD control beyond the effort limit becomes a constant force.
        free: The free bodies, with the poses and velocities that IPC gave them last.

    Args:
        model: The model; its gravity must be the scene's.
        dt: Time step [s].
        q: Position at the start, (m,); None: neutral.
        v: Velocity at the start, (m,); None: at rest.
        scheme: Which forces the engine's step is implicit in.
        free: Bodies that IPC moves.
        static: Bodies that never move; every link may touch them.
        planes: Half-spaces that never move; every link may touch them.
        friction: Coulomb coefficient of the model's surfaces, one number or by body; 1 where a body is not named.
        untouchable: Further pairs of names that never touch.
        mesh_shape: «mesh» takes the triangles of meshes, which must be closed; «hull» their convex hull.

    Raises:
        AdapterError: The time step is not positive, or two bodies have the same name.
        MeshError: A mesh is not closed or cannot be read.
        StateError: q has a wrong length or is not finite.
        UnsupportedError: A joint is not made of turns and slides.
    """

    def __init__(
        self,
        model: Model,
        dt: float,
        *,
        q: ArrayLike | None = None,
        v: ArrayLike | None = None,
        scheme: Scheme = Scheme.FULL,
        free: Iterable[CoupledBody] = (),
        static: Iterable[CoupledBody] = (),
        planes: Iterable[HalfPlane] = (),
        friction: float | Mapping[str, float] = FRICTION,
        untouchable: Collection[frozenset[str]] = (),
        mesh_shape: MeshShape = "mesh",
    ) -> None:
        super().__init__(
            model,
            dt,
            scheme,
            free=free,
            static=static,
            planes=planes,
            friction=friction,
            untouchable=untouchable,
            mesh_shape=mesh_shape,
        )
        self.q: Array = model.neutral if q is None else np.array(q, dtype=float)
        self.v: Array = np.zeros(model.nv) if v is None else np.array(v, dtype=float)
        self._predicted: Step | None = None
        refuse_equal_names(self.describe())

    def describe(self) -> CoupledRobot:
        """The model at its present state.

        Raises:
            StateError: q has a wrong length or is not finite.
        """
        return self._describe_at(self.q)

    def predict(self) -> Prediction:
        """M̂, δθ̃ and link poses of the engine's own step from the present state; changes nothing a user sees.

        Raises:
            AdapterError: The step is unstable.
            SolverError: Dry friction and limits did not converge.
            StateError: q or v has a wrong length or is not finite.
        """
        step = implicit(self.model, self.q, self.v, self._dt, self._possible_drive(self.q, self.v), self.scheme)
        if not (np.isfinite(step.q).all() and np.isfinite(step.v).all()):
            raise AdapterError(
                f"the step of model '{self.model.name}' is not finite; use a smaller time step, lower gains, or "
                "Scheme.FULL"
            )
        self._predicted = step
        return Prediction(step.mass, step.q - self.q, self.link_poses())

    def commit(self, delta_theta: Array, free_poses: Array, free_velocities: Array) -> None:
        """Take the predicted step with IPC's correction: q gains δθ, v gains (δθ-δθ̃)/dt over the engine's own.

        Args:
            delta_theta: δθ of the joints, (m,) [rad or m].
            free_poses: Poses of the free bodies after the step, (f, 4, 4), rigid.
            free_velocities: Rates of those poses, (f, 4, 4).

        Raises:
            AdapterError: Nothing was predicted since the last commit.
        """
        if self._predicted is None:
            raise AdapterError("commit without a prediction: call predict first, once for each step")
        step, self._predicted = self._predicted, None
        correction = delta_theta - (step.q - self.q)
        self.q, self.v = self.q + delta_theta, step.v + correction / self._dt
        self._move_free(free_poses, free_velocities)

    def link_poses(self) -> Array:
        """Forward kinematics of the links at the present state, (n, 4, 4)."""
        return self._chain.link_poses(self.q)

    def theta(self) -> Array:
        """Joint positions, (m,) [rad or m]."""
        return np.array(self.q)

    def theta_dot(self) -> Array:
        """Joint velocities, (m,) [rad/s or m/s]."""
        return np.array(self.v)

    def state(self) -> dict[str, Array]:
        """Position, velocity, and where the free bodies are; `drive` is the user's."""
        return {"q": self.theta(), "v": self.theta_dot(), **self._free_state()}

    def restore(self, state: Mapping[str, Array]) -> None:
        """Go back to what `state` gave.

        Raises:
            AdapterError: It is of another model.
        """
        refuse_other_lengths(state, q=self.q, v=self.v)
        self.q, self.v, self._predicted = np.array(state["q"]), np.array(state["v"]), None
        self._restore_free(state)
