"""Environments: many copies of a robot in one scene, stepped together."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Literal, final, get_args

import numpy as np
import uipc

from ipc_articulation import affine
from ipc_articulation.arguments import instance, one_of, refuse_unwanted, shown
from ipc_articulation.arrays import Array
from ipc_articulation.coupling.coupling import Coupling
from ipc_articulation.coupling.failures import require_all
from ipc_articulation.coupling.properties import RobotProperties, set_properties
from ipc_articulation.coupling.registry import couplings_of
from ipc_articulation.coupling.robot_group import RobotGroup
from ipc_articulation.coupling.robot_states import RobotState
from ipc_articulation.coupling.stepping import advance
from ipc_articulation.coupling.teleport import put
from ipc_articulation.errors import EngineError, IpcArticulationError, StateError
from ipc_articulation.frontend.turns import changing_in_turn, in_turn
from ipc_articulation.signals import interrupts_deferred

Failing = Literal["raise", "reset", "stop"]  # see `Environments.step`

_NUMBER = re.compile(r"environment (\d+): ")  # begins the names of an environment's bodies


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

    def __init__(self, group: RobotGroup, couplings: Sequence[Coupling]) -> None:
        """Called by `couple_many`."""
        self.scene, self.couplings, self.turn = group.scene, tuple(couplings), group.turn
        first = self.couplings[0]
        self.joint_names, self.link_names = first.joint_names, first.link_names
        self.body_names = tuple(body.name for body in (*first.robot.links, *first.robot.free))
        self.adapters = [coupling.adapter for coupling in self.couplings]
        self._group, self.stopped = group, group.stopped
        self.failures: dict[int, IpcArticulationError] = {}

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
            self.failures, self._group.failures = {}, {}
            require_all(self.couplings, couplings_of(self.scene))
            while True:
                try:
                    advance(world, self.couplings)
                    break
                except IpcArticulationError as error:
                    self._go_on(world, failing, error)
            self._commit(world)

    def _go_on(self, world: uipc.World, failing: Failing, error: IpcArticulationError) -> None:
        """Put the environments that have failed out of the way, or raise what the first one raised."""
        failed, self._group.failures = self._group.failures, {}
        if not any(own is error for own in failed.values()):
            if (named := _NUMBER.search(str(error))) is None:
                raise error
            failed = {int(named[1]): error}
        again = self.failures.keys() & failed.keys()
        if failing == "raise" or self._group.side is None or again:
            number = min(again or failed)
            raise labelled(number, failed[number]) from failed[number]
        self.reset(world, failed)
        self.failures |= failed
        if failing == "stop":
            self.stop(failed)

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
            with _labelling(number):
                here = self.couplings[number].answers.checked(self.adapters[number].predict())
            rest = np.zeros_like(here.delta_theta_tilde)
            self.stopped[number] = replace(here, delta_theta_tilde=rest, restraints=None)

    @in_turn
    def retrieve(self, world: uipc.World) -> None:
        """Write the bodies into the scene's geometries, unless they are there already."""
        self._group.refresh()

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
        if self._group.is_stale and (q := self._group.q) is not None:
            return affine.transform_from_q(q)
        return self._each("body_poses")

    def _each(self, name: str) -> Array:
        """A read-out of all couplings; what one of them raises names its environment."""
        found = []
        for number, coupling in enumerate(self.couplings):
            with _labelling(number):
                found.append(getattr(coupling, name))
        return np.array(found)

    def _commit(self, world: uipc.World) -> None:
        self._group.is_stale = self._group.side is not None
        if not self._group.is_stale:
            world.retrieve()
        self._group.commit(range(len(self)))
        for number in self._group.running:
            self.couplings[number].look_at_drift()
            self.couplings[number].feel()
        observers = [observer for coupling in self.couplings for observer in coupling.observers]
        if observers:
            self._group.refresh()
        for observer in observers:
            self.turn.call(observer, is_calling=False)

    def _put(self, world: uipc.World, wanted: Mapping[Coupling, RobotState | None], action: str) -> None:
        if not wanted:
            return
        with self.turn.changing(action):
            put(world, wanted, action)
            for number in range(len(self)):
                if self.couplings[number] in wanted:
                    self.stopped.pop(number, None)

    def _number(self, k: int, action: str) -> int:
        if not (isinstance(k, int | np.integer) and 0 <= k < len(self)):
            raise StateError(f"{action}: there is no environment {k!r}; there are {len(self)}, from 0")
        return int(k)


@contextmanager
def _labelling(number: int) -> Iterator[None]:
    """Let what is raised name an environment."""
    try:
        yield
    except IpcArticulationError as error:
        raise labelled(number, error) from error


def labelled(number: int, error: IpcArticulationError) -> IpcArticulationError:
    """An error whose message names the environment."""
    return error if _NUMBER.search(str(error)) else type(error)(f"environment {number}: {error}")
