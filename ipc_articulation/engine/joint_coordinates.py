"""The coordinates θ of revolute and prismatic joints as functions of q, followed over turns, with their derivatives."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numba import njit
from numpy.typing import NDArray

from ipc_articulation.articulation import joint
from ipc_articulation.articulation.joints import REVOLUTE, Joints
from ipc_articulation.frontend.joints import JointMesh

Array = NDArray[np.float64]


class JointCoordinates:
    """θ of m joints; zero in the pose in which a joint was made."""

    def __init__(self, joints: Joints, offset: Array) -> None:
        """Take the joints.

        Args:
            joints: Their bodies and axes.
            offset: What `angle` and `distance` are more than θ, (m,): `init_angle` [rad], `init_distance` [m].
        """
        self.joints, self.offset = joints, offset
        self.arrays = (
            np.ascontiguousarray(joints.kind, dtype=np.int64),
            np.ascontiguousarray(joints.bodies, dtype=np.int64),
            np.ascontiguousarray(joints.local),
        )

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
        blocks = np.zeros((len(self), 24, 24))
        _add_derivatives(*self.arrays, q, slope, curvature, g, blocks)
        return blocks


@njit(cache=True)
def follow(kind, bodies, local, theta, q):
    """See `JointCoordinates.follow`."""
    turned = joint.theta_of_joints(kind, bodies, local, q) - theta
    for k in range(len(kind)):
        if kind[k] == REVOLUTE:
            turned[k] -= 2.0 * np.pi * np.round(turned[k] / (2.0 * np.pi))
    return theta + turned


@njit(cache=True)
def _add_derivatives(kind, bodies, local, q, slope, curvature, g, blocks):
    J, H = np.empty(24), np.empty((24, 24))
    for k in range(len(kind)):
        if slope[k] == 0.0 and curvature[k] == 0.0:
            continue
        i, j = bodies[k]
        F = joint.world_vectors(local[k], q[i], q[j])
        joint.derivatives(kind[k], local[k], F, slope[k], True, J, H)
        g[i] += slope[k] * J[:12]
        g[j] += slope[k] * J[12:]
        blocks[k] = curvature[k] * np.outer(J, J) + H
