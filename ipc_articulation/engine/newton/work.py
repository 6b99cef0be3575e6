"""What compiled stages of a step share: one object, for to pass one takes Python 0.7 µs, and to get one 2 µs."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ipc_articulation.arrays import Array, Bools, Ints
from ipc_articulation.compiled import compiled
from ipc_articulation.contact import memory
from ipc_articulation.contact.friction import no_friction
from ipc_articulation.contact.search import nothing
from ipc_articulation.contact.ways import nowhere, positions
from ipc_articulation.engine.terms.term import Sums
from ipc_articulation.linear_system.system import analysed, empty_matrix
from ipc_articulation.references import by_reference


class _Limits(NamedTuple):
    """Tolerances."""

    dt: float  # of the step [s]
    square: float  # dt² [s²]
    eps: float  # slip at which lagged friction is fully developed [m]; 0 leaves friction out
    pairs_of: int  # N of anchored friction's memory, rows of twelve and half-planes; -1: lagged
    slip: float  # eps/dt [m/s]
    velocity: float  # a step that moves no point by more than this times dt may be the last one [m/s]
    transrate: float  # the same of the entries of A [1/s]
    longest: float  # way of points in contact in an iteration; inf: any [m]
    ccd: float  # the fraction of a step that collision detection must allow
    remainder: Array  # (B,) what the last step may leave, in units of the tolerances
    exact: Bools  # (B,) bodies whose joints another engine gets


LimitsType, Limits = by_reference(_Limits, __name__)


class _Work(NamedTuple):
    """Stages read and write its fields."""

    scene: Any  # `layout.Scene`
    usual: Any  # `usual.Usual`
    limits: Any  # `Limits`
    ends: Any  # `ends.Ends`
    sums: Any  # `Sums`, with the matrix
    blocks: int  # those of the matrix with which each step begins
    spare: tuple[int, int]  # how many more, and numbers, terms may add
    pattern: Any  # `system.Pattern` of the matrix
    U: Array  # its factor
    candidates: Any  # `search.Candidates`
    friction: Any  # `friction.Friction`
    memory: Any  # `memory.Memory` of friction
    stiffer: Bools  # (B,) bodies whose resistance is not that with which the last step ended
    nowhere: Any  # `ways.Place` with nothing near
    now: Any  # `ways.Place`
    since: Array  # (N, 3) nodes at the beginning of the step
    movable: Bools  # (B,) bodies of which anything moves
    start: Ints  # (B,) islands at the beginning of the step
    labels: Ints  # (B,) islands of an iteration
    moving: Bools  # (B,) those whose islands have not ended
    early: Bools  # (B,) those whose islands have ended without the convergence test
    left: Bools  # (B,) the same in earlier minimisations of the step
    refused: Bools  # (B,) bodies whose exact Hessian was not definite in the last iterations
    free: Array  # (B,) the fraction of the way to where is looked at that collision detection allows
    met: Ints  # (B,) islands of bodies that are coupled or meet on it
    dx: Array  # (N, 3) Newton's step
    y_ahead: Array  # (V, 3) points after all of it
    fraction: Array  # (B,) of it that may be taken
    motion: Array  # (B,) of points by all of it [m]
    change: Array  # (B,) of A
    size: Array  # (B,) of it in units of the tolerances, one of all of an island
    done: Bools  # (B,) bodies for which it is the last one
    taken: Array  # (B,) fraction of the last step that was taken
    turned: Bools  # (B,) bodies that take it on circles
    at: Array  # (N, 3) where a line search looks
    y_at: Array  # (V, 3)
    E: Array  # (B,) energies where bodies are, if they are known
    E_ahead: Array  # (B,) energies where a line search looks
    highest: Array  # (B,) largest energy that it accepts
    residual: Array  # (B,) what is left of the first residual
    gain: Array  # (B,) by how much a step is smaller than the one before, of that


WorkType, Work = by_reference(_Work, __name__)


@compiled
def make_work(scene, usual, limits, ends, x, spare):
    """The object for a scene with its usual terms, limits and ends, and nodes at x (N, 3).

    Terms may add so many blocks, and numbers.
    """
    rows, is_fixed, matrix = scene.rows, scene.points.is_fixed, empty_matrix(scene.rows.first)
    B, pattern, row_of_node = len(is_fixed), analysed(matrix), np.empty(len(x), dtype=np.int64)
    for r in range(len(rows.body)):
        row_of_node[rows.first[r] : rows.first[r + 1]] = r
    flags, numbers, y = np.zeros((6, B), dtype=np.bool_), np.zeros((10, B)), np.zeros((len(scene.points.row), 3))
    free, island, nobody, nothing_yet = np.zeros(len(rows.body), dtype=np.bool_), np.arange(B), flags[0], numbers[0]
    sums = Sums(nobody, flags[1], free, row_of_node, matrix, np.zeros_like(x))
    return Work(
        scene, usual, limits, ends, sums, 0, spare, pattern, np.empty(pattern.starts[-1]), nothing(),
        no_friction(), memory.nothing(), nobody,
        nowhere(x), nowhere(x), x, ~is_fixed, island, island, nobody, flags[2], flags[3], flags[4],
        nothing_yet, island, np.zeros_like(x), y, nothing_yet, numbers[1], numbers[2], numbers[3], nobody,
        numbers[4], flags[5], x, y, numbers[5], numbers[6], numbers[7], numbers[8], numbers[9],
    )  # fmt: skip


@compiled
def sums_of(work):
    """Where terms add their derivatives."""
    return work.sums


@compiled
def make_limits(pairs_of, velocities, longest, ccd, remainder, exact):
    """`Limits`, still without those of a dt."""
    return Limits(0.0, 0.0, 0.0, pairs_of, *velocities, longest, ccd, remainder, exact)


@compiled
def set_step(limits, dt, rubs):
    """Have the limits of another dt, with friction or without."""
    limits.dt, limits.square, limits.eps = dt, dt * dt, limits.slip * dt if rubs else 0.0


@compiled
def points_at(work, x):
    """Points (V, 3) with nodes at x (N, 3): those of hulls, and in candidates."""
    return positions(work.scene.points, work.scene.rows, x, work.candidates.points)
