"""Loop constraints between joints.

The n coordinates q of a cluster's joints, which turn about axes and slide, are related in two forms,

    implicit    φ(q) = 0     K q̇ = 0       K q̈ = k          K = ∂φ/∂q,  k = -K̇ q̇
    explicit    q = γ(x)     q̇ = G ẏ       q̈ = G ÿ + g      G = ∂q̇/∂ẏ,  g = Ġ ẏ

with m independent velocities ẏ, so that K G = 0 and K g = k (Featherstone 2008, ch. 3.2; generalized_rbda, «Cluster
joints»). x is the position of the cluster: y if q is known as a function of y, else q.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np

from ipc_articulation.arrays import Array


class LoopConstraint(ABC):
    """A relation between the coordinates of the joints of one cluster."""

    size: int  # n, coordinates
    ndof: int  # m, independent velocities
    position_size: int  # length of x

    @abstractmethod
    def spanning(self, x: Array) -> Array:
        """Coordinates q of a position: (position_size,) -> (n,)."""

    @abstractmethod
    def phi(self, q: Array) -> Array:
        """φ(q), (n - m,); zero on the manifold."""

    @abstractmethod
    def K(self, q: Array) -> Array:
        """∂φ/∂q, (n - m, n)."""

    @abstractmethod
    def k(self, q: Array, q_dot: Array) -> Array:
        """-K̇ q̇, (n - m,)."""

    @abstractmethod
    def G(self, x: Array) -> Array:
        """∂q̇/∂ẏ, (n, m)."""

    @abstractmethod
    def g(self, x: Array, y_dot: Array) -> Array:
        """Ġ ẏ, (n,)."""

    def moves_with_one(self, place: int) -> bool:
        """Whether a coordinate's row of G has one entry, in the same column at all positions."""
        return self.ndof == 1

    def constant_rates(self) -> dict[int, tuple[int, float]]:
        """Coordinates that move with one independent velocity at a constant rate: {place: (column, rate)}."""
        return {}

    def motion(self, x: Array, y_dot: Array) -> tuple[Array, Array, Array]:
        """q, G and g together."""
        return self.spanning(x), self.G(x), self.g(x, y_dot)

    @abstractmethod
    def integrate(self, x: Array, y_dot: Array, dt: float) -> Array:
        """The position after moving with independent velocities ẏ for dt [s], on the manifold, (position_size,)."""

    @abstractmethod
    def difference(self, x: Array, x_end: Array) -> Array:
        """The independent velocities that take x to x_end in unit time, (m,)."""

    @abstractmethod
    def rate(self, x: Array, y_dot: Array) -> Array:
        """ẋ, (position_size,)."""

    @abstractmethod
    def closed(self, x: Array) -> Array:
        """The position on the manifold with the same independent coordinates, (position_size,)."""

    @abstractmethod
    def position(self, q: Array) -> Array:
        """The position on the manifold whose independent coordinates are those of q: (n,) -> (position_size,)."""

    @abstractmethod
    def random(self, rng: np.random.Generator) -> Array:
        """A position on the manifold, (position_size,)."""

    @abstractmethod
    def names(self, joints: Sequence[str]) -> tuple[list[str], list[str]]:
        """Names of the numbers of x and of ẏ, from those of the n joints."""
