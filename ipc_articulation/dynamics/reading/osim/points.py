"""Functions through points: OpenSim's SimmSpline and PiecewiseLinearFunction.

Outside the points both functions go on as straight lines, as in OpenSim; nimblephysics continues a SimmSpline's cubics.
"""

from __future__ import annotations

from bisect import bisect_right

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import solve_banded

from ipc_articulation.arrays import Array
from ipc_articulation.errors import ModelError


class Pieces:
    """A piecewise cubic function, f = a + b s + c s² + d s³, s = x - xᵢ for xᵢ ≤ x ≤ xᵢ₊₁, and straight outside.

    Args:
        x: The knots, (n,), increasing.
        cubics: Rows (a, b, c, d), (n - 1, 4).

    Raises:
        ModelError: A number is not finite, because points are too close together or too far apart.
    """

    def __init__(self, x: Array, cubics: Array) -> None:
        if not np.isfinite(cubics).all():
            raise ModelError("points of a function are too close together, or too far apart, for its slopes")
        self._starts, self._last = x[:-1].tolist(), float(x[-1])
        self._cubics = [tuple(row) for row in cubics.tolist()]
        (a, b, _, _), (s, (a_n, b_n, c, d)) = self._cubics[0], self._at(self._last)
        self._before = a, b, 0.0, 0.0
        self._after = a_n + s * (b_n + s * (c + s * d)), b_n + s * (2.0 * c + s * 3.0 * d), 0.0, 0.0

    def __call__(self, x: float) -> float:
        s, (a, b, c, d) = self._at(x)
        return a + s * (b + s * (c + s * d))

    def first(self, x: float) -> float:
        """f'(x); at a knot, that of the piece to the right."""
        s, (_, b, c, d) = self._at(x)
        return b + s * (2.0 * c + s * 3.0 * d)

    def second(self, x: float) -> float:
        """f''(x); at a knot, that of the piece to the right."""
        s, (_, _, c, d) = self._at(x)
        return 2.0 * c + s * 6.0 * d

    def _at(self, x: float) -> tuple[float, tuple[float, ...]]:
        if x < self._starts[0]:
            return x - self._starts[0], self._before
        if x > self._last:
            return x - self._last, self._after
        piece = bisect_right(self._starts, x) - 1
        return x - self._starts[piece], self._cubics[piece]


class PiecewiseLinearFunction(Pieces):
    """Straight lines between points.

    Args:
        x: Increasing, (n,), n ≥ 2.
        y: Values there, (n,).

    Raises:
        ModelError: Points that do not make a function.
    """

    def __init__(self, x: ArrayLike, y: ArrayLike) -> None:
        self.x, self.y = checked_points(x, y)
        slopes = np.diff(self.y) / np.diff(self.x)
        none = np.zeros(len(slopes))
        super().__init__(self.x, np.column_stack([self.y[:-1], slopes, none, none]))


class SimmSpline(Pieces):
    """The cubic spline through points, with two continuous derivatives and given third derivatives at both ends.

    The third derivative at an end is that of the cubic through the four points there, 6 [y₀ … y₃] in divided
    differences. Three points give their parabola, two their line. With h and Δ the lengths and slopes between points,
    the second derivatives m solve

        hᵢ₋₁ mᵢ₋₁ + 2 (hᵢ₋₁ + hᵢ) mᵢ + hᵢ mᵢ₊₁ = 6 (Δᵢ - Δᵢ₋₁)     m₁ - m₀ = 6 [y₀ … y₃] h₀, same at the other end

    (OpenSim, `SimmSpline.cpp`).

    Args:
        x: Increasing, (n,), n ≥ 2.
        y: Values there, (n,).

    Raises:
        ModelError: Points that do not make a function.
    """

    def __init__(self, x: ArrayLike, y: ArrayLike) -> None:
        self.x, self.y = checked_points(x, y)
        h = np.diff(self.x)
        slopes, m = np.diff(self.y) / h, _second_derivatives(self.x, self.y)
        b = slopes - h * (2.0 * m[:-1] + m[1:]) / 6.0
        super().__init__(self.x, np.column_stack([self.y[:-1], b, m[:-1] / 2.0, np.diff(m) / (6.0 * h)]))


def _second_derivatives(x: Array, y: Array) -> Array:
    """The second derivatives m, (n,)."""
    n, h = len(x), np.diff(x)
    if n == 2:
        return np.zeros(2)
    A, r = np.zeros((3, n)), np.zeros(n)  # A has the diagonals of the matrix as rows, the upper one first
    A[0, 2:], A[1, 1:-1], A[2, :-2] = h[1:], 2.0 * (h[:-1] + h[1:]), h[:-1]
    r[1:-1] = 6.0 * np.diff(np.diff(y) / h)
    A[0, 1], A[1, 0], A[1, -1], A[2, -2] = 1.0, -1.0, 1.0, -1.0
    if n > 3:
        r[0] = 6.0 * _divided_difference(x[:4], y[:4]) * h[0]
        r[-1] = 6.0 * _divided_difference(x[-4:], y[-4:]) * h[-1]
    return np.asarray(solve_banded((1, 1), A, r, check_finite=False), dtype=float)


def _divided_difference(x: Array, y: Array) -> float:
    """[y₀ … yₙ], the leading coefficient of the polynomial through all points."""
    while len(y) > 1:
        span = len(x) - len(y) + 1
        y = np.diff(y) / (x[span:] - x[:-span])
    return float(y[0])


def checked_points(x: ArrayLike, y: ArrayLike) -> tuple[Array, Array]:
    """Points as two arrays, (n,) each.

    Raises:
        ModelError: Fewer than two, not as many x as y, or x that do not increase.
    """
    xs, ys = np.array(x, dtype=float), np.array(y, dtype=float)
    if xs.ndim != 1 or xs.shape != ys.shape or len(xs) < 2:
        raise ModelError(f"a function has {xs.size} x and {ys.size} y; give as many of both, at least two")
    if (np.diff(xs) <= 0.0).any():
        i = int(np.argmax(np.diff(xs) <= 0.0))
        raise ModelError(f"x of a function must increase; {xs[i]:g} is followed by {xs[i + 1]:g}")
    return xs, ys
