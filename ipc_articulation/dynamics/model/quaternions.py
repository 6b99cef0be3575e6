"""Which coordinates of a robot are those of quaternions and angular velocities, and which are plain numbers."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from ipc_articulation.arrays import Ints
from ipc_articulation.dynamics.kernels.tree import ROTATION
from ipc_articulation.dynamics.loops.closure import Closure


def quaternion_coordinates(tree: NDArray, closure: Closure) -> tuple[tuple[slice, slice], ...]:
    """Position and velocity coordinates of every quaternion, (4,) and (3,)."""
    x, y = (dict(zip(*pairs, strict=True)) for pairs in closure.free_places)
    nodes = tree[tree["kind"] == ROTATION]
    places = ((x[int(node["q"])], y[int(node["v"])]) for node in nodes)
    return tuple((slice(q, q + 4), slice(v, v + 3)) for q, v in places)


def other_coordinates(count: int, ranges: Iterable[slice]) -> Ints:
    """The coordinates among `count` that are in none of the ranges."""
    return np.delete(np.arange(count), [i for range_ in ranges for i in range(range_.start, range_.stop)])
