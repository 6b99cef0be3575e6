"""Joints whose coordinates are functions of fewer independent ones, q_k = f_k(y_c(k)): OpenSim's custom joints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.dynamics.loops.explicit import Explicit
from ipc_articulation.errors import ModelError


class Function(Protocol):
    """A function of one variable, twice differentiable."""

    def __call__(self, x: float) -> float:
        """f(x)."""
        ...

    def first(self, x: float) -> float:
        """f'(x)."""
        ...

    def second(self, x: float) -> float:
        """f''(x)."""
        ...


@dataclass(frozen=True)
class LinearFunction:
    """f = a x + b."""

    slope: float = 1.0
    offset: float = 0.0

    def __call__(self, x: float) -> float:
        return self.slope * x + self.offset

    def first(self, x: float) -> float:
        """f' = a."""
        return self.slope

    def second(self, x: float) -> float:
        """f'' = 0."""
        return 0.0


class CoordinateFunctions(Explicit):
    """q_k = f_k(y_c(k)), so G_k,c = f_k'(y_c) and g_k = f_k''(y_c) ẏ_c².

    Args:
        functions: f_k, n functions.
        coordinates: c(k), the index of each function's independent coordinate, 0 to m - 1.
        names: Names of the independent coordinates, (m,); None: made from those of the joints.

    Raises:
        ModelError: An independent coordinate moves nothing.
    """

    def __init__(
        self, functions: Sequence[Function], coordinates: Sequence[int], names: Sequence[str] | None = None
    ) -> None:
        self.functions, self._of = tuple(functions), np.array(coordinates, dtype=np.int64)
        self._names = names
        super().__init__(len(functions), int(self._of.max()) + 1)
        if set(self._of.tolist()) != set(range(self.ndof)):
            raise ModelError(f"every independent coordinate must move a joint; functions are of {self._of.tolist()}")

    def moves_with_one(self, place: int) -> bool:
        return True

    def name(self, column: int, joints: Sequence[str]) -> str:
        return super().name(column, joints) if self._names is None else self._names[column]

    def constant_rates(self) -> dict[int, tuple[int, float]]:
        functions = enumerate(zip(self.functions, self._of, strict=True))
        return {k: (int(c), f.slope) for k, (f, c) in functions if isinstance(f, LinearFunction)}

    def spanning(self, x: Array) -> Array:
        return np.array([f(x[c]) for f, c in zip(self.functions, self._of, strict=True)])

    def independent(self, q: Array) -> Array:
        """The y with the smallest |f(y) - q|, by the Gauss-Newton method from zero."""
        y = np.zeros(self.ndof)
        for _ in range(50):
            G = self.G(y)
            step = np.linalg.lstsq(G, q - self.spanning(y), rcond=None)[0]
            y = y + step
            if np.abs(step).max() <= 1e-15 * (1.0 + np.abs(y).max()):
                break
        return y

    def G(self, x: Array) -> Array:
        G = np.zeros((self.size, self.ndof))
        G[np.arange(self.size), self._of] = [f.first(x[c]) for f, c in zip(self.functions, self._of, strict=True)]
        return G

    def g(self, x: Array, y_dot: Array) -> Array:
        curvature = [f.second(x[c]) for f, c in zip(self.functions, self._of, strict=True)]
        return np.array(curvature) * y_dot[self._of] ** 2
