"""A robot whose position actuators take targets by joint, for engines that take forces and gains of velocity."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.coupling.adapter import Adapter
from ipc_articulation.coupling.kinds import freedom_names
from ipc_articulation.coupling.robots import Actuator


class DrivenModel:
    """An adapter with the forces kp·(target - θ) - kv·θ̇ of actuators, or kv·(target - θ̇) of those without kp.

    A force beyond the limit of the actuator or of the joint in the file is that limit, and then has no gains.

    Attributes:
        adapter: For `couple`.
        actuated: Names of the k joints that take a target, in the order of `command`.
        speeds: Those among them whose target is a velocity.
        start: Where those joints start, (k,) [rad or m]; zero for velocities.
        joints: Names of all m freedoms, in the order of `push`.
        efforts: Largest forces of their actuators, (m,) [N·m or N].

    Args:
        adapter: The adapter.
        actuators: At most one for each joint.
        drive: Sets forces τ (m,) and gains kd (m,): the force in the next step is τ - kd θ̇⁺.
        efforts: Largest forces of the joints in the file [N·m or N], by name; unlimited where not named.
        implicit: Whether kv is implicit in the step, within the limit.
    """

    def __init__(
        self,
        adapter: Adapter,
        actuators: Sequence[Actuator],
        drive: Callable[[Array, Array], None],
        *,
        efforts: Mapping[str, float],
        implicit: bool,
    ) -> None:
        self.adapter, self._drive, self._implicit = adapter, drive, implicit
        self.joints = list(freedom_names(adapter.describe().joints))
        self._kp, self._kv = np.zeros((2, len(self.joints)))
        self.efforts = np.array([efforts.get(name, np.inf) for name in self.joints])
        for actuator in actuators:
            row = self.joints.index(actuator.joint)
            self._kp[row], self._kv[row] = actuator.kp, actuator.kv
            self.efforts[row] = min(self.efforts[row], actuator.max_force)
        self.actuated = [actuator.joint for actuator in actuators if actuator.kp > 0.0 or actuator.kv > 0.0]
        self.speeds = frozenset(actuator.joint for actuator in actuators if actuator.kp == 0.0 < actuator.kv)
        self._rows = [self.joints.index(name) for name in self.actuated]
        self._is_speed = np.isin(self.actuated, list(self.speeds))
        self.start = np.where(self._is_speed, 0.0, adapter.theta()[self._rows])
        self.command(self.start)

    def command(self, targets: Array) -> None:
        """Set the targets of the actuated joints, (k,) [rad or m; of `speeds` rad/s or m/s]."""
        theta, theta_dot = self.adapter.theta(), self.adapter.theta_dot()
        error, speed = np.zeros((2, len(theta)))
        error[self._rows] = np.where(self._is_speed, 0.0, targets - theta[self._rows])
        speed[self._rows] = np.where(self._is_speed, targets, 0.0)
        force = self._kp * error + self._kv * (speed - theta_dot)
        within = np.abs(force) <= self.efforts
        self._kd = np.where(within & self._implicit, self._kv, 0.0)
        self._force = np.clip(force, -self.efforts, self.efforts) + self._kd * theta_dot
        self._drive(self._force, self._kd)

    def push(self, forces: Array) -> None:
        """Set forces on all freedoms besides those of the actuators, (m,) [N·m or N]; call it after `command`."""
        self._drive(self._force + forces, self._kd)
