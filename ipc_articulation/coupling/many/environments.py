"""Environments: many copies of a robot in one scene, stepped together."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Literal, final, get_args
from weakref import WeakMethod, ref

import numpy as np
import uipc

from ipc_articulation import affine
from ipc_articulation.arguments import instance, one_of, refuse_unwanted, shown
from ipc_articulation.arrays import Array
from ipc_articulation.coupling.adapter import Prediction
from ipc_articulation.coupling.batches import Batch, batch_of
from ipc_articulation.coupling.coupling import Coupling
from ipc_articulation.coupling.failures import require_all, require_valid
from ipc_articulation.coupling.many.engine_side import EngineSide
from ipc_articulation.coupling.many.handing import Handing
from ipc_articulation.coupling.properties import RobotProperties, set_properties
from ipc_articulation.coupling.registry import couplings_of
from ipc_articulation.coupling.robot_states import RobotState
from ipc_articulation.coupling.stepping import take_step
from ipc_articulation.coupling.teleport import put
from ipc_articulation.errors import EngineError, IpcArticulationError, StateError
from ipc_articulation.frontend.turns import changing_in_turn, in_turn, turn_of
from ipc_articulation.frontend.worlds import ENGINES
from ipc_articulation.signals import interrupts_deferred

Failing = Literal["raise", "reset", "stop"]  # see `Environments.step`

_NUMBER = re.compile(r"environment (\d+): ")  # begins the names of an environment's bodies
_ARTICULATION = re.compile(r"articulation geometry (\d+)")


@final
class Environments:
    """N robots of one kind in a scene, each in its environment; made by `couple_many`.

    Arrays have the environments first: (N, m) over the m freedoms of `joint_names`, (N, b, 4, 4) over the bodies of
    `body_names`. The values of a step are those of the last one; before the first one, forces and δθ are zero.

    On the CPU engine a step neither reads nor writes libuipc's attributes: `retrieve` writes the bodies into the
    scene's geometries, where pictures find them; couplings and recorders do so when they need it.

    One thread steps a scene: what is read out may come from any thread, see `Coupling`.

    Where the state of one is not finite, arrays of all raise an error that names it; `couplings[k]` has the others'.

    Attributes:
        couplings: Those of the robots, (N,).
        adapters: Their adapters, (N,), whose controls are set between steps.
        failures: By number of an environment what it raised in the last step, see `step`.
        stopped: By number of an environment that was stopped the prediction with which it rests.
    """

    def __init__(self, scene: uipc.Scene, couplings: Sequence[Coupling], handing: Handing) -> None:
        """Called by `couple_many`."""
        self.scene, self.couplings, self.turn = scene, tuple(couplings), turn_of(scene)
        first = self.couplings[0]
        self.joint_names, self.link_names = first.joint_names, first.link_names
        self.body_names = tuple(body.name for body in (*first.robot.links, *first.robot.free))
        self.adapters = [coupling.adapter for coupling in self.couplings]
        self._handing, self._is_stale = handing, False
        self._robots = [coupling.placed for coupling in self.couplings]
        self._side: EngineSide | None = None
        self.failures: dict[int, IpcArticulationError] = {}
        self.stopped: dict[int, Prediction] = {}
        self._running: list[int] = []  # the numbers of the robots in the batch
        self._batch: Batch | None = None
        self._world: Callable[[], uipc.World | None] = lambda: None
        refresh = WeakMethod(self._refresh)
        for coupling in self.couplings:
            coupling.refresh = lambda: None if (known := refresh()) is None else known()

    def __len__(self) -> int:
        return len(self.couplings)

    @interrupts_deferred
    def step(self, world: uipc.World, failing: Failing = "raise") -> None:
        """All robots predict, the world advances, all commit.

        Args:
            world: The world, initialised with the scene.
            failing: What becomes of an environment whose robot, or whose part of the step, fails. «raise»: the error is
                raised, and everything is as before the step. «reset»: it begins the step anew in its state at the
                moment of coupling. «stop»: so, and its robot rests there until it is reset. The others go on, with the
                same bits; `failures` has the errors of the step by number of the environment.

        Raises:
            EngineError: The scene has another coupling besides, or the last step of a robot is not committed. Another
                thread is in the middle of a step, or an animator callback asks for one.
            AdapterError, ArticulationError, SceneError, SolverError: As for `Coupling.step`; messages name the
                environment.
        """
        refuse_unwanted("step: failing", failing, one_of(*get_args(Failing)), EngineError)
        with self.turn.changing("step"):
            self.failures = {}
            while True:
                try:
                    return self._take_step(world)
                except FailedEnvironmentError as failure:
                    self._go_on(world, failing, failure)

    def _go_on(self, world: uipc.World, failing: Failing, failure: FailedEnvironmentError) -> None:
        """Put an environment that has failed out of the way, or raise what it raised."""
        number, error = failure.number, failure.error
        if failing == "raise" or number in self.failures:
            raise labelled(number, error) from error
        self.reset(world, [number])
        self.failures[number] = error
        if failing == "stop":
            self.stop([number])

    @changing_in_turn
    def stop(self, which: Iterable[int]) -> None:
        """Let the robots of some environments rest where they are until they are reset; free bodies go on.

        Args:
            which: Their numbers.

        Raises:
            StateError: There is no environment of a number.
            AdapterError, ArticulationError: A robot cannot predict its step.
        """
        for number in [self._number(k, "stop") for k in which]:
            here = self.adapters[number].predict()
            rest = np.zeros_like(here.delta_theta_tilde)
            self.stopped[number] = replace(here, delta_theta_tilde=rest, restraints=None)

    def _take_step(self, world: uipc.World) -> None:
        require_all(self.couplings, couplings_of(self.scene))
        self._side = EngineSide.of(world, self._robots, self._side)
        if self._side is None:
            return take_step(world, self.couplings)
        require_valid(world)
        for coupling in self.couplings:
            coupling.require_world(world)
            coupling.require_committed()
        try:
            self._predict(world, self._side)
            self._advance(world)
        except BaseException:
            for coupling in self.couplings:
                coupling.forget_prediction()
            raise
        finally:
            self._handing.is_on = False
            self._side.take_back()
        self._is_stale, self._world = True, ref(world)
        self._commit(world, self._side)

    def _advance(self, world: uipc.World) -> None:
        try:
            world.advance()
        except IpcArticulationError as error:
            number = self._named(str(error))
            if number is None:
                raise
            raise FailedEnvironmentError(number, error) from error

    def _named(self, message: str) -> int | None:
        """The number of the environment that a message names, by a body or by its articulation."""
        if (body := _NUMBER.search(message)) is not None:
            return int(body[1])
        if (articulation := _ARTICULATION.search(message)) is None:
            return None
        ids = [None if robot.articulation is None else robot.articulation.id() for robot in self._robots]
        return ids.index(int(articulation[1])) if int(articulation[1]) in ids else None

    @in_turn
    def retrieve(self, world: uipc.World) -> None:
        """Write the bodies into the scene's geometries, unless they are there already."""
        if self._is_stale:
            ENGINES[world].cpu.write_back()
            self._is_stale = False

    def _refresh(self) -> None:
        if (world := self._world()) is not None:
            self.retrieve(world)

    def reset(self, world: uipc.World, which: Iterable[int] | None = None) -> None:
        """Put environments back into their states at the moment of coupling; the others stay as they are.

        Args:
            world: The world.
            which: Their numbers; None: all.

        Raises:
            StateError: There is no environment of a number.
            AdapterError, EngineError, SceneError: As for `Coupling.reset`. Nothing has changed then.
        """
        if not isinstance(which, Iterable | None):
            raise StateError(f"reset: which is {shown(which)}, must be numbers of environments in a list")
        chosen = range(len(self)) if which is None else [self._number(k, "reset") for k in which]
        self._put(world, {self.couplings[k]: None for k in chosen}, "reset")

    def set_state(self, world: uipc.World, states: Mapping[int, RobotState]) -> None:
        """Put environments into new states, all at once.

        Args:
            world: The world.
            states: By number of the environment.

        Raises:
            StateError: There is no environment of a number, or as for `Coupling.set_state`.
            AdapterError, EngineError, SceneError: As for `Coupling.set_state`. Nothing has changed then.
        """
        self._put(
            world, {self.couplings[self._number(k, "set_state")]: state for k, state in states.items()}, "set_state"
        )

    def set_properties(self, world: uipc.World, properties: Mapping[int, RobotProperties]) -> None:
        """Give parts of environments other masses and friction, all at once; see `Coupling.set_properties`.

        Args:
            world: The world, on the CPU engine.
            properties: By number of the environment.

        Raises:
            StateError: There is no environment of a number, or as for `Coupling.set_properties`.
            EngineError, SceneError: As for `Coupling.set_properties`. Nothing has changed then.
        """
        action = "set_properties"
        refuse_unwanted(f"{action}: properties", properties, instance(Mapping), StateError)
        wanted = {self.couplings[self._number(k, action)]: own for k, own in properties.items()}
        set_properties(world, wanted, action)

    @property
    @in_turn
    def theta(self) -> Array:
        """Joint positions of the multibody engines, (N, m) [rad or m]."""
        return self._each("theta")

    @property
    @in_turn
    def theta_dot(self) -> Array:
        """Joint velocities of the multibody engines, (N, m) [rad/s or m/s]."""
        return self._each("theta_dot")

    @property
    @in_turn
    def delta_theta(self) -> Array:
        """δθ of the last step, (N, m) [rad or m]."""
        return self._each("delta_theta")

    @property
    @in_turn
    def contact_force(self) -> Array:
        """Generalised contact force on the joints in the last step, (N, m) [N·m or N]."""
        return self._each("contact_force")

    @property
    @in_turn
    def body_poses(self) -> Array:
        """Transforms in the scene of the links and then of the free bodies, (N, b, 4, 4)."""
        if self._is_stale and self._side is not None:
            return affine.transform_from_q(self._side.q)
        return self._each("body_poses")

    def _each(self, name: str) -> Array:
        """A read-out of all couplings; what one of them raises names its environment."""
        found = []
        for number, coupling in enumerate(self.couplings):
            try:
                found.append(getattr(coupling, name))
            except IpcArticulationError as error:
                raise labelled(number, error) from error
        return np.array(found)

    def _predict(self, world: uipc.World, side: EngineSide) -> None:
        frame, dt = world.frame() + 1, float(self.scene.config().find("dt").view()[0])
        for number, coupling in enumerate(self.couplings):
            with _blaming(number):
                coupling.steps.begin(frame, dt)
        given = {**self._predicted(), **self.stopped}
        predictions = [self._checked(number, given[number]) for number in range(len(self))]
        inputs = [one.steps.hold(own) for one, own in zip(self.couplings, predictions, strict=True)]
        side.hand_over(inputs, predictions)
        self._handing.is_on = True

    def _predicted(self) -> dict[int, Prediction]:
        """The predictions of the robots that are not stopped, by number."""
        running = [number for number in range(len(self)) if number not in self.stopped]
        if running != self._running:
            self._running = running
            self._batch = batch_of([self.adapters[number] for number in running]) if running else None
        if self._batch is None:
            return {}
        try:
            found = self._batch.predict()
        except IpcArticulationError as error:
            raise FailedEnvironmentError(running[0], error) from error  # all have failed
        for place, failure in found.failures.items():
            raise FailedEnvironmentError(running[place], failure) from failure
        return {number: found.of(place) for place, number in enumerate(running)}

    def _checked(self, number: int, prediction: Prediction) -> Prediction:
        with _blaming(number):
            return self.couplings[number].answers.checked(prediction)

    def _commit(self, world: uipc.World, side: EngineSide) -> None:
        m = len(self.joint_names)
        delta = np.array([one[:m] for one in side.delta_theta()]).reshape(len(self), m)
        q, qdot = (values[self._running] for values in side.free_motion)
        if self._batch is not None:
            poses = affine.transform_from_q(affine.nearest_rigid(q))
            self._batch.commit(delta[self._running], poses, affine.transform_rate_from_qdot(qdot))
        for coupling, own in zip(self.couplings, delta, strict=True):
            coupling.steps.end(own)
        if due := [number for number in self._running if self.couplings[number].drift_watch.is_due()]:
            self._look_at_drift(due, side.q[:, : len(self.link_names)])
        for number in self._running:
            self.couplings[number].feel()
        observers = [observer for coupling in self.couplings for observer in coupling.observers]
        if observers:
            self.retrieve(world)
        for observer in observers:
            self.turn.call(observer, is_calling=False)

    def _look_at_drift(self, which: Sequence[int], q: Array) -> None:
        """Warn of links of some robots that have drifted far; q: coordinates of all links, (N, n, 12)."""
        for number in which:
            coupling = self.couplings[number]
            coupling.drift_watch.look(coupling.placed.moved(coupling.answers.link_poses(), q[number]))

    def _put(self, world: uipc.World, wanted: Mapping[Coupling, RobotState | None], action: str) -> None:
        if not wanted:
            return
        with self.turn.changing(action):
            self.retrieve(world)
            put(world, wanted, action)
            for number in range(len(self)):
                if self.couplings[number] in wanted:
                    self.stopped.pop(number, None)

    def _number(self, k: int, action: str) -> int:
        if not (isinstance(k, int | np.integer) and 0 <= k < len(self)):
            raise StateError(f"{action}: there is no environment {k!r}; there are {len(self)}, from 0")
        return int(k)


class FailedEnvironmentError(Exception):
    """What one environment raised, with its number."""

    def __init__(self, number: int, error: IpcArticulationError) -> None:
        super().__init__(str(error))
        self.number, self.error = number, error


@contextmanager
def _blaming(number: int) -> Iterator[None]:
    """What is raised within is what an environment raised."""
    try:
        yield
    except IpcArticulationError as error:
        raise FailedEnvironmentError(number, error) from error


def labelled(number: int, error: IpcArticulationError) -> IpcArticulationError:
    """An error whose message names the environment."""
    return error if _NUMBER.search(str(error)) else type(error)(f"environment {number}: {error}")
