"""Systems of Newton's method: those that the engine solves in some step of a scene."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

import numpy as np
import uipc
from scipy.sparse import coo_array, csc_matrix

from benchmarks import box_scenes
from benchmarks.stark.cases import converging
from benchmarks.stark.soft_cases import soft_cases
from ipc_articulation import Engine
from ipc_articulation.arrays import Array, Ints
from ipc_articulation.compiled import compiled
from ipc_articulation.engine.newton import direction


@dataclass(frozen=True)
class System:
    """H x = b by N nodes; for the arrays of H see `linear_system.system.Matrix`."""

    name: str
    first: Ints  # (R + 1,)
    own: Ints  # (R,)
    rows: Ints  # (m,)
    cols: Ints  # (m,)
    start: Ints  # (m,)
    numbers: Array
    b: Array  # (N, 3)

    def matrix(self) -> csc_matrix:
        """All of H, without the zeros in its blocks."""
        every = np.arange(len(self.own))
        above = [self._entries(*block) for block in zip(self.rows, self.cols, self.start, strict=True)]
        parts = [self._entries(*block) for block in zip(every, every, self.own, strict=True)]
        parts += [part for i, j, values in above for part in ((i, j, values), (j, i, values))]
        i, j, values = (np.concatenate(column) for column in zip(*parts, strict=True))
        whole = csc_matrix(coo_array((values, (i, j)), shape=(self.b.size, self.b.size)))
        whole.eliminate_zeros()
        return whole

    def diagonal_blocks(self) -> Array:
        """The blocks of the nodes, (N, 3, 3)."""
        H = self.matrix().tocsr()
        return np.array([H[3 * n : 3 * n + 3, 3 * n : 3 * n + 3].toarray() for n in range(len(self.b))])

    def _entries(self, row: int, col: int, start: int) -> tuple[Ints, Ints, Array]:
        """Rows, columns and numbers of a block."""
        i, j = (np.arange(3 * self.first[r], 3 * self.first[r + 1]) for r in (row, col))
        rows, cols = (part.ravel() for part in np.meshgrid(i, j, indexing="ij"))
        return rows, cols, self.numbers[start : start + len(rows)]


def systems(quick: bool) -> list[System]:
    """Of the deformable scenes of `benchmarks.stark`, and of a pile of boxes, in contact."""
    cloth, block, rods = soft_cases(quick)
    pile = box_scenes.tumbled(10 if quick else 200)
    return [
        _largest(cloth.name, cloth.make, 10),
        _largest(block.name, block.make, 15),
        _largest(rods.name, rods.make, 20),
        _largest(f"boxes/{len(pile)}", lambda: box_scenes.make_scene(box_scenes.box(), pile), 20),
    ]


def _largest(name: str, make: Callable[[], uipc.Scene], steps: int) -> System:
    """The last of the largest systems of some steps."""
    with tempfile.TemporaryDirectory() as workspace, _recorded() as found:
        world = uipc.World(Engine("cpu", workspace))
        world.init(converging(make()))
        for _ in range(steps):
            world.advance()
    return System(name, *found)


@contextmanager
def _recorded() -> Iterator[list[Any]]:
    """A list that holds the arrays of the last of the largest systems that are solved."""
    found = list[Any]()
    with patch.object(direction, "solve", _recording(direction.solve, found)):
        yield found


def _recording(original: Callable[..., int], found: list[Any]) -> Callable[..., int]:
    def solve(work: Any, *rest: Any) -> int:
        result = original(work, *rest)
        arrays = _system(work)
        if result == direction.SOLVED and (not found or len(arrays[2]) >= len(found[2])):
            found[:] = arrays
        return result

    return solve


@compiled
def _system(work):
    """The arrays of a `System` that was solved."""
    matrix = work.sums.matrix
    m, k = matrix.used[0], matrix.used[1]
    blocks = matrix.rows[:m].copy(), matrix.cols[:m].copy(), matrix.start[:m].copy()
    return (matrix.first, matrix.own, *blocks, matrix.numbers[:k].copy(), work.sums.g.copy())
