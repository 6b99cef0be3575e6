"""Checks of what a multibody engine hands over each step; every failure names the articulation and what is valid."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import ArrayLike, NDArray

from ipc_articulation.errors import ArticulationError

Array = NDArray[np.float64]

SYMMETRY_TOLERANCE = 1e-9  # relative to the largest entry


def mass_array(name: str, size: int, mass: ArrayLike) -> Array:
    """The effective mass Mᵗ of an articulation as an array (m, m) [kg, kg·m or kg·m² by the joints' kinds].

    Args:
        name: The articulation, for messages.
        size: Its number of joints m.
        mass: Mᵗ; its values are not looked at.

    Raises:
        ArticulationError: It has another shape, or holds no numbers.
    """
    M = _numbers(name, "mass", mass)
    if M.shape != (size, size):
        raise ArticulationError(f"{name}: mass has shape {M.shape}, must be {(size, size)}, a row and a column a joint")
    return M


def delta_theta_tilde_array(name: str, size: int, delta_theta_tilde: ArrayLike) -> Array:
    """The predicted joint motion δθ̃ of an articulation as an array (m,) [rad or m]; see `mass_array`."""
    value = _numbers(name, "delta_theta_tilde", delta_theta_tilde)
    if value.shape != (size,):
        raise ArticulationError(
            f"{name}: delta_theta_tilde has shape {value.shape}, must be {(size,)}, a number a joint"
        )
    return value


@njit(cache=True)
def are_valid(starts: Array, mass: Array, tilde: Array, q_ref: Array) -> bool:
    """Whether all is well with what a step is given: finite numbers, Mᵗ symmetric and positive definite.

    Args:
        starts: Articulation a has the joints starts[a] to starts[a + 1] - 1.
        mass: Mᵗ of all articulations, row-major, one after the other.
        tilde: δθ̃, (m,).
        q_ref: Reference coordinates, (n, 12).
    """
    if not (are_finite(tilde) and are_finite(q_ref)):
        return False
    first = 0
    for a in range(len(starts) - 1):
        size = starts[a + 1] - starts[a]
        M = mass[first : first + size * size].reshape(size, size)
        if not (_is_symmetric(M) and _is_definite(M)):
            return False
        first += size * size
    return True


def refuse_mass(name: str, M: Array) -> None:
    """Refuse an Mᵗ (m, m) that is not what `are_valid` wants.

    Raises:
        ArticulationError: not finite, not symmetric to 1e-9 of its largest entry, not positive definite.
    """
    if not _is_symmetric(M):
        refuse_not_finite(name, "mass", M)
        raise _not_symmetric(name, M)
    if not _is_definite(M):
        raise _not_positive_definite(name, M)


def refuse_not_finite(name: str, what: str, value: Array) -> None:
    """ArticulationError at the first entry that is not finite."""
    if not are_finite(value):
        place = tuple(int(k) for k in np.argwhere(~np.isfinite(value))[0])
        at = place[0] if len(place) == 1 else place
        raise ArticulationError(f"{name}: {what} must be finite, but entry {at} is {value[place]}")


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
    refuse_not_finite(body, "ref_dof_prev", value)
    return value


def _numbers(name: str, what: str, value: ArrayLike) -> Array:
    try:
        return np.asarray(value, dtype=float, order="C")
    except (TypeError, ValueError) as error:
        raise ArticulationError(f"{name}: {what} must be an array of numbers ({error})") from error


@njit(cache=True)
def are_finite(values: Array) -> bool:
    """Whether all numbers of an array are finite; four times as fast as numpy where there are few."""
    return bool(np.isfinite(values).all())


@njit(cache=True)
def _is_definite(M: Array) -> bool:
    """Whether Cholesky's factorisation M = L Lᵀ of a symmetric M (m, m) exists."""
    L = M.copy()
    for row in range(len(L)):
        for column in range(row):
            for k in range(column):
                L[row, column] -= L[row, k] * L[column, k]
            L[row, column] /= L[column, column]
            L[row, row] -= L[row, column] * L[row, column]
        if not L[row, row] > 0.0:
            return False
        L[row, row] = np.sqrt(L[row, row])
    return True


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
