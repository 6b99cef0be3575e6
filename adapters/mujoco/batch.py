"""Many states of one MuJoCo model, predicted and committed together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import mujoco
import numpy as np
from ipc_articulation.adapters.mujoco.contacts import ContactsOff
from ipc_articulation.adapters.mujoco.edits import Edits
from ipc_articulation.adapters.mujoco.own_steps import OwnSteps
from ipc_articulation.adapters.mujoco.prediction import controls_held
from ipc_articulation.adapters.mujoco.read_step import StepArrays

from ipc_articulation.arrays import Array
from ipc_articulation.cores import cores, parts, share
from ipc_articulation.coupling.adapter import Adapter
from ipc_articulation.coupling.batches import OneByOne, Predictions
from ipc_articulation.errors import IpcArticulationError

_WORTH_A_THREAD = 30  # degrees of freedom of a model whose steps take longer than it takes to share them


class State(Adapter, Protocol):
    """What a batch needs of each `MujocoAdapter`."""

    model: mujoco.MjModel
    data: mujoco.MjData
    scratch: mujoco.MjData
    contacts_off: ContactsOff
    edits: Edits | None
    noted: OwnSteps | None

    @property
    def step_count(self) -> int: ...

    @property
    def aims(self) -> Array: ...

    def step_arrays(self, states: int) -> StepArrays: ...

    def begin_step(self) -> None: ...

    def read_step(self, state: int, into: StepArrays) -> OwnSteps: ...

    def write_end(self, delta_theta: Array, free_poses: Array, free_velocities: Array) -> None: ...

    def end_commit(self) -> None: ...


class MujocoBatch:
    """A batch of adapters of one model object of which the same bodies take part, see `batches.Batch`.

    Their edits of the model are looked for once. Several steps of MuJoCo in one of the scene are taken one by one, and
    so are all steps if one of them fails.

    Args:
        adapters: The adapters.
    """

    def __init__(self, adapters: Sequence[State]) -> None:
        self._adapters, self._alone = tuple(adapters), OneByOne(adapters)
        self._model, self._contacts_off = adapters[0].model, adapters[0].contacts_off
        self._noting: list[Edits | None] = []  # edits that are known to be noted alike
        self._is_alone = False  # whether the last prediction was made one by one

    def predict(self) -> Predictions:
        """See `Batch`."""
        together = self._together() if self._is_uniform() else None
        self._is_alone = together is None
        return self._alone.predict() if together is None else together

    def _is_uniform(self) -> bool:
        """Whether each robot takes a single step, and notes the same edits of the model."""
        if any(adapter.step_count != 1 for adapter in self._adapters):
            return False
        edits = [adapter.edits for adapter in self._adapters]
        if edits != self._noting:
            first = edits[0]
            if first is None or not all(each is not None and each.notes_the_same(first) for each in edits):
                return False
            self._noting = edits
        return True

    def _together(self) -> Predictions | None:
        """The predictions of all robots; None if one fails."""
        into, count = self._adapters[0].step_arrays(len(self._adapters)), len(self._adapters)
        try:
            if (edits := self._adapters[0].edits) is not None:
                edits.refuse_of_model()
            for adapter in self._adapters:
                adapter.begin_step()
            self._run(mujoco.mj_step, [adapter.scratch for adapter in self._adapters])
            own = [adapter.read_step(k, into) for k, adapter in enumerate(self._adapters)]
        except IpcArticulationError:
            return None
        aims = np.stack([adapter.aims for adapter in self._adapters])
        held = [step.restraints for step in own]
        return Predictions(into.mass, into.moved.copy(), into.poses, aims, held, [None] * count)

    def commit(self, delta_theta: Array, free_poses: Array, free_velocities: Array) -> None:
        """See `Batch`.

        Raises:
            AdapterError: Nothing was predicted for one of the robots since the last commit.
        """
        if self._is_alone:
            self._alone.commit(delta_theta, free_poses, free_velocities)
            return
        for adapter, delta, poses, rates in zip(self._adapters, delta_theta, free_poses, free_velocities, strict=True):
            adapter.write_end(delta, poses, rates)
        with controls_held():
            self._run(mujoco.mj_forward, [adapter.data for adapter in self._adapters])
        for adapter in self._adapters:
            adapter.end_commit()

    def _run(self, function: Callable[..., None], states: Sequence[mujoco.MjData]) -> None:
        """Call a function of MuJoCo, which releases Python's lock, on every state, without contacts that are IPC's."""

        def run(at: slice) -> None:
            for state in states[at]:
                function(self._model, state)

        shares = cores() if self._model.nv >= _WORTH_A_THREAD else 1
        with self._contacts_off:
            share(run, parts(len(states), -(-len(states) // shares)))
