"""Checks of what a multibody engine hands over each step; every failure names the articulation and what is valid."""

from __future__ import annotations

import numpy as np
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
    _require_finite(name, "mass", M)
    skew = np.abs(M - M.T)
    if np.any(skew > SYMMETRY_TOLERANCE * np.abs(M).max(initial=0.0)):
        row, column = np.unravel_index(np.argmax(skew), skew.shape)
        raise ArticulationError(
            f"{name}: mass must be symmetric, but entry ({row}, {column}) is {M[row, column]:.9g} "
            f"and entry ({column}, {row}) is {M[column, row]:.9g}"
        )
    M = 0.5 * (M + M.T)
    _require_positive_definite(name, M)
    return M


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
        return np.array(value, dtype=float)
    except (TypeError, ValueError) as error:
        raise ArticulationError(f"{name}: {what} must be an array of numbers ({error})") from error


def _require_finite(name: str, what: str, value: Array) -> None:
    if not np.isfinite(value).all():
        place = tuple(int(k) for k in np.argwhere(~np.isfinite(value))[0])
        at = place[0] if len(place) == 1 else place
        raise ArticulationError(f"{name}: {what} must be finite, but entry {at} is {value[place]}")


def _require_positive_definite(name: str, M: Array) -> None:
    try:
        np.linalg.cholesky(M)
    except np.linalg.LinAlgError:
        smallest = np.linalg.eigvalsh(M)[0]
        hint = "" if M.any() else "; it is all zero: does no animator callback write it?"
        raise ArticulationError(
            f"{name}: mass must be positive definite, but its smallest eigenvalue is {smallest:.6g}{hint}"
        ) from None
