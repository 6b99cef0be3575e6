"""The input of a step of articulations, and its places in the arrays of their energy."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.articulation.evaluation import UncheckedInput
from ipc_articulation.articulation.spring_rows import BoundedRows


class StepInput(NamedTuple):
    """The input of a step of an articulation with f freedoms; of N articulations, with this axis first."""

    mass: Array  # Mᵗ, (f, f), or (f²,) row-major
    tilde: Array  # δθ̃, (f,) [rad or m]
    springs: Array | None  # bounded springs, (f, 4, 4)
    rows: BoundedRows | None


class StepPlaces(NamedTuple):
    """Where the input of N articulations is, of f freedoms and r rows each."""

    articulations: tuple[int, ...]  # their numbers
    entries: Ints  # (N, f²) of Mᵗ
    freedoms: Ints  # (N, f) of δθ̃ and of springs
    weights: Ints  # (N, r f) of rows
    rows: Ints  # (N, r) of springs

    def put(self, step: StepInput, into: UncheckedInput) -> None:
        """Store the input of a step; where there are no springs they are zero."""
        into.mass[self.entries] = step.mass.reshape(self.entries.shape)
        into.tilde[self.freedoms] = step.tilde
        into.springs[self.freedoms] = 0.0 if step.springs is None else step.springs
        if self.rows.size:
            into.springs[self.rows] = 0.0 if step.rows is None else step.rows.springs
            into.weights[self.weights] = 0.0 if step.rows is None else step.rows.weights.reshape(self.weights.shape)


def step_places(sizes: Sequence[int], row_counts: Sequence[int]) -> list[StepPlaces]:
    """The places of each of some articulations, by their numbers of freedoms and of rows."""
    f, r = np.array(sizes, dtype=np.int64), np.array(row_counts, dtype=np.int64)
    counts = {"entries": f**2, "freedoms": f, "weights": r * f, "rows": r}
    first = {"entries": 0, "freedoms": 0, "weights": f.sum(), "rows": f.sum()}
    ends = {name: start + np.cumsum(counts[name]) for name, start in first.items()}
    return [
        StepPlaces((a,), *(np.arange(end[a] - counts[name][a], end[a])[None] for name, end in ends.items()))
        for a in range(len(f))
    ]


def joined(each: Sequence[StepPlaces]) -> StepPlaces:
    """The places of articulations that have as many freedoms and rows."""
    articulations, *arrays = zip(*each, strict=True)
    return StepPlaces(tuple(chain.from_iterable(articulations)), *map(np.concatenate, arrays))
