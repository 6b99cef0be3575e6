"""A Pinocchio model whose position actuators take targets by joint."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from ipc_articulation.adapters.pinocchio.adapter import PinocchioAdapter

from ipc_articulation.arrays import Array
from ipc_articulation.coupling.kinds import freedom_names
from ipc_articulation.coupling.robots import Actuator


class DrivenModel:
    """An adapter with the forces kp·(target - θ) - kv·θ̇ of actuators; those without kp only damp, and take no target.

    A force beyond the limit of the actuator or of the joint in the file is that limit, and then has no gains. An angle
    that the model counts by its cosine and sine goes to its target by the shorter way.

    Attributes:
        adapter: For `couple`.
        actuated: Names of the k joints that take a target, in the order of `command`.
        start: Where those joints start, (k,) [rad or m].
        joints: Names of all m freedoms, in the order of `push`.

    Args:
        adapter: The adapter.
        actuators: At most one for each joint.
        implicit: Whether kv is implicit in the step, within the limit.
    """

    def __init__(self, adapter: PinocchioAdapter, actuators: Sequence[Actuator], *, implicit: bool) -> None:
        self.adapter, self._implicit, model = adapter, implicit, adapter.model
        self.joints = list(freedom_names(adapter.describe().joints))
        self._kp, self._kv = np.zeros((2, model.nv))
        self._limit = np.array(model.effortLimit)
        self._cyclic = np.zeros(model.nv, dtype=bool)
        for actuator in actuators:
            joint = model.joints[model.getJointId(actuator.joint)]
            row = joint.idx_v
            self._kp[row], self._kv[row] = actuator.kp, actuator.kv
            self._limit[row] = min(self._limit[row], actuator.max_force)
            self._cyclic[row] = joint.nq > joint.nv
        self.actuated = [actuator.joint for actuator in actuators if actuator.kp > 0.0]
        self._rows = [model.joints[model.getJointId(name)].idx_v for name in self.actuated]
        self.start = adapter.theta()[self._rows]
        self.command(self.start)

    def command(self, targets: Array) -> None:
        """Set the targets of the actuated joints, (k,) [rad or m]."""
        theta, v = self.adapter.theta(), np.asarray(self.adapter.v)
        error = np.zeros(len(theta))
        error[self._rows] = targets - theta[self._rows]
        error = np.where(self._cyclic, np.remainder(error + np.pi, 2.0 * np.pi) - np.pi, error)
        force = self._kp * error - self._kv * v
        free = np.abs(force) <= self._limit
        kd = np.where(free & self._implicit, self._kv, 0.0)
        self._tau = np.clip(force, -self._limit, self._limit) + kd * v
        self.adapter.tau, self.adapter.kd = self._tau, kd

    def push(self, forces: Array) -> None:
        """Set forces on all freedoms besides those of the actuators, (m,) [N·m or N]; call it after `command`."""
        self.adapter.tau = self._tau + self.adapter.motor_forces(forces)
