"""Checks of what a multibody engine hands over each step; every failure names the articulation and what is valid."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import ArrayLike, NDArray

from ipc_articulation.errors import ArticulationError

Array = NDArray[np.float64]

SYMMETRY_TOLERANCE = 1e-9  # relative to the largest entry


def checked_mass(name: str, size: int, mass: ArrayLike) -> Array:
    """The effective mass Mᵗ of an articulation, symmetrised.

    Args:
        name: The articulation, for messages.
        size: Its number of joints m.
        mass: Mᵗ, (m, m) [kg, kg·m or kg·m² by the joints' kinds].

    Returns:
        (m, m), exactly symmetric.

    Raises:
        ArticulationError: wrong shape, not finite, not symmetric to 1e-9 of its largest entry, not positive definite.
    """
    M = _numbers(name, "mass", mass)
    if M.shape != (size, size):
        raise ArticulationError(f"{name}: mass has shape {M.shape}, must be {(size, size)}, a row and a column a joint")
    if not _is_symmetric(M):
        _require_finite(name, "mass", M)
        raise _not_symmetric(name, M)
    try:
        return _symmetrised(M)
    except np.linalg.LinAlgError:
        raise _not_positive_definite(name, M) from None


def checked_delta_theta_tilde(name: str, size: int, delta_theta_tilde: ArrayLike) -> Array:
    """The predicted joint motion δθ̃ of an articulation.

    Args:
        name: The articulation, for messages.
        size: Its number of joints m.
        delta_theta_tilde: δθ̃, (m,) [rad or m].

    Returns:
        (m,)

    Raises:
        ArticulationError: wrong length or not finite.
    """
    value = _numbers(name, "delta_theta_tilde", delta_theta_tilde)
    if value.shape != (size,):
        raise ArticulationError(
            f"{name}: delta_theta_tilde has shape {value.shape}, must be {(size,)}, a number a joint"
        )
    _require_finite(name, "delta_theta_tilde", value)
    return value


def checked_ref_dof_prev(body: str, ref_dof_prev: ArrayLike) -> Array:
    """The reference coordinates q_ref of one body, (12,): translation [m], then the rows of A.

    Raises:
        ArticulationError: not twelve finite numbers.
    """
    value = _numbers(body, "ref_dof_prev", ref_dof_prev)
    if value.shape != (12,):
        raise ArticulationError(
            f"{body}: ref_dof_prev has shape {value.shape}, must be (12,), a Vector12: translation, then the rows of A"
        )
    _require_finite(body, "ref_dof_prev", value)
    return value


def _numbers(name: str, what: str, value: ArrayLike) -> Array:
    try:
        return np.array(value, dtype=float, order="C")
    except (TypeError, ValueError) as error:
        raise ArticulationError(f"{name}: {what} must be an array of numbers ({error})") from error


def _require_finite(name: str, what: str, value: Array) -> None:
    if not are_finite(value):
        place = tuple(int(k) for k in np.argwhere(~np.isfinite(value))[0])
        at = place[0] if len(place) == 1 else place
        raise ArticulationError(f"{name}: {what} must be finite, but entry {at} is {value[place]}")


@njit(cache=True)
def are_finite(values: Array) -> bool:
    """Whether all numbers of an array are finite; four times as fast as numpy where there are few."""
    return bool(np.isfinite(values).all())


@njit(cache=True)
def _is_symmetric(M: Array) -> bool:
    """Whether M (m, m) is symmetric to the tolerance, and finite: ∞ - ∞ and NaN - NaN are within no tolerance."""
    largest = 0.0
    for entry in M.flat:
        largest = max(largest, abs(entry))
    for row in range(len(M)):
        for column in range(row + 1):
            if not abs(M[row, column] - M[column, row]) <= SYMMETRY_TOLERANCE * largest:
                return False
    return True


@njit(cache=True)
def _symmetrised(M: Array) -> Array:
    """½(M + Mᵀ); a LinAlgError where it is not positive definite."""
    symmetric = 0.5 * (M + M.T)
    np.linalg.cholesky(symmetric)
    return symmetric


def _not_symmetric(name: str, M: Array) -> ArticulationError:
    skew = np.abs(M - M.T)
    row, column = np.unravel_index(np.argmax(skew), skew.shape)
    return ArticulationError(
        f"{name}: mass must be symmetric, but entry ({row}, {column}) is {M[row, column]:.9g} "
        f"and entry ({column}, {row}) is {M[column, row]:.9g}"
    )


def _not_positive_definite(name: str, M: Array) -> ArticulationError:
    smallest = np.linalg.eigvalsh(0.5 * (M + M.T))[0]
    hint = "" if M.any() else "; it is all zero: does no animator callback write it?"
    return ArticulationError(
        f"{name}: mass must be positive definite, but its smallest eigenvalue is {smallest:.6g}{hint}"
    )
