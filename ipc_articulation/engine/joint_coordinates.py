"""The coordinates θ of joints as functions of q, followed over turns, with their derivatives."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ipc_articulation.affine import DOF
from ipc_articulation.arrays import Array
from ipc_articulation.articulation import kinds
from ipc_articulation.articulation.joints import JointArrays, Joints, delta_theta
from ipc_articulation.compiled import compiled
from ipc_articulation.frontend.joints import JointMesh


class JointCoordinates:
    """θ of m joints of one freedom each; zero in the pose in which a joint was made."""

    def __init__(self, joints: Joints, offset: Array) -> None:
        """Take the joints.

        Args:
            joints: Their bodies and axes.
            offset: What `angle` and `distance` are more than θ, (m,): `init_angle` [rad], `init_distance` [m].
        """
        self.joints, self.offset = joints, offset
        self.arrays = joints.arrays(), joints.home

    @classmethod
    def of(cls, meshes: Sequence[JointMesh]) -> JointCoordinates:
        """All joints of joint geometries, in their order."""
        joints = Joints.concatenate([mesh.tracked for mesh in meshes])
        return cls(joints, np.concatenate([np.zeros(0), *(mesh.init for mesh in meshes)]))

    def __len__(self) -> int:
        return len(self.offset)

    def follow(self, theta: Array, q: Array) -> Array:
        """θ (m,) [rad or m] at q (n, 12), continued from an earlier θ; exact while no joint turned by π in between."""
        return follow(*self.arrays, theta, q) if len(self) else theta

    def add_derivatives(self, q: Array, slope: Array, curvature: Array, g: Array) -> Array:
        """Derivatives of Σ φ(θ) for functions φ of one number, given at θ(q) by φ' and φ''.

        Args:
            q: Coordinates of all bodies, (n, 12).
            slope: φ', (m,).
            curvature: φ'' ≥ 0, (m,).
            g: Receives φ' ∂θ, (n, 12).

        Returns:
            φ'' ∂θ ∂θᵀ + φ' ∂²θ, the second part projected onto positive semidefinite matrices, (m, 24, 24).
        """
        blocks = np.zeros((len(self), 2 * DOF, 2 * DOF))
        _add_derivatives(*self.arrays, q, slope, curvature, g, blocks)
        return blocks


@compiled
def follow(joints: JointArrays, home: Array, theta: Array, q: Array) -> Array:
    """See `JointCoordinates.follow`."""
    followed = np.empty(len(theta))
    delta_theta(joints, home, q, followed)
    for k in range(len(followed)):
        period = 2.0 * kinds.REACH[joints.kind[k]]
        if np.isfinite(period):
            followed[k] -= period * np.round((followed[k] - theta[k]) / period)
    return followed


@compiled
def _add_derivatives(joints, home, q, slope, curvature, g, blocks):
    J = np.empty((1, 2 * DOF))
    for k in range(len(slope)):
        if slope[k] == 0.0 and curvature[k] == 0.0:
            continue
        i, j = joints.bodies[k]
        kinds.derivatives(joints.kind[k], joints.local[k], q[i], q[j], home[k], slope[k:], True, J, blocks[k])
        g[i] += slope[k] * J[0, :DOF]
        g[j] += slope[k] * J[0, DOF:]
        blocks[k] += curvature[k] * np.outer(J[0], J[0])
