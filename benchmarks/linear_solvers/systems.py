"""Systems of Newton's method: those that the engine solves in some step of a scene."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import uipc
from scipy.sparse import bsr_array, csc_matrix

from benchmarks import box_scenes
from benchmarks.stark.cases import converging
from benchmarks.stark.soft_cases import soft_cases
from ipc_articulation import Engine
from ipc_articulation.affine import DOF
from ipc_articulation.arrays import Array, Ints
from ipc_articulation.engine.linear_system.block_cholesky import BlockCholesky


@dataclass(frozen=True)
class System:
    """H x = b, H symmetric in blocks of twelve rows."""

    name: str
    diagonal: Array  # (n, 12, 12)
    rows: Ints  # (m,) of the blocks above the diagonal
    cols: Ints  # (m,)
    blocks: Array  # (m, 12, 12)
    b: Array  # (n, 12)

    def matrix(self) -> csc_matrix:
        """All of H, without the zeros in its blocks."""
        n = len(self.diagonal)
        i, j = (
            np.concatenate([np.arange(n), self.rows, self.cols]),
            np.concatenate([np.arange(n), self.cols, self.rows]),
        )
        values = np.concatenate([self.diagonal, self.blocks, np.swapaxes(self.blocks, 1, 2)])
        order = np.lexsort((j, i))
        first = np.searchsorted(i[order], np.arange(n + 1))
        whole = csc_matrix(bsr_array((values[order], j[order], first), shape=(DOF * n, DOF * n)))
        whole.eliminate_zeros()
        return whole


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
def _recorded() -> Iterator[list[Array]]:
    """A list that holds the arguments of the last of the largest calls of `BlockCholesky.solve`."""
    original, found = BlockCholesky.solve, list[Array]()

    def solve(self: BlockCholesky, *arguments: Array, **shift: float) -> Array | None:
        if not found or len(arguments[0]) >= len(found[0]):
            found[:] = [np.array(argument) for argument in arguments[:5]]
        return original(self, *arguments, **shift)

    BlockCholesky.solve = solve
    try:
        yield found
    finally:
        BlockCholesky.solve = original
