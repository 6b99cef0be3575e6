"""The way from a link down to another one that hangs on it, by joints of one degree of freedom.

With P_k the pose of joint k before it moves, in the frame that the joint above it has moved, E_k its screw, and P the
link's pose in the last frame, the link's pose in the frame that the way begins at is

    H(q) = P_1 E_1(q_1) ⋯ P_n E_n(q_n) P,     E x = x + sin θ a~ x + (1 - cos θ) a~² x + d a

with the axis a, θ = turn q and d = slide q. Vectors are carried through one factor after another, by operations that
numbers, complex numbers and CasADi's symbols have.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ipc_articulation import spatial
from ipc_articulation.dynamics.joints.elements import Array, Screw

Values = Mapping[str, Any]  # positions of joints by name: numbers or symbols
Vector = NDArray[Any]  # of numbers or symbols


@dataclass(frozen=True)
class Step:
    """A joint on the way."""

    joint: str
    pose: Array  # (4, 4) P_k
    screw: Screw


@dataclass(frozen=True)
class Chain:
    """Joints from the first to the last, and what follows them."""

    steps: tuple[Step, ...]
    end: Array  # (4, 4) P

    def point(self, q: Values, x: ArrayLike) -> Vector:
        """Where a point of the link is: (3,) in the link's frame -> (3,) in the frame that the way begins at."""
        p = _placed(self.end, np.asarray(x))
        for step in reversed(self.steps):
            p = _placed(step.pose, _moved(step.screw, q[step.joint], p))
        return p

    def direction_in_link(self, q: Values, d: Vector) -> Vector:
        """The components of a vector in the link's axes: (3,) in those that the way begins at -> (3,)."""
        for step in self.steps:
            d = _turned(step.screw, -q[step.joint], step.pose[:3, :3].T @ d)
        return self.end[:3, :3].T @ d

    def point_in_link(self, q: Mapping[str, float], x: ArrayLike) -> Array:
        """The inverse of `point`, for numbers."""
        H = np.eye(4)
        for step in self.steps:
            H = H @ step.pose @ step.screw.pose(np.array([q[step.joint]]))
        return (spatial.inverse(H @ self.end) @ np.append(np.asarray(x, dtype=float), 1.0))[:3]


def _placed(pose: Array, x: Vector) -> Vector:
    return pose[:3, :3] @ x + pose[:3, 3]


def _moved(screw: Screw, q: Any, x: Vector) -> Vector:
    x = _turned(screw, q, x)
    return x + _scaled(screw.slide * q, screw.axis) if screw.slide else x


def _turned(screw: Screw, q: Any, x: Vector) -> Vector:
    if not screw.turn:
        return x
    a, angle = spatial.skew(screw.axis), screw.turn * q
    return x + _scaled(np.sin(angle), a @ x) + _scaled(1.0 - np.cos(angle), a @ (a @ x))


def _scaled(s: Any, x: Iterable[Any]) -> Vector:
    """The product s x, component by component: a symbol times an array would be a matrix of CasADi's."""
    return np.array([s * component for component in x])
