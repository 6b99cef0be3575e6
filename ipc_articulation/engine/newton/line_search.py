"""The line search of an iteration: energies where bodies are and where it looks, island by island.

Energies of terms that are not `usual` come from Python: `added` (2, B), where bodies are, and where the search looks.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.compiled import compiled
from ipc_articulation.contact import islands
from ipc_articulation.contact.ways import shorter
from ipc_articulation.engine.newton import touching
from ipc_articulation.engine.newton.work import points_at
from ipc_articulation.engine.terms import usual

_ROUNDING = 1e-12  # relative noise of an energy, besides that of coordinates
LOW, HIGH, NOT_FINITE = 0, 1, 2  # results of `judge`


@compiled
def go(work):
    """Look at the fractions of the step that are to be taken; bodies that have turned stay where they are."""
    at, body, row_of_node = work.at, work.scene.rows.body, work.sums.row_of_node
    straight = shorter(work.scene.rows, work.now.x, work.now.x + work.dx, work.taken)
    for n in range(len(at)):
        if not work.turned[body[row_of_node[n]]]:
            at[n] = straight[n]
    work.y_at = points_at(work, at)


@compiled
def measure(work, added, both):
    """Find the energies where the search looks, or at both places: where bodies are, too."""
    if both:
        _write_energies(work, added[0], work.now.x, work.now.y, work.E)
    _write_energies(work, added[1], work.at, work.y_at, work.E_ahead)


@compiled
def _write_energies(work, added, x, y, E):
    """Write those with nodes at x (N, 3) and points at y (V, 3), to which other terms have added some, (B,)."""
    E[:] = added
    usual.add_energies(work.usual, x, work.moving, E)
    if work.scene.touches:
        touching.add_energies(work, x, y, E)


@compiled
def judge(work, added, both, is_first):
    """Measure energies, and compare those where the search looks with the largest ones that islands accept.

    Args:
        work: After `decide`, or `halve`.
        added: (2, B).
        both: Whether they are not known where bodies are.
        is_first: Whether the line search begins; then what rounding may have added is accepted, too.

    Returns:
        LOW if no island that searches has a higher energy there, HIGH, or NOT_FINITE.
    """
    measure(work, added, both)
    if is_first:
        work.highest = islands.total(work.labels, work.E)
        for b in range(len(work.E)):
            work.highest[b] += _ROUNDING * abs(work.highest[b])
            if np.isnan(work.highest[b]):
                return NOT_FINITE
    if _is_low(work):
        return LOW
    if is_first:
        work.highest += islands.total(work.labels, usual.rounding(work.usual, work.now.x, work.moving))
    return LOW if is_first and _is_low(work) else HIGH


@compiled
def _is_low(work):
    """Whether no island that searches has a higher energy ahead."""
    total, is_accepted = islands.total(work.labels, work.E_ahead), True
    for b in range(len(total)):
        is_accepted &= total[b] <= work.highest[b] or not _searches(work, b)
    return is_accepted


@compiled
def _searches(work, b):
    """Whether body b has to lower its energy."""
    return work.moving[b] and not work.done[b] and not work.turned[b]


@compiled
def lower(work, which, added):
    """Those of some bodies (B,) whose islands' energies are not too high where is looked at now."""
    E = np.empty(len(which))
    _write_energies(work, added[1], work.at, work.y_at, E)
    return which & (islands.total(work.labels, E) <= work.highest)


@compiled
def halve(work):
    """Halve the steps of islands whose energies are too high."""
    total = islands.total(work.labels, work.E_ahead)
    for b in range(len(total)):
        if _searches(work, b) and not total[b] <= work.highest[b]:
            work.taken[b] *= 0.5
    go(work)
