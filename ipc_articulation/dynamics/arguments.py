"""Checks of users' numbers: each is converted to float64, or an error names the argument."""

from __future__ import annotations

from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ipc_articulation.arguments import NUMBER, Wanted, shown
from ipc_articulation.arrays import Array
from ipc_articulation.errors import StateError

FLOAT = np.dtype(float)
UNIT = 1e-6  # how far |quaternion|² may be from 1
LARGEST = 1e60  # norm of a state array: products of four such numbers stay finite


def numbers(name: str, x: ArrayLike) -> Array:
    """Convert to an array of float64.

    Raises:
        StateError: It is ragged, contains something other than real numbers (such as text, dates, truth values), or has
            masked entries.
    """
    if type(x) is np.ndarray and x.dtype is FLOAT:  # the fast case
        return x
    try:
        array = np.asarray(x)
        is_numeric = array.dtype.kind in "fiu" or (array.dtype.kind == "O" and all(map(NUMBER.accepts, array.flat)))
        if is_numeric and not np.ma.is_masked(x):
            return array.astype(float, copy=False)
    except (OverflowError, TypeError, ValueError):
        pass
    raise StateError(f"{name} must be real numbers, all rows of one length; it is {shown(x)}")


def _are_numbers(value: Any) -> bool:
    try:
        numbers("", value)
    except StateError:
        return False
    return True


NUMBERS = Wanted("real numbers", _are_numbers)


def require(name: str, value: object, kind: type) -> None:
    """Refuse an argument that is no object of a class.

    Raises:
        StateError: It is none; the message has the argument's name and the class.
    """
    if not isinstance(value, kind):
        raise StateError(f"{name} is {shown(value)}, must be a {kind.__name__}")


def finite_number(name: str, x: float) -> float:
    """The argument as one finite number.

    Raises:
        StateError: It is no number, not finite, or too large.
    """
    value = numbers(name, x)
    if value.shape != () or not isfinite(value):
        raise StateError(f"{name} must be a finite number; it is {shown(x)}")
    if abs(value) > LARGEST:
        raise StateError(f"{name} is {value:g}; that is too large to compute with")
    return float(value)


def positive_number(name: str, x: float) -> float:
    """The argument as one number above zero, such as the time step of an integrator.

    Raises:
        StateError: It is no such number.
    """
    value = finite_number(name, x)
    if value <= 0.0:
        raise StateError(f"{name} must be positive; it is {value:g}")
    return value


def require_unit(name: str, quaternions: Array) -> None:
    """Refuse quaternions (..., 4) whose length is not one within `UNIT`.

    Raises:
        StateError: A quaternion is not of length one; the message has its length.
    """
    square = np.einsum("...i,...i->...", quaternions, quaternions)
    off = ~(np.abs(square - 1.0) <= UNIT)
    if off.any():
        length = np.sqrt(square[off].flat[0])
        size = f"has length {length:g}" if length else "is zero"
        raise StateError(f"{name} {size}; give one of length one")
