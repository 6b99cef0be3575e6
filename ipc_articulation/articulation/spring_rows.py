"""The rows of freedoms on which bounded springs act: x = C δθ.

    C = [1; R],     φ(C δθ):  gradient Cᵀ φ',  Hessian Cᵀ diag(φ'') C

Each freedom is a row of its own: its limits, dry friction and motor. After these come the rows R that an articulation
has besides: lengths of tendons, δL = J δθ, and rotation angles of ball joints. As x is linear in δθ, the Bregman
distance of `bounded_springs` is convex in δθ too, and zero and flat at δθ̃. An articulation's rows act on its own
freedoms, which follow each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.articulation.bounded_springs import SPRINGS
from ipc_articulation.compiled import compiled
from ipc_articulation.errors import ArticulationError


class BoundedRows(NamedTuple):
    """The r rows R of an articulation of f freedoms in a step, and their springs."""

    weights: Array  # (r, f) R
    springs: Array  # (r, 4, 4), as those of a freedom


class SpringRows(NamedTuple):
    """S rows C over F freedoms."""

    first: Ints  # (S,) the first freedom of each row
    starts: Ints  # (S + 1,) row s has the weights starts[s] to starts[s + 1] - 1
    weights: Array  # of the freedoms first[s], first[s] + 1, …, row after row


def make_rows(starts: Ints, counts: Sequence[int]) -> SpringRows:
    """C of articulations a with the freedoms starts[a] to starts[a + 1] - 1 and counts[a] rows R, which are zero."""
    own, sizes = np.arange(starts[-1]), np.diff(starts)
    lengths = np.concatenate([np.ones(len(own), dtype=np.int64), np.repeat(sizes, counts)])
    weights = np.concatenate([np.ones(len(own)), np.zeros(int(np.dot(sizes, counts)))])
    first = np.concatenate([own, np.repeat(starts[:-1], counts)]).astype(np.int64)
    return SpringRows(first, np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64), weights)


def bounded_rows(name: str, size: int, count: int, rows: BoundedRows | None) -> tuple[Array, Array]:
    """R (r, f) and springs (r, 4, 4) of an articulation as arrays.

    Args:
        name: The articulation, for messages.
        size: Its number of freedoms f.
        count: Its number of rows r.
        rows: The rows; None for none that act. Their values are not checked.

    Raises:
        ArticulationError: They have another shape, or are no numbers.
    """
    wanted = (count, size), (count, SPRINGS, 4)
    if rows is None:
        return np.zeros(wanted[0]), np.zeros(wanted[1])
    try:
        weights, springs = (np.asarray(value, dtype=float, order="C") for value in rows)
    except (TypeError, ValueError) as error:
        raise ArticulationError(f"{name}: bounded_rows must be weights and springs, arrays ({error})") from error
    if (weights.shape, springs.shape) != wanted:
        raise ArticulationError(
            f"{name}: bounded_rows have the shapes {weights.shape} and {springs.shape}, must be {wanted[0]} and "
            f"{wanted[1]}: for each row the weights of the freedoms, and {SPRINGS} springs"
        )
    return weights, springs


@compiled
def along(rows: SpringRows, delta: Array) -> Array:
    """x = C δθ, (S,), of δθ (F,)."""
    x = np.zeros(len(rows.first))
    for s in range(len(x)):
        for k in range(rows.starts[s], rows.starts[s + 1]):
            x[s] += rows.weights[k] * delta[rows.first[s] + k - rows.starts[s]]
    return x


@compiled
def add_back(rows: SpringRows, force: Array, w: Array) -> None:
    """Add Cᵀ φ' (F,), of φ' (S,), to `w`."""
    for s in range(len(force)):
        if force[s] != 0.0:
            for k in range(rows.starts[s], rows.starts[s + 1]):
                w[rows.first[s] + k - rows.starts[s]] += rows.weights[k] * force[s]


@compiled
def selected(rows: SpringRows, chosen: Ints) -> SpringRows:
    """Some of the rows."""
    starts = np.zeros(len(chosen) + 1, dtype=np.int64)
    for n in range(len(chosen)):
        starts[n + 1] = starts[n] + rows.starts[chosen[n] + 1] - rows.starts[chosen[n]]
    weights = np.empty(starts[-1])
    for n in range(len(chosen)):
        weights[starts[n] : starts[n + 1]] = rows.weights[rows.starts[chosen[n]] : rows.starts[chosen[n] + 1]]
    return SpringRows(rows.first[chosen], starts, weights)
