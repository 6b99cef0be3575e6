"""What the run loop asks of a scene, whatever moves its joints."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ipc_articulation.coupling.adapter import HalfPlane
from ipc_articulation.recording import Surface

Array = NDArray[np.float64]


class Simulation(Protocol):
    """A scene that is ready to run."""

    engine: Any  # the `Engine` it runs on
    joint_names: tuple[str, ...]
    body_names: tuple[str, ...]  # bodies that can move: links first, then free bodies
    free_names: tuple[str, ...]  # those that contact alone moves
    surfaces: tuple[Surface, ...]  # every body, also those that never move
    planes: tuple[HalfPlane, ...]
    ran_code: tuple[str, ...]  # Python functions of the scene file that are called, as it names them
    drawn: Mapping[str, float | list[float]]  # values drawn at random, by their path in the file

    def step(self, index: int) -> None:
        """Take step `index`, counted from 0."""
        ...

    def minimum_distance(self) -> float:
        """Smallest distance of surfaces that may touch [m]; inf where none is nearer than 10 d̂."""
        ...

    def write(self, buffers: dict[str, Array], row: int) -> None:
        """Write the present state, and what the last step told (row > 0), into a row of a recording's buffers."""
        ...
