"""Checks of what a multibody engine hands over each step; every failure names the articulation and what is valid."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.articulation.kinds import FREEDOMS, KINDS, TURNS
from ipc_articulation.articulation.mass_factor import factorise
from ipc_articulation.compiled import compiled
from ipc_articulation.errors import ArticulationError

SYMMETRY_TOLERANCE = 1e-9  # relative to the largest entry


def mass_array(name: str, size: int, mass: ArrayLike) -> Array:
    """The effective mass Mᵗ of an articulation as an array (f, f) [kg, kg·m or kg·m² by the freedoms' units].

    Args:
        name: The articulation, for messages.
        size: Its number of freedoms f.
        mass: Mᵗ; its values are not checked.

    Raises:
        ArticulationError: It has another shape, or holds no numbers.
    """
    M = _numbers(name, "mass", mass)
    if M.shape != (size, size):
        raise ArticulationError(
            f"{name}: mass has shape {M.shape}, must be {(size, size)}, one row and one column per freedom"
        )
    return M


def delta_theta_tilde_array(name: str, size: int, delta_theta_tilde: ArrayLike) -> Array:
    """The predicted joint motion δθ̃ of an articulation as an array (f,) [rad or m]; see `mass_array`."""
    value = _numbers(name, "delta_theta_tilde", delta_theta_tilde)
    if value.shape != (size,):
        raise ArticulationError(
            f"{name}: delta_theta_tilde has shape {value.shape}, must be {(size,)}, one number per freedom"
        )
    return value


@compiled
def are_valid(kind: Ints, starts: Ints, mass: Array, factor: Array, tilde: Array, q_ref: Array) -> bool:
    """Whether a step's input is valid: numbers finite, Mᵗ symmetric and positive definite, δθ̃ within reach.

    Args:
        kind: Kinds of the joints, (m,).
        starts: Articulation a has the freedoms starts[a] to starts[a + 1] - 1.
        mass: Mᵗ of all articulations, row-major, one after the other.
        factor: Gets their factors (see `mass_factor`) likewise.
        tilde: δθ̃, (F,).
        q_ref: Reference coordinates, (n, 12).
    """
    if not (are_finite(tilde) and are_finite(q_ref)):
        return False
    if first_unreachable(kind, tilde) >= 0:
        return False
    entry = 0
    for a in range(len(starts) - 1):
        size = starts[a + 1] - starts[a]
        block = slice(entry, entry + size * size)
        M, L = mass[block].reshape(size, size), factor[block].reshape(size, size)
        if not (_is_symmetric(M) and factorise(M, L)):
            return False
        entry += size * size
    return True


@compiled
def first_unreachable(kind: Ints, tilde: Array) -> int:
    """The first joint of kinds (m,) that δθ̃ (F,) turns by half a turn or more; -1 where there is none."""
    first = 0
    for k in range(len(kind)):
        for freedom in range(FREEDOMS[kind[k]]):
            square = 0.0
            for number in range(TURNS[kind[k], freedom]):
                square += tilde[first + freedom + number] ** 2
            if not np.sqrt(square) < np.pi:
                return k
        first += FREEDOMS[kind[k]]
    return -1


def refuse_mass(name: str, M: Array) -> None:
    """Refuse an invalid Mᵗ (f, f).

    Raises:
        ArticulationError: not finite, not symmetric to 1e-9 of its largest entry, not positive definite.
    """
    if not _is_symmetric(M):
        refuse_not_finite(name, "mass", M)
        raise _not_symmetric(name, M)
    if not factorise(M, np.empty_like(M)):
        raise _not_positive_definite(name, M)


def refuse_not_finite(name: str, what: str, value: Array) -> None:
    """Refuse an array with an entry that is not finite; the ArticulationError names the first one."""
    if not are_finite(value):
        place = tuple(int(k) for k in np.argwhere(~np.isfinite(value))[0])
        at = place[0] if len(place) == 1 else place
        raise ArticulationError(f"{name}: {what} must be finite, but entry {at} is {value[place]}")


def refuse_reference(q_ref: Array) -> None:
    """Refuse reference coordinates (n, 12) that are not finite; the ArticulationError names the body."""
    if not are_finite(q_ref):
        body = int(np.argwhere(~np.isfinite(q_ref))[0, 0])
        raise ArticulationError(f"body {body}: reference coordinates must be finite, got {q_ref[body]}")


def refuse_unreachable(kind: Ints, names: Sequence[str], tilde: Array) -> None:
    """Refuse δθ̃ (F,) of joints with kinds (m,) and names where a joint would go further than δθ can measure.

    Raises:
        ArticulationError: It does; names the joint, and what is valid.
    """
    k = first_unreachable(kind, tilde)
    if k >= 0:
        entry, first = KINDS[int(kind[k])], int(FREEDOMS[kind[:k]].sum())
        sizes = [float(np.linalg.norm(tilde[first + f : first + f + turns])) for f, turns in enumerate(entry.turns)]
        raise ArticulationError(
            f"{names[k]} ({entry.name}): |delta_theta_tilde| is {max(sizes):.6g} rad, must be below {np.pi:.6g}: in "
            "one step a joint can turn by less than half a turn; for this joint velocity the time step dt is too large"
        )


def checked_ref_dof_prev(body: str, ref_dof_prev: ArrayLike) -> Array:
    """The reference coordinates q_ref of one body, (12,): translation [m], then the rows of A.

    Raises:
        ArticulationError: Not twelve finite numbers, or A is no rotation.
    """
    value = _numbers(body, "ref_dof_prev", ref_dof_prev)
    if value.shape != (12,):
        raise ArticulationError(
            f"{body}: ref_dof_prev has shape {value.shape}, must be (12,), a Vector12: translation, then the rows of A"
        )
    refuse_not_finite(body, "ref_dof_prev", value)
    refuse_collapsed(body, value)
    return value


@compiled
def first_collapsed(q_ref: Array) -> int:
    """The first of references (k, 12) with det A = a₁ · (a₂ × a₃) ≤ 0; -1 where there is none."""
    for k in range(len(q_ref)):
        a, b, c = q_ref[k, 3:6], q_ref[k, 6:9], q_ref[k, 9:]
        det = (
            a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0])
        )
        if det <= 0.0:
            return k
    return -1


def refuse_collapsed(body: str, q_ref: Array) -> None:
    """Refuse a reference (12,) whose A does not turn the body, such as the zeros with which the attribute is created.

    libuipc takes it as it is, and δθ is then the whole angle, because the reference's is atan2(0, 0) = 0.

    Raises:
        ArticulationError: det A is zero or negative.
    """
    if first_collapsed(q_ref[None]) >= 0:
        raise ArticulationError(
            f"{body}: ref_dof_prev has A = {q_ref[3:].reshape(3, 3).tolist()}, which is no rotation; write the body's "
            "coordinates (affine_body.transform_to_q) before each step, or do not create the attribute"
        )


def _numbers(name: str, what: str, value: ArrayLike) -> Array:
    try:
        return np.asarray(value, dtype=float, order="C")
    except (TypeError, ValueError) as error:
        raise ArticulationError(f"{name}: {what} must be an array of numbers ({error})") from error


@compiled
def are_finite(values: Array) -> bool:
    """Whether all numbers of an array are finite; four times as fast as numpy where there are few."""
    return bool(np.isfinite(values).all())


@compiled
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
