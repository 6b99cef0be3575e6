"""The step of one robot: what the articulation gets of its prediction, and what became of it."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np
import uipc

from ipc_articulation.arrays import Array
from ipc_articulation.coupling.adapter import Prediction
from ipc_articulation.coupling.answers import Answers
from ipc_articulation.coupling.bodies import set_aim
from ipc_articulation.coupling.failures import no_prediction, not_committed
from ipc_articulation.coupling.placed_robot import PlacedRobot
from ipc_articulation.coupling.restraints import Held, Holding, limits_and_friction
from ipc_articulation.coupling.ties import with_tied_joints
from ipc_articulation.frontend.articulations import StepInput
from ipc_articulation.frontend.callbacks import raise_kept


@dataclass(frozen=True)
class StepValues:
    """What a committed step has computed for m freedoms."""

    mass: Array  # (m, m) M̂
    delta_theta_tilde: Array  # (m,) δθ̃ [rad or m]
    delta_theta: Array  # (m,) δθ [rad or m]
    contact_force: Array  # (m,) ∂K/∂δθ/dt² [N·m or N]

    @classmethod
    def none(cls, m: int) -> StepValues:
        """Those before the first step."""
        return cls(np.zeros((m, m)), *np.zeros((3, m)))

    def arrays(self) -> dict[str, Array]:
        """Copies, by name."""
        return {field.name: np.array(getattr(self, field.name)) for field in fields(self)}


@dataclass(frozen=True)
class Taken:
    """A step that was committed."""

    prediction: Prediction
    theta_dot_start: Array  # (m,) velocities of the joints at its start
    dt: float  # [s]


class RobotSteps:
    """The step that is predicted, and the last one that was committed.

    Attributes:
        answers: The multibody engine's side.
        placed: The robot in the scene.
        values: Of the last step; zero before the first one.
        taken: The last step; None before the first one, and after a change of the state.
        dt: Time step of the last prediction [s].
    """

    def __init__(
        self, scene: uipc.Scene, answers: Answers, placed: PlacedRobot, tie_strengths: Array, holding: Holding
    ) -> None:
        """Before the first step.

        Args:
            scene: The scene.
            answers: The multibody engine's side.
            placed: The robot in the scene.
            tie_strengths: Strengths of the tied joints, (t,).
            holding: How stiffly a step holds limits, dry friction and equalities.
        """
        self._scene, self.answers, self.placed = scene, answers, placed
        self._tie_strengths, self._holding = tie_strengths, holding
        self.values, self.dt = StepValues.none(len(placed.joint_names)), answers.dt()
        self.taken: Taken | None = None
        self._pending: Prediction | None = None
        self._held = Held(self.values.mass, self.values.delta_theta_tilde, None)  # of the last prediction
        self._started = np.zeros(0)  # velocities of the joints at the prediction of `_pending`
        self._pending_frame = 0  # of the world at that prediction

    def begin(self, frame: int, dt: float) -> None:
        """Begin the step to a frame of the world, of dt [s]; the prediction follows.

        Raises:
            EngineError: The last one is not committed.
            AdapterError: Time step or gravity are not the scene's.
        """
        if frame > self._pending_frame:  # else the world repeats a step that failed
            self.require_committed()
        self._pending = None
        self.answers.require_agreement(dt)
        self._started = np.array(self.answers.adapter.theta_dot())
        self._pending_frame, self.dt = frame, dt

    def hold(self, given: Prediction) -> tuple[StepInput, Array]:
        """Take the prediction of the step that has begun.

        Returns:
            The articulation's input, and the reference poses of its bodies, (k, 4, 4).

        Raises:
            AdapterError: The prediction is not as `Adapter` says.
        """
        self._pending = prediction = _copied(self.answers.checked(given))
        for slot, aim in zip(self.placed.driven, prediction.aims, strict=True):
            set_aim(slot.geometry(), aim)
        self._held = self._holding.held(prediction, self.dt)
        step, poses = with_tied_joints(self._held, prediction, self._tie_strengths), prediction.link_poses
        if self.placed.chains is not None:
            step, poses = self.placed.chains.lower(step, poses)
        return step, poses[self.placed.jointed]

    def end(self, prediction: Prediction, delta_theta: Array) -> None:
        """Note the predicted step, by δθ (m,), that the multibody engine has taken."""
        self._pending, self.taken = None, Taken(prediction, self._started, self.dt)
        contact_force = self._held.resistance(delta_theta) / self.dt**2
        self.values = StepValues(prediction.mass, self._held.delta_theta_tilde, delta_theta, contact_force)

    def limits_and_friction(self) -> tuple[Array, Array]:
        """Forces of limits and of dry friction in the step that was just committed, see `StepForces`."""
        own = None if self.taken is None else self.taken.prediction.restraints
        return limits_and_friction(self._held, own, self.values.delta_theta, self.dt)

    def require_prediction(self) -> Prediction:
        """The predicted step that is not yet committed; raises what `Coupling.require_prediction` does."""
        raise_kept(self._scene)
        if self._pending is None:
            raise no_prediction()
        return self._pending

    @property
    def is_within(self) -> bool:
        """Whether a step is predicted that is not yet committed."""
        return self._pending is not None

    def require_committed(self) -> None:
        """See `Coupling.require_committed`."""
        if self.is_within:
            raise not_committed(self.placed.joint_names)

    def begin_anew(self, values: StepValues | None = None) -> None:
        """Forget the last step, as after `couple`; its values become others, or zero."""
        self.taken = None
        self.values = StepValues.none(len(self.placed.joint_names)) if values is None else values

    def forget_prediction(self) -> None:
        """Discard the predicted step."""
        self._pending = None


def _copied(given: Prediction) -> Prediction:
    """The same with arrays that the adapter does not have."""
    mass, tilde, poses = given.mass.copy(), given.delta_theta_tilde.copy(), given.link_poses.copy()
    return replace(given, mass=mass, delta_theta_tilde=tilde, link_poses=poses)
