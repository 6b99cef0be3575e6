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
from scipy.sparse import bsr_array, csc_matrix

from benchmarks import box_scenes
from benchmarks.stark.cases import converging
from benchmarks.stark.soft_cases import soft_cases
from ipc_articulation import Engine, tetrads
from ipc_articulation.affine import DOF
from ipc_articulation.arrays import Array
from ipc_articulation.linear_system.block_matrix import Matrix
from ipc_articulation.linear_system.by_fronts.front_cholesky import FrontCholesky


@dataclass(frozen=True)
class System:
    """H x = b, by the vertices of split rows."""

    name: str
    H: Matrix
    b: Array  # (n, 12)

    def matrix(self) -> csc_matrix:
        """All of H, without the zeros in its blocks."""
        H, n = self.H, len(self.H.diagonal)
        i = np.concatenate([np.arange(n), H.rows, H.cols])
        j = np.concatenate([np.arange(n), H.cols, H.rows])
        values = np.concatenate([H.diagonal, H.blocks, np.swapaxes(H.blocks, 1, 2)])
        order = np.lexsort((j, i))
        first = np.searchsorted(i[order], np.arange(n + 1))
        whole = csc_matrix(bsr_array((values[order], j[order], first), shape=(DOF * n, DOF * n)))
        whole.eliminate_zeros()
        return whole

    def of_coordinates(self) -> Array:
        """b of the affine coordinates: that of vertices is what virtual displacements of these give."""
        x = tetrads.vertices(np.eye(DOF)).reshape(DOF, DOF)  # of each coordinate
        return np.where(self.H.is_split[:, None] == 1, self.b @ x.T, self.b)

    def by_vertices(self, x: Array) -> Array:
        """A solution in coordinates, by the vertices of split rows."""
        return np.where(self.H.is_split[:, None] == 1, tetrads.vertices(x).reshape(x.shape), x)


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
    H, b = found
    x = tetrads.vertices(np.eye(DOF)).reshape(DOF, DOF)
    return System(name, H, np.where(H.is_split[:, None] == 1, b @ np.linalg.inv(x).T, b))


@contextmanager
def _recorded() -> Iterator[list[Any]]:
    """A list that holds the matrix and the right side of the last of the largest systems that are solved."""
    found = list[Any]()
    with patch.object(FrontCholesky, "solve", _recording(FrontCholesky.solve, found)):
        yield found


def _recording(original: Callable[..., Array | None], found: list[Any]) -> Callable[..., Array | None]:
    def solve(self: Any, H: Matrix, b: Array) -> Array | None:
        if not found or len(b) >= len(found[1]):
            found[:] = [Matrix(*(array.copy() for array in H)), b.copy()]
        return original(self, H, b)

    return solve
