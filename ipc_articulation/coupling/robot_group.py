"""Robots that are predicted and committed together: all of `couple_many`, or the one of `couple`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, cast
from weakref import ref

import numpy as np
import uipc

from ipc_articulation import affine
from ipc_articulation.arrays import Array
from ipc_articulation.articulation.spring_rows import BoundedRows
from ipc_articulation.articulation.step_places import StepInput
from ipc_articulation.coupling.adapter import Prediction
from ipc_articulation.coupling.answers import checked_batch_of
from ipc_articulation.coupling.batches import Batch, Predictions, stacked
from ipc_articulation.coupling.constraint import ExternalArticulationConstraint
from ipc_articulation.coupling.engine_side import EngineSide
from ipc_articulation.coupling.failures import not_kept
from ipc_articulation.coupling.lowering.placed import PlacedChains
from ipc_articulation.coupling.placed_robot import coordinates
from ipc_articulation.coupling.restraints import Held, Holding
from ipc_articulation.coupling.rigid_motion import rigid_motion
from ipc_articulation.coupling.robot_steps import GroupStep, RobotSteps
from ipc_articulation.coupling.ties import with_tied_joints
from ipc_articulation.errors import IpcArticulationError
from ipc_articulation.frontend.callbacks import asking_engine, guard
from ipc_articulation.frontend.turns import in_turn, turn_of

Written = tuple[Array, Array, Mapping[tuple[int, int], Array], Array | None, BoundedRows | None]  # see `written`


class RobotGroup:
    """N robots of one kind in a scene.

    All are predicted when the callback of the first one runs. The CPU engine gets their input then; on libuipc's own
    engines each callback writes the attributes of one.

    Attributes:
        scene: The scene.
        robots: The steps of the robots, (N,).
        stopped: By number of a robot that was stopped the prediction with which it rests.
        failures: By number of a robot what its last prediction has raised.
        side: The CPU engine that has got the last predictions; None where attributes have them.
        is_stale: Whether bodies have moved in the engine since they were written into the scene's geometries.
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
        self.failures: dict[int, IpcArticulationError] = {}
        self.side: EngineSide | None = None
        self.is_stale = False
        self._batched: list[int] = []  # numbers of the robots in the batch
        self._batch: Batch
        self._input: tuple[StepInput, Array]  # of the predicted step

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
            if number and asking_engine() is not None:
                return  # it has the input of all
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
        else:
            self.side = EngineSide.of(cpu, self.robots, self.side)
            self._predict(info)
            self.side.hand_over(*self._input)

    def written(self, info: Any, number: int) -> Written:
        """The input of a robot's articulation for the step that begins, see `Coupling.predict`."""
        self.side, robot = None, self.robots[number]
        if number == 0 or robot.pending is None:
            self._predict(info)
        step, poses = self._input
        q_ref = affine.q_from_transform(poses[number])
        references = {(slot.id(), 0): q for slot, q in zip(robot.placed.jointed_slots, q_ref, strict=True)}
        springs = None if step.springs is None else step.springs[number]
        rows = None if step.rows is None else BoundedRows(*[part[number] for part in step.rows])
        return step.mass[number], step.tilde[number], references, springs, rows

    def _predict(self, info: Any) -> None:
        """Predict the step of all robots that begins."""
        frame, dt = info.frame(), info.dt()
        self._each(lambda robot: robot.begin(frame, dt))
        predictions = self._predictions()
        started = np.array([robot.answers.adapter.theta_dot() for robot in self.robots])
        held = self._holding.held(predictions, dt)
        self._input = self._in_scene(held, predictions)
        step = GroupStep(frame, predictions, held, started, dt)
        for robot in self.robots:
            robot.pending = step

    def _each(self, ask: Callable[[RobotSteps], Any]) -> list[Any]:
        """Ask all robots, and note which one fails."""
        found = []
        for number, robot in enumerate(self.robots):
            try:
                found.append(ask(robot))
            except IpcArticulationError as error:
                self.failures = {number: error}
                raise
        return found

    def _predictions(self) -> Predictions:
        """The predictions of the robots, which rest where they are stopped."""
        running = self.running
        if not running:
            return stacked(self.stopped, {})
        if running != self._batched:
            self._batched, self._batch = running, checked_batch_of([self.robots[number].answers for number in running])
        try:
            found = self._batch.predict()
        except IpcArticulationError as error:  # all have failed
            self.failures = {running[0]: error}
            raise
        if found.failures:
            self.failures = {running[place]: error for place, error in found.failures.items()}
            raise self.failures[min(self.failures)]
        if not self.stopped:
            return found
        return stacked(self.stopped | {number: found.of(place) for place, number in enumerate(running)}, {})

    @cached_property
    def _holding(self) -> Holding:
        return Holding.joined([robot.holding for robot in self.robots])

    @cached_property
    def _tie_strengths(self) -> Array:
        return np.array([robot.tie_strengths for robot in self.robots])

    def _in_scene(self, held: Held, predictions: Predictions) -> tuple[StepInput, Array]:
        """The input of the articulations, and the reference poses of their bodies, (N, k, 4, 4); aims are set."""
        if predictions.aims.shape[1]:
            aims = iter(predictions.aims)
            self._each(lambda robot: robot.set_aims(next(aims)))
        step, poses = with_tied_joints(held, predictions, self._tie_strengths), predictions.link_poses
        if (first := self.robots[0].placed).chains is not None:
            step, poses = self._lowered(step, poses)
        return step, poses[:, first.jointed]

    def _lowered(self, step: StepInput, poses: Array) -> tuple[StepInput, Array]:
        """Those of the robots' chains."""
        own = [None] * len(poses) if step.springs is None else step.springs
        given = zip(step.mass, step.tilde, own, poses, strict=True)
        lowered = self._each(lambda robot: cast(PlacedChains, robot.placed.chains).lower(*next(given)))
        mass, tilde, springs, ghosts = map(np.array, zip(*lowered, strict=True))
        of_chains = StepInput(mass, tilde, None if step.springs is None else springs, None)
        return of_chains, np.concatenate([poses, ghosts], axis=1)

    def commit(self, which: Sequence[int]) -> None:
        """Give the step that the world has taken back to multibody engines; attributes must be retrieved before.

        Args:
            which: Numbers of their robots, (k,).

        Raises:
            EngineError: No step was taken since the last commit.
        """
        step, *_ = [self.robots[number].require_prediction() for number in which]
        step.delta_theta, *free = self._motion()
        ends = [step.delta_theta, *rigid_motion(*free)]
        moving = [number for number in which if number not in self.stopped]
        if moving == self._batched:
            self._batch.commit(*[each[moving] for each in ends])
        else:
            for number in moving:
                self.robots[number].answers.commit(*[each[number] for each in ends])
        for number in which:
            self.robots[number].end(number)

    def refresh(self) -> None:
        """Write the bodies into the scene's geometries, unless they are there already."""
        if self.is_stale and self.side is not None:
            self.side.cpu.write_back()
        self.is_stale = False

    @property
    def q(self) -> Array | None:
        """Coordinates of links and free bodies in the CPU engine, (N, b, 12); None where attributes have them."""
        if self.side is None:
            return None
        self.side = EngineSide.of(self.side.cpu, self.robots, self.side)
        return self.side.q

    def links(self, number: int) -> Array:
        """Coordinates of a robot's links after the step that was just committed, (n, 12)."""
        return coordinates(self.robots[number].placed.bodies.links) if self.side is None else self.side.links(number)

    def _motion(self) -> tuple[Array, Array, Array]:
        """As of `EngineSide.motion`."""
        if self.side is not None:
            return self.side.motion()
        placed = [robot.placed for robot in self.robots]
        q, qdot = map(np.array, zip(*(robot.free_motion for robot in placed), strict=True))
        return np.array([robot.delta_theta for robot in placed]), q, qdot
