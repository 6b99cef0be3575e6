"""Many robots predicted and committed together.

`batch_of` makes a batch of adapters that are as those of one robot each: a batch works on the adapters' own states, so
that adapter k may be read, reset and edited between steps as if it were alone. Engines that can, work on all states in
compiled loops; the others are asked one after another. A robot's numbers do not depend on the other robots of its
batch.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.coupling.adapter import Adapter, Prediction, Restraints, TiedMotion
from ipc_articulation.errors import AdapterError, IpcArticulationError

__all__ = [
    "Batch",
    "Predictions",
    "batch_of",
]


@dataclass(frozen=True)
class Predictions:
    """The predicted steps of N robots with the same joints and links, see `Prediction`.

    The rows of a robot whose step failed are not a number.
    """

    mass: Array  # (N, m, m) M̂
    delta_theta_tilde: Array  # (N, m) δθ̃ [rad or m]
    link_poses: Array  # (N, n, 4, 4)
    aims: Array  # (N, k, 4, 4)
    restraints: Sequence[Restraints | None]  # (N,)
    tied: Sequence[TiedMotion | None]  # (N,)
    failures: Mapping[int, IpcArticulationError] = field(default_factory=dict)  # by robot

    def of(self, robot: int) -> Prediction:
        """The prediction of one robot.

        Raises:
            IpcArticulationError: Its step failed.
        """
        if robot in self.failures:
            raise self.failures[robot]
        return Prediction(
            self.mass[robot],
            self.delta_theta_tilde[robot],
            self.link_poses[robot],
            self.tied[robot],
            self.aims[robot],
            self.restraints[robot],
        )


class Batch(Protocol):
    """N adapters that step together."""

    def predict(self) -> Predictions:
        """Predict the next step of every robot, as each adapter's `predict` would; failures are in the result."""
        ...

    def commit(self, delta_theta: Array, free_poses: Array, free_velocities: Array) -> None:
        """Commit the step of every robot, as each adapter's `commit` would; robots whose prediction failed stay.

        Args:
            delta_theta: δθ of the joints' freedoms, (N, m) [rad or m].
            free_poses: Poses of the free bodies after the step, (N, f, 4, 4), rigid.
            free_velocities: Rates of those poses, (N, f, 4, 4).
        """
        ...


class OneByOne:
    """The batch of any adapters: each is asked alone.

    Args:
        adapters: The adapters.
    """

    def __init__(self, adapters: Sequence[Adapter]) -> None:
        self._adapters = tuple(adapters)
        self._failed: frozenset[int] = frozenset()

    def predict(self) -> Predictions:
        """See `Batch`."""
        found: dict[int, Prediction] = {}
        failures: dict[int, IpcArticulationError] = {}
        for k, adapter in enumerate(self._adapters):
            try:
                found[k] = adapter.predict()
            except IpcArticulationError as error:
                failures[k] = error
        self._failed = frozenset(failures)
        return stacked(found, failures)

    def commit(self, delta_theta: Array, free_poses: Array, free_velocities: Array) -> None:
        """See `Batch`."""
        for k, adapter in enumerate(self._adapters):
            if k not in self._failed:
                adapter.commit(delta_theta[k], free_poses[k], free_velocities[k])


def stacked(found: Mapping[int, Prediction], failures: Mapping[int, IpcArticulationError]) -> Predictions:
    """The predictions of some robots together with the failures of all others.

    Raises:
        IpcArticulationError: The step of every robot failed; this is the failure of the first one.
    """
    if not found:
        raise failures[min(failures)]
    count = len(found) + len(failures)

    def rows(name: str) -> Array:
        first = getattr(next(iter(found.values())), name)
        result = np.full((count, *np.shape(first)), np.nan)
        for k, prediction in found.items():
            result[k] = getattr(prediction, name)
        return result

    def each(name: str) -> list:
        return [getattr(found[k], name) if k in found else None for k in range(count)]

    arrays = {name: rows(name) for name in ("mass", "delta_theta_tilde", "link_poses", "aims")}
    return Predictions(**arrays, restraints=each("restraints"), tied=each("tied"), failures=dict(failures))


def batch_of(adapters: Sequence[Adapter]) -> Batch:
    """The quickest batch for some adapters: that of their class (its method `batch_of`), where they can be in one.

    Raises:
        AdapterError: There are none, or one of them is there twice.
    """
    if not adapters or len({id(adapter) for adapter in adapters}) != len(adapters):
        raise AdapterError("a batch has one robot at least, and each adapter once")
    kind = type(adapters[0])
    is_uniform = "batch_of" in vars(kind) and all(type(adapter) is kind for adapter in adapters)
    make: Callable[[Sequence[Adapter]], Batch | None] = getattr(kind, "batch_of", lambda _: None)
    return (make(adapters) if is_uniform else None) or OneByOne(adapters)  # a subclass may predict otherwise
