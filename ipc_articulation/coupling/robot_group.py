"""Robots that are predicted and committed together: all of `couple_many`, or the one of `couple`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any
from weakref import ref

import numpy as np
import uipc

from ipc_articulation import affine
from ipc_articulation.arrays import Array
from ipc_articulation.articulation.spring_rows import BoundedRows
from ipc_articulation.coupling.adapter import Prediction
from ipc_articulation.coupling.batches import Batch, batch_of
from ipc_articulation.coupling.constraint import ExternalArticulationConstraint
from ipc_articulation.coupling.engine_side import EngineSide
from ipc_articulation.coupling.failures import not_kept
from ipc_articulation.coupling.placed_robot import coordinates
from ipc_articulation.coupling.robot_steps import RobotSteps
from ipc_articulation.frontend.articulations import StepInput
from ipc_articulation.frontend.callbacks import asking_engine, guard
from ipc_articulation.frontend.turns import in_turn, turn_of

Written = tuple[Array, Array, Mapping[tuple[int, int], Array], Array | None, BoundedRows | None]  # see `written`


class RobotGroup:
    """N robots of one kind in a scene.

    The CPU engine gets the input of all when it runs the callback of the first one; on libuipc's own engines each
    callback writes the attributes of one.

    Attributes:
        scene: The scene.
        robots: The steps of the robots, (N,).
        stopped: By number of a robot that was stopped the prediction with which it rests.
        failed: Number of the robot whose prediction was the last one that raised an error, and this; None: none has.
        side: The CPU engine that has got the last predictions; None where attributes have them.
    """

    def __init__(self, scene: uipc.Scene, label_of: Callable[[int], str] = lambda number: "") -> None:
        """A group without robots.

        Args:
            scene: The scene.
            label_of: What the names of a robot's objects begin with, by its number.
        """
        self.scene, self.turn, self._label_of = scene, turn_of(scene), label_of
        self.robots: list[RobotSteps] = []
        self._constraints: list[ExternalArticulationConstraint | None] = []  # None without joints
        self.stopped: dict[int, Prediction] = {}
        self.failed: tuple[int, BaseException] | None = None
        self._asked = 0  # number of the robot that is being predicted
        self.side: EngineSide | None = None
        self._batched: list[int] = []  # numbers of the robots in the batch
        self._batch: Batch | None = None

    @property
    def label(self) -> str:
        """What the names of the next robot's objects begin with."""
        return self._label_of(len(self.robots))

    @property
    def running(self) -> list[int]:
        """Numbers of the robots that are not stopped."""
        return [number for number in range(len(self.robots)) if number not in self.stopped]

    def add(self, robot: RobotSteps) -> int:
        """Add a robot whose bodies are in their initial poses, with its animator callback; returns its number.

        The scene keeps the callback, and couplings the scene: it must not keep the group, or nothing is ever freed.
        """
        number, joints, known = len(self.robots), robot.placed.joint_names, ref(self)

        def callback(info: Any) -> None:
            group = known()
            if group is None:
                raise not_kept(joints)
            group.begin(info, number)

        self.robots.append(robot)
        self._constraints.append(robot.placed.constraint(self.scene))
        self.scene.animator().insert(robot.placed.carrier, guard(callback, self.scene))
        return number

    @in_turn
    def begin(self, info: Any, number: int) -> None:
        """Predict in the callback of a robot, which gets libuipc's UpdateInfo, and give the engine its input."""
        if (cpu := asking_engine()) is None:
            given, constraint = self.written(info, number), self._constraints[number]
            if constraint is not None:
                constraint.animate(lambda _: given)(info)
        elif number == 0:
            self.side = EngineSide.of(cpu, [robot.placed for robot in self.robots], self.side)
            self.side.hand_over(*self._held(info, range(len(self.robots))))

    def written(self, info: Any, number: int) -> Written:
        """The input of a robot's articulation for the step that begins, see `Coupling.predict`."""
        self.side = None
        (given,), (poses,) = self._held(info, [number])
        slots, q_ref = self.robots[number].placed.jointed_slots, affine.q_from_transform(poses)
        references = {(slot.id(), 0): q for slot, q in zip(slots, q_ref, strict=True)}
        return given.mass, given.tilde, references, given.springs, given.rows

    def _held(self, info: Any, which: Sequence[int]) -> tuple[list[StepInput], list[Array]]:
        """Inputs of the articulations of some robots, and the reference poses of their bodies, (k, 4, 4) each."""
        try:
            for self._asked in which:
                self.robots[self._asked].begin(info.frame(), info.dt())
            predictions = self._predicted([number for number in which if number not in self.stopped]) | self.stopped
            held = []
            for self._asked in which:
                held.append(self.robots[self._asked].hold(predictions[self._asked]))
        except BaseException as error:
            self.failed = self._asked, error
            raise
        return [step for step, _ in held], [poses for _, poses in held]

    def _predicted(self, which: list[int]) -> dict[int, Prediction]:
        """The predictions of some robots, by number."""
        if not which:
            return {}
        self._asked = which[0]  # where a batch raises, all have failed
        if len(which) == 1:
            return {which[0]: self._adapter(which[0]).predict()}
        if which != self._batched or self._batch is None:
            self._batched, self._batch = which, batch_of([self._adapter(number) for number in which])
        found = self._batch.predict()
        for place, failure in found.failures.items():
            self._asked = which[place]
            raise failure
        return {number: found.of(place) for place, number in enumerate(which)}

    def _adapter(self, number: int) -> Any:
        return self.robots[number].answers.adapter

    def commit(self, which: Sequence[int]) -> None:
        """Give the step that the world has taken back to multibody engines; attributes must be retrieved before.

        Args:
            which: Numbers of their robots, (k,).

        Raises:
            EngineError: No step was taken since the last commit.
            AdapterError, ArticulationError: What an animator callback raised.
        """
        predictions = [self.robots[number].require_prediction() for number in which]
        delta, q, qdot = self._motion(which)
        ends = delta, affine.transform_from_q(affine.nearest_rigid(q)), affine.transform_rate_from_qdot(qdot)
        moving = [place for place, number in enumerate(which) if number not in self.stopped]
        if self._batch is not None and [which[place] for place in moving] == self._batched:
            self._batch.commit(*(each[moving] for each in ends))
        else:
            for place in moving:
                self._adapter(which[place]).commit(*(each[place] for each in ends))
        for number, prediction, own in zip(which, predictions, delta, strict=True):
            self.robots[number].end(prediction, own)

    @property
    def q(self) -> Array | None:
        """Coordinates of links and free bodies in the CPU engine, (N, b, 12); None where attributes have them."""
        if self.side is None:
            return None
        self.side = EngineSide.of(self.side.cpu, [robot.placed for robot in self.robots], self.side)
        return self.side.q

    def links(self, number: int) -> Array:
        """Coordinates of a robot's links after the step that was just committed, (n, 12)."""
        return coordinates(self.robots[number].placed.bodies.links) if self.side is None else self.side.links(number)

    def _motion(self, which: Sequence[int]) -> tuple[Array, Array, Array]:
        """As of `EngineSide.motion`."""
        if self.side is not None:
            return self.side.motion(which)
        placed = [self.robots[number].placed for number in which]
        q, qdot = map(np.array, zip(*(robot.free_motion for robot in placed), strict=True))
        return np.array([robot.delta_theta for robot in placed]), q, qdot
