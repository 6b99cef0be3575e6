"""The coordinates θ of all revolute and prismatic joints, followed over turns."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ipc_articulation.articulation.energy import ArticulationEnergy
from ipc_articulation.articulation.joints import REVOLUTE, Joints
from ipc_articulation.frontend.joints import JointMesh

Array = NDArray[np.float64]


class JointCoordinates:
    """θ of m joints, in the order of the joint geometries; zero in the pose in which a joint was made."""

    def __init__(self, meshes: Sequence[JointMesh], body_count: int) -> None:
        """Take all joints of a scene."""
        joints = Joints.concatenate([mesh.joints for mesh in meshes])
        self._energy = ArticulationEnergy(joints, body_count, sizes=(len(joints),))
        self._revolute = joints.kind == REVOLUTE
        self.offset = np.concatenate([np.zeros(0), *(mesh.init for mesh in meshes)])  # (m,) init_angle, init_distance

    def __len__(self) -> int:
        return len(self.offset)

    def follow(self, theta: Array, q: Array) -> Array:
        """θ (m,) [rad or m] at q (n, 12), continued from an earlier θ; exact while no joint turned by π in between."""
        if not len(self):
            return theta
        turned = self._energy.theta(q) - theta
        turned[self._revolute] -= 2.0 * np.pi * np.round(turned[self._revolute] / (2.0 * np.pi))
        return theta + turned
