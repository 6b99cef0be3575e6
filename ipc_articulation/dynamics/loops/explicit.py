"""Loops whose coordinates are known functions of independent ones."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from ipc_articulation.arrays import Array
from ipc_articulation.dynamics.loops.constraint import LoopConstraint
from ipc_articulation.errors import ModelError


class Explicit(LoopConstraint):
    """q = γ(y), and x = y."""

    def __init__(self, size: int, ndof: int) -> None:
        self.size, self.ndof, self.position_size = size, ndof, ndof

    @abstractmethod
    def independent(self, q: Array) -> Array:
        """Independent coordinates y of a q on the manifold, (m,)."""

    def phi(self, q: Array) -> Array:
        """N (q - γ(y(q))), where the rows of N are orthogonal to G."""
        y = self.independent(q)
        return _complement(self.G(y)) @ (q - self.spanning(y))

    def K(self, q: Array) -> Array:
        """The matrix N of φ at q, whose rows are orthogonal to G."""
        return _complement(self.G(self.independent(q)))

    def k(self, q: Array, q_dot: Array) -> Array:
        """K g, because K q̈ = K (G ÿ + g)."""
        y = self.independent(q)
        y_dot = np.asarray(np.linalg.lstsq(self.G(y), q_dot, rcond=None)[0], dtype=float)
        return _complement(self.G(y)) @ self.g(y, y_dot)

    def integrate(self, x: Array, y_dot: Array, dt: float) -> Array:
        return x + dt * y_dot

    def difference(self, x: Array, x_end: Array) -> Array:
        return x_end - x

    def rate(self, x: Array, y_dot: Array) -> Array:
        return y_dot

    def closed(self, x: Array) -> Array:
        return x

    def position(self, q: Array) -> Array:
        return self.independent(q)

    def random(self, rng: np.random.Generator) -> Array:
        """A random position, uniform in [-1, 1]."""
        return rng.uniform(-1.0, 1.0, self.ndof)

    def names(self, joints: Sequence[str]) -> tuple[list[str], list[str]]:
        names = [self.name(column, joints) for column in range(self.ndof)]
        return names, names

    def name(self, column: int, joints: Sequence[str]) -> str:
        """Name of an independent coordinate."""
        return f"coordinate {column} of {', '.join(joints)}"


class Affine(Explicit):
    """q = G y + o with constant G and o: joints that follow others, with offsets.

    Args:
        G: (n, m), of rank m.
        offset: o, (n,) [rad or m].
        K: (n - m, n) with K G = 0; None: some such matrix.

    Raises:
        ModelError: The rank of G is not m, K G is not zero, or o is not n finite numbers.
    """

    def __init__(self, G: ArrayLike, offset: ArrayLike, K: ArrayLike | None = None) -> None:
        self.matrix = np.asarray(G, dtype=float)
        if self.matrix.ndim != 2 or np.linalg.matrix_rank(self.matrix) < self.matrix.shape[1]:
            raise ModelError(
                f"G of a loop must be a matrix whose columns are independent; it is {self.matrix.tolist()}"
            )
        super().__init__(*self.matrix.shape)
        self.offset = np.asarray(offset, dtype=float)
        if self.offset.shape != (self.size,) or not np.isfinite(self.offset).all():
            raise ModelError(f"the offset of a loop must be {self.size} finite numbers; it is {self.offset.tolist()}")
        self._K = _complement(self.matrix) if K is None else np.asarray(K, dtype=float)
        shape = (self.size - self.ndof, self.size)
        if self._K.shape != shape or np.abs(self._K @ self.matrix).max(initial=0.0) > 1e-9:
            raise ModelError(f"K of a loop must be of shape {shape} with K G = 0; it is {self._K.tolist()}")
        self._inverse = np.linalg.pinv(self.matrix)

    def spanning(self, x: Array) -> Array:
        return self.matrix @ x + self.offset

    def independent(self, q: Array) -> Array:
        return self._inverse @ (q - self.offset)

    def phi(self, q: Array) -> Array:
        return self._K @ (q - self.offset)

    def moves_with_one(self, place: int) -> bool:
        return int(np.count_nonzero(self.matrix[place])) == 1

    def name(self, column: int, joints: Sequence[str]) -> str:
        """The name of the joint that moves as the coordinate does, if there is one."""
        same = np.flatnonzero((self.matrix == np.eye(self.ndof)[column]).all(axis=1))
        return joints[same[0]] if len(same) else super().name(column, joints)

    def constant_rates(self) -> dict[int, tuple[int, float]]:
        alone = [(place, np.flatnonzero(row)) for place, row in enumerate(self.matrix)]
        return {place: (int(c[0]), float(self.matrix[place, c[0]])) for place, c in alone if len(c) == 1}

    def K(self, q: Array) -> Array:
        return self._K

    def k(self, q: Array, q_dot: Array) -> Array:
        return np.zeros(len(self._K))

    def G(self, x: Array) -> Array:
        return self.matrix

    def g(self, x: Array, y_dot: Array) -> Array:
        return np.zeros(self.size)


class Static(Affine):
    """q = G y with a constant G: gears and belts.

    Args:
        G: (n, m), of rank m.
        K: (n - m, n) with K G = 0; None: some such matrix.

    Raises:
        ModelError: The rank of G is not m, or K G is not zero.
    """

    def __init__(self, G: ArrayLike, K: ArrayLike | None = None) -> None:
        super().__init__(G, np.zeros(np.shape(G)[:1]), K)

    def spanning(self, x: Array) -> Array:
        return self.matrix @ x


def _complement(G: Array) -> Array:
    """Orthonormal rows that are orthogonal to the independent columns of G: (n, m) -> (n - m, n)."""
    return np.asarray(np.linalg.svd(G)[0][:, G.shape[1] :].T, dtype=float)


def gear(ratio: float) -> Static:
    """A link and a rotor that turns `ratio` times as far: q = (y, N y).

    Raises:
        ModelError: The ratio is zero or not finite.
    """
    return Static([[1.0], [checked_ratio(ratio)]])


def checked_ratio(ratio: float) -> float:
    """The gear ratio, if it is valid.

    Raises:
        ModelError: It is zero or not finite.
    """
    if not np.isfinite(ratio) or ratio == 0.0:
        raise ModelError(f"a gear ratio must be a finite number other than zero; it is {ratio:g}")
    return float(ratio)
