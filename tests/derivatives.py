"""Derivatives by other means, to hold against the ones in the package."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def complex_step(f: Callable[[NDArray], NDArray], x: Array, step: float = 1e-30) -> Array:
    """∂f/∂x to machine precision, of an f written for complex numbers: f (..., n) -> (..., *k), x (..., n).

    Returns:
        (..., *k, n); all n steps are taken in one call of f, with the steps as a new first axis.
    """
    n = x.shape[-1]
    steps = 1j * step * np.eye(n).reshape(n, *(1,) * (x.ndim - 1), n)
    return np.moveaxis(np.imag(f(x + steps)) / step, 0, -1)


def central_difference(f: Callable[[Array], Array], x: Array, step: float = 1e-6) -> Array:
    """∂f/∂x to about step²: f (..., n) -> (..., *k) or, for one x (n,), anything -> (*k); returns (..., *k, n)."""
    columns = []
    for k in range(x.shape[-1]):
        e = np.zeros(x.shape[-1])
        e[k] = step
        columns.append((np.asarray(f(x + e)) - np.asarray(f(x - e))) / (2 * step))
    return np.stack(columns, axis=-1)


def relative_error(got: Array, want: Array) -> float:
    """Largest difference over the largest entry of what is wanted."""
    return float(np.max(np.abs(got - want)) / np.max(np.abs(want)))
