"""The adapters of many robots, asked for all of them at once where their class can do that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

from ipc_articulation.arrays import Array
from ipc_articulation.coupling.adapter import Adapter, Prediction
from ipc_articulation.errors import IpcArticulationError


@runtime_checkable
class StepsTogether(Protocol):
    """Further class methods of an adapter that predicts and commits the steps of N adapters of its class at once."""

    @classmethod
    def predict_many(cls, adapters: Sequence[Any]) -> Sequence[Prediction]:
        """What `predict` of each gives."""
        ...

    @classmethod
    def commit_many(cls, adapters: Sequence[Any], delta_theta: Array, free_poses: Array, free_rates: Array) -> None:
        """What `commit` of each does, with the arguments of all: (N, m), (N, f, 4, 4), (N, f, 4, 4)."""
        ...


class FailedEnvironmentError(Exception):
    """What one environment raised, with its number."""

    def __init__(self, number: int, error: IpcArticulationError) -> None:
        super().__init__(str(error))
        self.number, self.error = number, error


def predict_all(adapters: Mapping[int, Adapter]) -> dict[int, Prediction]:
    """The prediction of each adapter's step, by number of its environment.

    Raises:
        FailedEnvironmentError: An adapter failed.
    """
    kind = _kind(adapters)
    if kind is not None:
        try:
            return dict(zip(adapters, kind.predict_many(list(adapters.values())), strict=True))
        except IpcArticulationError:
            pass  # one by one, to find out which of them it was
    return {number: _predicted(number, adapter) for number, adapter in adapters.items()}


def _predicted(number: int, adapter: Adapter) -> Prediction:
    try:
        return adapter.predict()
    except IpcArticulationError as error:
        raise FailedEnvironmentError(number, error) from error


def commit_all(adapters: Mapping[int, Adapter], delta_theta: Array, free_poses: Array, free_rates: Array) -> None:
    """Commit the step of each adapter; arguments as of `StepsTogether.commit_many`."""
    kind = _kind(adapters)
    if kind is not None:
        kind.commit_many(list(adapters.values()), delta_theta, free_poses, free_rates)
        return
    for adapter, *step in zip(adapters.values(), delta_theta, free_poses, free_rates, strict=True):
        adapter.commit(*step)


def _kind(adapters: Mapping[int, Adapter]) -> Any:
    """The class of all adapters, if it predicts and commits their steps together; else None."""
    kinds = {type(adapter) for adapter in adapters.values()}
    kind = kinds.pop() if len(kinds) == 1 else None
    return kind if kind is not None and issubclass(kind, StepsTogether) else None
