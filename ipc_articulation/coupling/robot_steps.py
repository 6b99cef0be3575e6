"""The steps of one robot: the one that is predicted, and what became of the last one."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.coupling.adapter import Prediction
from ipc_articulation.coupling.answers import Answers
from ipc_articulation.coupling.batches import Predictions
from ipc_articulation.coupling.bodies import set_aim
from ipc_articulation.coupling.failures import no_prediction, not_committed
from ipc_articulation.coupling.placed_robot import PlacedRobot
from ipc_articulation.coupling.restraints import Held, Holding, limits_and_friction


class StepValues(NamedTuple):
    """What a committed step has computed for m freedoms; of N robots, whose axis comes first."""

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
        return {name: np.array(value) for name, value in self._asdict().items()}


@dataclass
class GroupStep:
    """A step of N robots, predicted and then taken."""

    frame: int  # of the world at its end
    predictions: Predictions
    held: Held
    theta_dot_start: Array  # (N, m) velocities of the joints at its start
    dt: float  # [s]
    delta_theta: Array | None = None  # (N, m) δθ [rad or m]; None: it is not taken yet

    @cached_property
    def values(self) -> StepValues:
        """What it has computed, (N, …) each; only of a step that is taken."""
        assert self.delta_theta is not None
        force = self.held.resistance(self.delta_theta) / self.dt**2
        return StepValues(self.predictions.mass, self.held.delta_theta_tilde, self.delta_theta, force)


@dataclass(frozen=True)
class Taken:
    """A step that a robot has taken."""

    step: GroupStep
    number: int  # of the robot

    @property
    def values(self) -> StepValues:
        """What it has computed."""
        return StepValues(*[of_all[self.number] for of_all in self.step.values])

    @property
    def prediction(self) -> Prediction:
        """The prediction of the multibody engine."""
        return self.step.predictions.of(self.number)

    def limits_and_friction(self) -> tuple[Array, Array]:
        """Forces of limits and of dry friction, see `StepForces`."""
        held, own = self.step.held.of(self.number), self.prediction.restraints
        return limits_and_friction(held, own, self.values.delta_theta, self.step.dt)


class RobotSteps:
    """The step that is predicted, and the last one that was committed.

    Attributes:
        answers: The multibody engine's side.
        placed: The robot in the scene.
        tie_strengths: Strengths of the tied joints, (t,).
        holding: How stiffly a step holds limits, dry friction and equalities.
        pending: The step that is predicted and not committed; None: there is none.
        taken: The last step; None before the first one, and after a change of the state.
    """

    def __init__(self, answers: Answers, placed: PlacedRobot, tie_strengths: Array, holding: Holding) -> None:
        """Before the first step."""
        self.answers, self.placed = answers, placed
        self.tie_strengths, self.holding = tie_strengths, holding
        self._given = StepValues.none(len(placed.joint_names))  # values where no step is taken
        self.taken: Taken | None = None
        self.pending: GroupStep | None = None

    @property
    def values(self) -> StepValues:
        """Those of the last step; zero before the first one."""
        return self._given if self.taken is None else self.taken.values

    def require_prediction(self) -> GroupStep:
        """The predicted step that is not yet committed.

        Raises:
            EngineError: There is none.
        """
        if self.pending is None:
            raise no_prediction()
        return self.pending

    def begin(self, frame: int, dt: float) -> None:
        """Begin the step to a frame of the world, of dt [s]; the prediction follows.

        Raises:
            EngineError: The last one is not committed.
            AdapterError: Time step or gravity are not the scene's.
        """
        if self.pending is not None and frame > self.pending.frame:  # else the world repeats a step that failed
            self.require_committed()
        self.pending = None
        self.answers.require_agreement(dt)

    def set_aims(self, aims: Array) -> None:
        """Set the poses (k, 4, 4) that the driven bodies take in the step.

        Raises:
            AdapterError: They are not finite.
        """
        for slot, aim in zip(self.placed.driven, self.answers.aims(aims), strict=True):
            set_aim(slot.geometry(), aim)

    def end(self, number: int) -> None:
        """Note the predicted step as taken, by the robot of a number among those of the step."""
        assert self.pending is not None
        self.taken, self.pending = Taken(self.pending, number), None

    def require_committed(self) -> None:
        """See `Coupling.require_committed`."""
        if self.pending is not None:
            raise not_committed(self.placed.joint_names)

    def begin_anew(self, values: StepValues | None = None) -> None:
        """Forget the last step, as after `couple`; its values become others, or zero."""
        self.taken = None
        self._given = StepValues.none(len(self.placed.joint_names)) if values is None else values
