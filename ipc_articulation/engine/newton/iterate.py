"""Values that one iteration of Newton's method passes to the next."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ipc_articulation.arrays import Array, Bools


class CutStep(NamedTuple):
    """A Newton step of all bodies, and the fraction that collision detection allows."""

    start: Array  # (n, 12) coordinates from which it leads
    dq: Array  # (n, 12)
    fraction: Array  # (n,) of it that may be taken
    size: Array  # (n,) in units of the tolerances, one of all of an island; 0 where there was no step


class Iterate(NamedTuple):
    """Result of an iteration."""

    q: Array  # (n, 12)
    energies: Array | None  # (n,) of the bodies there; None where they were not measured
    moving: Bools  # (n,) bodies whose islands have not ended
    number: int  # of these
    step: CutStep  # that led here
    taken: Array  # (n,) fraction of it that was taken; 0 where it tells nothing of how fast Newton converges
    is_exhausted: bool  # whether its line search found no decrease
    residual: Array  # (n,) what is left of the first residual
    early: Bools  # (n,) bodies whose islands ended before they had converged
    refused: Bools  # (n,) bodies whose exact Hessian was not definite in the last iterations


def first_iterate(q: Array, energies: Array | None, moving: Bools) -> Iterate:
    """The iterate from which a solve starts; see `newton.minimise`."""
    whole = np.ones(len(q))
    none = CutStep(q, np.zeros(q.shape), whole, np.zeros(len(q)))
    nobody = np.zeros(len(q), dtype=np.bool_)
    return Iterate(q, energies, moving, int(np.count_nonzero(moving)), none, whole, False, whole, nobody, nobody)
