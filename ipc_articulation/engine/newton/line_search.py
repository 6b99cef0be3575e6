"""Backtracking: a step is halved until the energy does not rise, separately for each island."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ipc_articulation.arrays import Array, Bools, Ints
from ipc_articulation.compiled import compiled
from ipc_articulation.engine import islands
from ipc_articulation.engine.newton.diagnosis import not_finite
from ipc_articulation.engine.newton.newton_report import NewtonReport
from ipc_articulation.engine.potential import Potential
from ipc_articulation.engine.rows import advanced
from ipc_articulation.errors import SolverError
from ipc_articulation.frontend.config import Config

_ROUNDING = 1e-12  # relative noise of an energy, besides that of coordinates (see `Potential.rounding`)


class Search(NamedTuple):
    """Result of a line search."""

    alpha: Array  # (n,) fraction of the step that each body takes
    q: Array  # (n, 12) where it leads
    step: Array  # (n, 12) what it takes
    turned: Bools  # (n,) bodies that take it on circles
    energies: Array | None = None  # (n,) of the bodies there, None where they were not measured
    is_exhausted: bool = False  # whether an island found no decrease


def line_search(
    potential: Potential,
    q: Array,
    dq: Array,
    share: Array,
    labels: Ints,
    searching: Bools,
    energies: Array | None,
    turn: Callable[[Array, Bools], tuple[Array, Bools]],
    config: Config,
    report: NewtonReport,
) -> Search:
    """Halve the steps of islands until their energy does not rise.

    Args:
        potential: E.
        q: Coordinates (n, 12).
        dq: The full step (n, 12).
        share: Fraction of each body's step that collision detection allows, (n,).
        labels: Islands, (n,).
        searching: Bodies whose islands search; the others take what collision detection allows.
        energies: Of the bodies at q, (n,); None where they are to be measured.
        turn: The first step of some bodies (n,) with its rotations on circles, see `turning.free_turns`.
        config: Limits.
        report: Counts the halvings, and the searches that found no decrease.

    Raises:
        SolverError: The energy at q is not a number; names the term.
    """
    alpha, (after, step), turned = share, advanced(q, share, dq), np.zeros(len(q), dtype=np.bool_)
    if not np.count_nonzero(searching):
        return Search(alpha, after, step, turned)
    highest, are_numbers = highest_allowed(labels, potential.body_energies(q) if energies is None else energies)
    if not are_numbers:
        raise not_finite(potential, q) or SolverError("the step's energy is not finite")
    for _ in range(config.line_search_max_iter):
        report.line_search_steps += 1
        energies = potential.body_energies(after)
        halved, is_halved = halve(labels, searching, energies, highest, alpha)
        if is_halved and alpha is share:
            highest += islands.total(labels, potential.rounding(q))
            halved, is_halved = halve(labels, searching, energies, highest, alpha)
        if not is_halved:
            return Search(alpha, after, step, turned, energies)
        if alpha is share:  # the whole step: it may only be too straight
            dq, turned = _turn(potential, q, dq, share, highest, labels, halved < share, turn)
            halved, searching = np.where(turned, share, halved), searching & ~turned
            potential.cover(advanced(q, halved, dq)[0])
        alpha, (after, step) = halved, advanced(q, halved, dq)
    report.exhausted_searches += 1
    return Search(alpha, after, step, turned, is_exhausted=True)


def _turn(
    potential: Potential,
    q: Array,
    dq: Array,
    share: Array,
    highest: Array,
    labels: Ints,
    too_high: Bools,
    turn: Callable[[Array, Bools], tuple[Array, Bools]],
) -> tuple[Array, Bools]:
    """The full step (n, 12), on circles for islands whose energy does not rise on them, and the bodies (n,) of these.

    Args:
        potential: E.
        q: Coordinates (n, 12).
        dq: The full step (n, 12).
        share: Fraction of each body's step that collision detection allows, (n,).
        highest: Largest accepted energy of each body's island, (n,).
        labels: Islands, (n,).
        too_high: Bodies whose islands' energy has risen on the straight step, (n,).
        turn: See `line_search`.
    """
    straight = share[:, None] * dq
    turned, is_free = turn(straight, too_high)
    if not is_free.any():
        return dq, is_free
    taken = is_free & (islands.total(labels, potential.body_energies(q + turned)) <= highest)
    looked_at = too_high
    while taken.any() and (looked_at & ~taken).any():  # what goes straight after all may be in the way of the others
        looked_at = taken
        turned, is_free = turn(straight, looked_at)
        taken = looked_at & is_free
    return np.where(taken[:, None], turned / np.maximum(share, 1e-300)[:, None], dq), taken


@compiled
def highest_allowed(labels, energies):
    """Largest accepted energy of each body's island, (n,), and whether all energies are numbers."""
    highest, are_numbers = islands.total(labels, energies), True
    for b in range(len(highest)):
        are_numbers = are_numbers and not np.isnan(highest[b])
        highest[b] += _ROUNDING * abs(highest[b])
    return highest, are_numbers


@compiled
def halve(labels, searching, energies, highest, alpha):
    """Returns: the fractions (n,), halved for islands above their largest accepted energy; whether there is one."""
    halved, total, is_halved = alpha.copy(), islands.total(labels, energies), False
    for b in range(len(alpha)):
        if searching[b] and not total[b] <= highest[b]:
            halved[b] *= 0.5
            is_halved = True
    return halved, is_halved
