"""Many states of one MuJoCo model, predicted and committed together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import mujoco
import numpy as np
from ipc_articulation.adapters.mujoco.edits import Edits
from ipc_articulation.adapters.mujoco.own_steps import OwnSteps
from ipc_articulation.adapters.mujoco.prediction import ControlsHeld
from ipc_articulation.adapters.mujoco.read_step import StepArrays
from ipc_articulation.adapters.mujoco.state_steps import StateSteps

from ipc_articulation.arrays import Array
from ipc_articulation.cores import cores, parts, share
from ipc_articulation.coupling.batches import Predictions
from ipc_articulation.errors import IpcArticulationError

_WORTH_A_THREAD = 30  # degrees of freedom of a model whose steps take longer than it takes to share them


class MujocoBatch:
    """A batch of states of one model object of which the same bodies take part, see `batches.Batch`.

    Their edits of the model are looked for once. Several steps of MuJoCo in one of the scene are taken state by state.

    Args:
        states: The states.
    """

    def __init__(self, states: Sequence[StateSteps]) -> None:
        self._states = tuple(states)
        self._model, self._contacts_off = states[0].model, states[0].contacts_off
        self._noting: list[Edits | None] = []  # the states' edits
        self._looked_at: list[Edits] = []  # those of them that note the model differently
        self._moving = list(range(len(states)))  # those whose prediction has not failed

    def predict(self) -> Predictions:
        """See `Batch`.

        Raises:
            IpcArticulationError: An edit of the model is refused, or all states fail.
        """
        self._refuse_edits()
        failures: dict[int, IpcArticulationError] = {}
        into, own = StepArrays.empty(len(self._states), self._model, self._states[0].joints), dict[int, OwnSteps]()
        began = self._each(range(len(self._states)), lambda k: self._states[k].begin(), failures)
        if all(state.count == 1 for state in self._states):
            self._run(mujoco.mj_step, [self._states[k].scratch for k in began])
            own = self._each(began, lambda k: self._states[k].read(k, into), failures)
        else:
            own = self._each(began, lambda k: self._states[k].take(k, into), failures)
        if not own:
            raise failures[min(failures)]
        self._moving = list(own)
        for array in (into.mass, into.moved, into.poses):
            array[list(failures)] = np.nan
        aims, held = np.array([state.aims for state in self._states]), into.restraints
        return Predictions(into.mass, into.moved.copy(), into.poses, None, aims, held, failures)

    def commit(self, delta_theta: Array, free_poses: Array, free_velocities: Array) -> None:
        """See `Batch`.

        Raises:
            AdapterError: Nothing was predicted for one of the states since the last commit.
        """
        moving = [self._states[k] for k in self._moving]
        for k, state in zip(self._moving, moving, strict=True):
            state.write_end(delta_theta[k], free_poses[k], free_velocities[k])
        with ControlsHeld():
            self._run(mujoco.mj_forward, [state.data for state in moving])
        for state in moving:
            state.end_commit()

    def _refuse_edits(self) -> None:
        """Refuse edits of the model."""
        noting = [state.edits for state in self._states]
        if noting != self._noting:
            self._noting, self._looked_at = noting, []
            for edits in noting:
                if edits is not None and not any(edits.notes_the_same(other) for other in self._looked_at):
                    self._looked_at.append(edits)
        for edits in self._looked_at:
            edits.refuse_of_model()

    def _each(self, which: Iterable[int], ask: Callable, failures: dict[int, IpcArticulationError]) -> dict:
        """What some states answer, by number, but for those that fail."""
        found = {}
        for k in which:
            try:
                found[k] = ask(k)
            except IpcArticulationError as error:
                failures[k] = error
        return found

    def _run(self, function: Callable[..., None], states: Sequence[mujoco.MjData]) -> None:
        """Call a function of MuJoCo, which releases Python's lock, on every state, without contacts that are IPC's."""

        def run(at: slice) -> None:
            for state in states[at]:
                function(self._model, state)

        shares = min(cores(), len(states)) if self._model.nv >= _WORTH_A_THREAD else 1
        with self._contacts_off:
            if shares <= 1:
                run(slice(None))
            else:
                share(run, parts(len(states), -(-len(states) // shares)))
