"""Targets of joints that move a point of a robot: damped least squares.

With the twist error e = (r, t) of the link at the present targets (r the rotation vector that is missing, t the
translation of the point) and the Jacobian J of both by the joints,

    Δθ = Jᵀ (J Jᵀ + λ² I)⁻¹ e                  (Y. Nakamura and H. Hanafusa, 1986)

The point is followed by the targets, not by the measured joints: what the joints lack under load does not add up.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation import spatial
from ipc_articulation.arrays import Array
from ipc_articulation.gym.state import TaskState

_DAMPING = 0.02  # λ, where a radian counts as much as a metre
_REACH = 0.02  # [m] by which the wanted point may be ahead of the targets


class PointMover:
    """Moves a point of a link, and keeps the link's rotation but for turns that are asked for.

    Args:
        link: Name of the link.
        offset: The point in its frame, (3,) [m].
        columns: Numbers of the joints that move it, among `state.joints`.
        limits: Of these joints, (c, 2) [rad or m].
    """

    def __init__(self, link: str, offset: Array, columns: list[int], limits: Array) -> None:
        self._link, self._offset, self._columns, self._limits = link, offset, columns, limits
        self._theta, self._wanted, self._rotation = np.zeros(0), np.zeros(3), np.eye(3)

    def begin(self, state: TaskState) -> None:
        """Start from the present joint positions."""
        self._theta = state.theta
        frame, self._wanted, _ = self._present(state)
        self._rotation = frame[:3, :3]

    def targets(self, state: TaskState, change: Array, turn: float = 0.0) -> Array:
        """Targets of the joints, (c,) [rad or m].

        Args:
            state: For the kinematics.
            change: By which the point moves, (3,) [m].
            turn: Of the link about the world's z axis [rad].
        """
        frame, point, jacobian = self._present(state)
        cosine, sine = np.cos(turn), np.sin(turn)
        self._rotation = np.array([[cosine, -sine, 0.0], [sine, cosine, 0.0], [0.0, 0.0, 1.0]]) @ self._rotation
        self._wanted = point + np.clip(self._wanted + change - point, -_REACH, _REACH)
        missing = self._rotation @ frame[:3, :3].T
        rotation = spatial.quaternion_log(spatial.quaternion_from_rotation(missing))
        error = np.concatenate([rotation, self._wanted - point])
        damped = jacobian @ jacobian.T + _DAMPING**2 * np.eye(6)
        step = jacobian.T @ np.linalg.solve(damped, error)
        chosen = self._theta[self._columns] + step
        self._theta[self._columns] = np.clip(chosen, self._limits[:, 0], self._limits[:, 1])
        return self._theta[self._columns].copy()

    def _present(self, state: TaskState) -> tuple[Array, Array, Array]:
        """Frame of the link (4, 4), the point (3,) and the Jacobian [ω; v] (6, c) at the targets."""
        jacobian = np.zeros((6, len(self._columns)))
        frame, point = np.eye(4), np.zeros(3)
        for number, column in enumerate(self._columns):
            rates = np.zeros(len(self._theta))
            rates[column] = 1.0
            frame, rate = state.link_motion(self._theta, rates)[self._link]
            turning = rate[:3, :3] @ frame[:3, :3].T
            jacobian[:3, number] = turning[2, 1], turning[0, 2], turning[1, 0]
            jacobian[3:, number] = rate[:3, :3] @ self._offset + rate[:3, 3]
            point = frame[:3, :3] @ self._offset + frame[:3, 3]
        return frame, point, jacobian
