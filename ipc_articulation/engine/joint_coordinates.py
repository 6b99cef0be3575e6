"""The coordinates θ of joints as functions of q, which count turns, with their derivatives."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ipc_articulation.affine import DOF
from ipc_articulation.arrays import Array
from ipc_articulation.articulation import kinds
from ipc_articulation.articulation.joints import JointArrays, Joints, delta_theta
from ipc_articulation.articulation.kinds import FREEDOMS, MOST_FREEDOMS, TURNS
from ipc_articulation.compiled import compiled
from ipc_articulation.frontend.joints import JointMesh


class JointCoordinates:
    """θ of m joints with F freedoms; zero in the initial pose of a joint."""

    def __init__(self, joints: Joints, offset: Array) -> None:
        """Take the joints.

        Args:
            joints: Their bodies and axes.
            offset: Difference of `angle` or `distance` and θ, (F,): `init_angle` [rad], `init_distance` [m].
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
        """θ (F,) [rad or m] at q (n, 12), continued from an earlier θ; exact while no joint turned by π in between."""
        return follow(*self.arrays, theta, q) if len(self) else theta


@compiled
def follow(joints: JointArrays, home: Array, theta: Array, q: Array) -> Array:
    """See `JointCoordinates.follow`."""
    followed, first = np.empty(len(theta)), 0
    delta_theta(joints, home, q, followed)
    for kind in joints.kind:
        for freedom in range(FREEDOMS[kind]):
            start, end = first + freedom, first + freedom + TURNS[kind, freedom]
            if _distance(theta, followed, start, end) > np.pi:
                continue_turns(2.0 * np.pi, theta[start:end], followed[start:end])
        first += FREEDOMS[kind]
    return followed


@compiled
def continue_turns(period: float, before: Array, theta: Array) -> None:
    """Add the number of turns that brings θ (f,) nearest to an earlier value.

    Args:
        period: Period of a turn [rad].
        before: The earlier value, (f,), which gives the direction where θ is zero; they are not both zero.
        theta: θ, changed in place.
    """
    direction, along = theta.copy() if theta.any() else before.copy(), 0.0
    direction /= np.sqrt(np.sum(direction * direction))
    for f in range(len(theta)):
        along += (theta[f] - before[f]) * direction[f]
    theta -= period * np.round(along / period) * direction


@compiled
def _distance(x: Array, y: Array, first: int, end: int) -> float:
    """|x - y| of the entries from `first` to `end`, without `end`."""
    square = 0.0
    for f in range(first, end):
        square += (x[f] - y[f]) ** 2
    return np.sqrt(square)


@compiled
def add_derivatives(joints, home, q, slope, curvature, g, blocks):
    """Add the derivatives of Σ φ(θ) for functions φ of one number.

    Args:
        joints: m joints.
        home: Where they are at θ = 0.
        q: Coordinates of bodies, (n, 12).
        slope: φ' at θ(q), (F,).
        curvature: φ'' ≥ 0, (F,).
        g: Receives φ' ∂θ, (n, 12).
        blocks: (m, 24, 24), receive φ'' ∂θ ∂θᵀ + φ' ∂²θ, the second part projected onto positive semidefinite matrices.
    """
    J, first = np.empty((MOST_FREEDOMS, 2 * DOF)), 0
    for k in range(len(joints.kind)):
        end, (i, j) = first + FREEDOMS[joints.kind[k]], joints.bodies[k]
        if slope[first:end].any() or curvature[first:end].any():
            kinds.derivatives(joints.kind[k], joints.local[k], q[i], q[j], home[k], slope[first:], True, J, blocks[k])
            for f in range(first, end):
                of_freedom = J[f - first]
                g[i] += slope[f] * of_freedom[:DOF]
                g[j] += slope[f] * of_freedom[DOF:]
                blocks[k] += curvature[f] * np.outer(of_freedom, of_freedom)
        first = end
