"""OpenSim's functions of one coordinate, with their first and second derivatives.

Functions through points are in `points.py`. All satisfy `loops.coordinate_functions.Function`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ipc_articulation.dynamics.loops.coordinate_functions import Function, LinearFunction
from ipc_articulation.errors import ModelError


@dataclass(frozen=True)
class Constant:
    """f = c."""

    value: float

    def __call__(self, x: float) -> float:
        return self.value

    def first(self, x: float) -> float:
        """Zero."""
        return 0.0

    def second(self, x: float) -> float:
        """Zero."""
        return 0.0


IDENTITY = LinearFunction()


class PolynomialFunction:
    """f = c₀ xⁿ + c₁ xⁿ⁻¹ + … + cₙ.

    Args:
        coefficients: c, highest power first, one or more.

    Raises:
        ModelError: There are no coefficients.
    """

    def __init__(self, coefficients: Sequence[float]) -> None:
        if not len(coefficients):
            raise ModelError("a polynomial needs at least one coefficient")
        self.coefficients = tuple(float(c) for c in coefficients)
        self._first = np.polyder(np.array(self.coefficients)).tolist()
        self._second = np.polyder(np.array(self.coefficients), 2).tolist()

    def __call__(self, x: float) -> float:
        return horner(self.coefficients, x)

    def first(self, x: float) -> float:
        """f'(x)."""
        return horner(self._first, x)

    def second(self, x: float) -> float:
        """f''(x)."""
        return horner(self._second, x)


def horner(coefficients: Sequence[float], x: float) -> float:
    """The value at x of a polynomial, highest power first."""
    value = 0.0
    for coefficient in coefficients:
        value = value * x + coefficient
    return value


@dataclass(frozen=True)
class Composition:
    """f(x) = g(h(x)), for a function of a coordinate that is itself a function of another one."""

    outer: Function  # g
    inner: Function  # h

    def __call__(self, x: float) -> float:
        return self.outer(self.inner(x))

    def first(self, x: float) -> float:
        """g'(h) h'."""
        return self.outer.first(self.inner(x)) * self.inner.first(x)

    def second(self, x: float) -> float:
        """g''(h) h'² + g'(h) h''."""
        at = self.inner(x)
        return self.outer.second(at) * self.inner.first(x) ** 2 + self.outer.first(at) * self.inner.second(x)


@dataclass(frozen=True)
class WithoutIdentity:
    """f(x) = g(x) - x."""

    function: Function  # g

    def __call__(self, x: float) -> float:
        return self.function(x) - x

    def first(self, x: float) -> float:
        """g' - 1."""
        return self.function.first(x) - 1.0

    def second(self, x: float) -> float:
        """g''."""
        return self.function.second(x)


def minus_identity(function: Function) -> Function:
    """The function g(x) - x, as a linear one if possible."""
    if isinstance(function, LinearFunction):
        return linear(function.slope - 1.0, function.offset)
    return WithoutIdentity(function)


def scaled(function: Function, scale: float) -> Function:
    """The product s g, as a constant or linear function if possible."""
    return composed(linear(scale, 0.0), function)


def composed(outer: Function, inner: Function) -> Function:
    """The function g(h), as a constant or linear function if possible, and as g or h if the other is the identity."""
    if inner == IDENTITY or isinstance(outer, Constant):
        return outer
    if outer == IDENTITY:
        return inner
    if isinstance(inner, Constant):
        return Constant(outer(inner.value))
    if isinstance(inner, LinearFunction) and isinstance(outer, LinearFunction):
        return linear(outer.slope * inner.slope, outer(inner.offset))
    return Composition(outer, inner)


def linear(slope: float, offset: float) -> Function:
    """The function a x + b, a constant if a is zero."""
    return LinearFunction(slope, offset) if slope else Constant(offset)
