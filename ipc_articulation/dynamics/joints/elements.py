"""The elements of all joints: screws, free translations and free rotations, in series.

An element moves its own frame relative to the frame before it, and its velocity coordinates multiply columns that are
fixed in the frame *before* it. So for all elements Ṡ = v × S with the velocity v of the frame before, and a joint needs
no case distinctions beyond the three formulas below. Twists are [ω; v] of the moving frame, about the origin and in the
axes of the frame before the motion.

| element | q | pose | columns |
|---|---|---|---|
| Screw(a, turn, slide) | θ | R = exp(turn θ a~), p = slide θ a | [turn a; slide a] |
| Translation | p | R = 1, p | [0; 1₃] |
| Rotation | unit quaternion | R(q), p = 0 | [1₃; 0] |

The velocity of a Rotation is the angular velocity in the axes of the frame before: q ← exp(dt ω) q.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ipc_articulation import spatial
from ipc_articulation.arguments import refuse_unwanted
from ipc_articulation.arrays import Array
from ipc_articulation.dynamics.arguments import NUMBERS
from ipc_articulation.errors import ModelError


class Element(ABC):
    """One step of a joint's motion."""

    nq: int  # position coordinates
    ndof: int  # velocity coordinates

    @abstractmethod
    def neutral(self) -> Array:
        """The position at which the pose is the identity, (nq,)."""

    @abstractmethod
    def pose(self, q: Array) -> Array:
        """Pose of the moving frame in the frame before it: (..., nq) -> (..., 4, 4)."""

    @abstractmethod
    def columns(self) -> Array:
        """Twist of the moving frame for each velocity coordinate, (6, ndof), in the frame before it."""

    def integrate(self, q: Array, displacement: Array) -> Array:
        """The position after a displacement dt·v: (..., nq), (..., ndof) -> (..., nq)."""
        return q + displacement

    def difference(self, q0: Array, q1: Array) -> Array:
        """The displacement that takes q0 to q1: (..., nq), (..., nq) -> (..., ndof)."""
        return q1 - q0

    def rate(self, q: Array, v: Array) -> Array:
        """q̇ of a velocity: (..., nq), (..., ndof) -> (..., nq)."""
        return v


@dataclass(frozen=True)
class Screw(Element):
    """Motion along and about one axis."""

    axis: tuple[float, float, float]  # unit vector
    turn: float = 1.0  # rad a unit of q
    slide: float = 0.0  # m a unit of q
    nq = ndof = 1

    def neutral(self) -> Array:
        return np.zeros(1)

    def pose(self, q: Array) -> Array:
        a, angle = spatial.skew(self.axis), self.turn * q[..., :1, None]
        R = np.eye(3) + np.sin(angle) * a + (1.0 - np.cos(angle)) * (a @ a)
        return spatial.pose(R, self.slide * q[..., :1] * self.axis)

    def columns(self) -> Array:
        a = np.array(self.axis)
        return np.concatenate([self.turn * a, self.slide * a])[:, None]


class Translation(Element):
    """Motion along all three axes."""

    nq = ndof = 3

    def neutral(self) -> Array:
        return np.zeros(3)

    def pose(self, q: Array) -> Array:
        return spatial.pose(p=q)

    def columns(self) -> Array:
        return np.eye(6)[:, 3:]


class Rotation(Element):
    """Rotation about a point, as a unit quaternion (w, x, y, z)."""

    nq, ndof = 4, 3

    def neutral(self) -> Array:
        return np.array([1.0, 0.0, 0.0, 0.0])

    def pose(self, q: Array) -> Array:
        return spatial.pose(spatial.rotation_from_quaternion(q))

    def columns(self) -> Array:
        return np.eye(6)[:, :3]

    def integrate(self, q: Array, displacement: Array) -> Array:
        q = spatial.quaternion_product(spatial.quaternion_exp(displacement), q)
        return q / np.linalg.norm(q, axis=-1, keepdims=True)

    def difference(self, q0: Array, q1: Array) -> Array:
        return spatial.quaternion_log(spatial.quaternion_product(q1, spatial.quaternion_conjugate(q0)))

    def rate(self, q: Array, v: Array) -> Array:
        omega = np.concatenate([np.zeros((*v.shape[:-1], 1)), v], axis=-1)
        return 0.5 * spatial.quaternion_product(omega, q)


def unit(axis: ArrayLike) -> tuple[float, float, float]:
    """An axis of length one.

    Raises:
        ModelError: The axis has no length, is not finite, or has not three components.
    """
    refuse_unwanted("a joint axis", axis, NUMBERS, ModelError)
    a = np.asarray(axis, dtype=float)
    length = np.linalg.norm(a)
    if a.shape != (3,) or not np.isfinite(length) or length == 0.0:
        raise ModelError(f"a joint axis must be three finite numbers, not all zero; it is {a.tolist()}")
    x, y, z = (a / length).tolist()
    return x, y, z
