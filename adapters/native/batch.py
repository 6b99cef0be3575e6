"""Many robots of one model of our own dynamics, whose steps are computed in compiled loops on all cores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from ipc_articulation.adapters.around import predicted
from ipc_articulation.adapters.native.predicted import Predicted
from ipc_articulation.adapters.native.tree_predictions import TreeRobot, after, predict_trees, predictions_of

from ipc_articulation.arrays import Array
from ipc_articulation.coupling.adapter import Adapter
from ipc_articulation.coupling.batches import OneByOne, Predictions
from ipc_articulation.dynamics.integrators import Drive, Scheme
from ipc_articulation.dynamics.integrators.tree_kernels import SOLVED
from ipc_articulation.errors import IpcArticulationError


class TreeAdapter(Adapter, Protocol):
    """What a batch needs of each `NativeAdapter`."""

    q: Array  # (nq,)
    v: Array  # (nv,)
    drive: Drive
    scheme: Scheme
    noted: Predicted | None  # the step that is not committed yet

    @property
    def aims(self) -> Array:
        """Poses of the driven bodies, (k, 4, 4)."""
        ...

    def end_step(self, q: Array, v: Array, free_poses: Array, free_velocities: Array) -> None:
        """Set position, velocity and the free bodies at the end of the step that is noted."""
        ...


class NativeBatch:
    """A batch of adapters of one model without loops, see `batches.Batch`.

    Robots with different schemes, with `Scheme.MOMENTUM`, or one of whose steps fails are asked one by one.

    Args:
        robot: What the robots have in common.
        adapters: The robots, with the same time step.
    """

    def __init__(self, robot: TreeRobot, adapters: Sequence[TreeAdapter]) -> None:
        self._robot, self._adapters, self._alone = robot, tuple(adapters), OneByOne(adapters)
        self._is_alone = False  # whether the last prediction was made one by one

    def predict(self) -> Predictions:
        """See `Batch`."""
        together = self._together()
        self._is_alone = together is None
        return self._alone.predict() if together is None else together

    def _together(self) -> Predictions | None:
        """The predictions of all robots; None where that cannot be, or a step fails."""
        robot, robots = self._robot, self._adapters
        scheme, dt = robots[0].scheme, robots[0].dt
        if scheme is Scheme.MOMENTUM or any(adapter.scheme is not scheme for adapter in robots):
            return None
        try:
            q, v = (np.array([getattr(adapter, name) for adapter in robots], dtype=float) for name in ("q", "v"))
            given = predict_trees(robot, q, v, dt, [adapter.drive for adapter in robots], scheme)
        except (IpcArticulationError, TypeError, ValueError):  # rows of several lengths, or no numbers
            return None
        if (given.steps.status != SOLVED).any():
            return None
        for adapter, *end in zip(robots, given.steps.v, given.delta_theta_tilde, strict=True):
            adapter.noted = Predicted(*end)
        return predictions_of(robot, given, np.array([adapter.aims for adapter in robots]))

    def commit(self, delta_theta: Array, free_poses: Array, free_velocities: Array) -> None:
        """See `Batch`.

        Raises:
            AdapterError: Nothing was predicted for one of the robots since the last commit.
        """
        if self._is_alone:
            self._alone.commit(delta_theta, free_poses, free_velocities)
            return
        steps = [predicted(adapter.noted) for adapter in self._adapters]
        q = np.array([adapter.q for adapter in self._adapters])
        ends = np.array([step.v for step in steps]), np.array([step.delta_theta_tilde for step in steps])
        model, dt = self._robot.model, self._adapters[0].dt
        moved = after(model, self._robot.coordinates, q, *ends, np.asarray(delta_theta), dt)
        for k, adapter in enumerate(self._adapters):
            adapter.end_step(moved[0][k], moved[1][k], free_poses[k], free_velocities[k])
