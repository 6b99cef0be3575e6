"""The adapters of many robots, asked for all of them at once where their class can do that."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

from ipc_articulation.arrays import Array
from ipc_articulation.coupling.adapter import Adapter, Prediction


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


def predict_all(adapters: Sequence[Adapter]) -> Sequence[Prediction]:
    """The prediction of each adapter's step."""
    kind: Any = type(adapters[0])
    if isinstance(adapters[0], StepsTogether) and all(type(adapter) is kind for adapter in adapters):
        return kind.predict_many(adapters)
    return [adapter.predict() for adapter in adapters]


def commit_all(adapters: Sequence[Adapter], delta_theta: Array, free_poses: Array, free_rates: Array) -> None:
    """Commit the step of each adapter; arguments as of `StepsTogether.commit_many`."""
    kind: Any = type(adapters[0])
    if isinstance(adapters[0], StepsTogether) and all(type(adapter) is kind for adapter in adapters):
        kind.commit_many(adapters, delta_theta, free_poses, free_rates)
        return
    for adapter, *step in zip(adapters, delta_theta, free_poses, free_rates, strict=True):
        adapter.commit(*step)
