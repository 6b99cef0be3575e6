"""A model whose actuators take targets by joint."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from ipc_articulation.adapters.mimics import followers_of
from ipc_articulation.adapters.native.adapter import NativeAdapter
from ipc_articulation.adapters.native.drives import JointDrive

from ipc_articulation.arrays import Array
from ipc_articulation.coupling.followers import aimed, ties
from ipc_articulation.coupling.kinds import freedom_names
from ipc_articulation.dynamics.integrators import PD, Drive


class DrivenModel:
    """An adapter with actuators; targets of those without a position gain are velocities.

    Attributes:
        adapter: For `couple`.
        actuated: Names of the k joints that take a target, in the order of `command`.
        speeds: Those among them whose target is a velocity.
        start: Where those joints start, (k,) [rad or m]; zero for velocities.
        joints: Names of all m freedoms whose position the adapter reports, in the order of `push`.
        efforts: Largest forces of their actuators, (m,) [N·m or N].
    """

    def __init__(self, adapter: NativeAdapter, drives: Mapping[str, JointDrive]) -> None:
        self.adapter = adapter
        tree = adapter.model.spanning_tree
        names = tree.dof_names
        self._kp, self._kv, self._resting = np.zeros((3, len(names)))
        for name, drive in drives.items():
            joint = names.index(name)
            self._kp[joint], self._kv[joint], self._resting[joint] = drive.kp, drive.kv, drive.resting
        self.actuated = [name for name, drive in drives.items() if drive.kp > 0.0 or drive.takes_speed]
        self.speeds = frozenset(name for name in self.actuated if drives[name].takes_speed)
        self._limits = np.array([drives[name].targets for name in self.actuated]).reshape(-1, 2).T
        self._is_speed = np.isin(self.actuated, list(self.speeds))
        self._driven = np.array([tree.q_names.index(name) for name in self.actuated], dtype=np.int64)
        self._dofs = np.array([names.index(name) for name in self.actuated], dtype=np.int64)
        self.start = np.where(self._is_speed, 0.0, adapter.model.spanning(adapter.q)[self._driven])
        self._ties = ties(followers_of(tree), self.actuated, self.speeds)
        self.joints = list(freedom_names(adapter.describe().joints))
        efforts = dict(zip(names, tree.coordinates.effort, strict=True))
        self.efforts = np.array([efforts.get(name, np.inf) for name in self.joints])
        self.command(self.start)

    def command(self, targets: Array) -> None:
        """Set the targets of the actuated joints, (k,) [rad or m; of `speeds` per s]; see `aimed` for mimics."""
        tree, aims = self.adapter.model.spanning_tree, np.clip(aimed(self._ties, self.start, targets), *self._limits)
        target, speed = tree.neutral, np.zeros(tree.nv)
        target[self._driven[~self._is_speed]] = aims[~self._is_speed]
        speed[self._dofs[self._is_speed]] = aims[self._is_speed]
        pd = PD.to(self.adapter.model, target, self._kp, self._kv, speed)
        self.adapter.drive = Drive(tau=self._resting.copy(), pd=pd)

    def push(self, forces: Array) -> None:
        """Set forces on all joints besides those of their actuators, (m,) [N·m or N]; call it after `command`."""
        tau = self._resting + self.adapter.motor_forces(forces)
        self.adapter.drive = replace(self.adapter.drive, tau=tau)
