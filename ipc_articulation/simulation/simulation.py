"""Protocol of a scene that the run loop can run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from ipc_articulation.arrays import Array
from ipc_articulation.coupling.adapter import HalfPlane
from ipc_articulation.recording import SoftShape, Surface
from ipc_articulation.recording.scenery import Camera


class Shown(Protocol):
    """What pictures show of a scene."""

    surfaces: tuple[Surface, ...]  # every body, also those that never move
    soft_shapes: tuple[SoftShape, ...]
    planes: tuple[HalfPlane, ...]
    cameras: tuple[Camera, ...]


class Simulation(Shown, Protocol):
    """A scene that is ready to run."""

    engine: Any  # the `Engine` it runs on
    joint_names: tuple[str, ...]
    joint_units: Mapping[str, str]  # rad or m of each, by its name in the scene file
    body_names: tuple[str, ...]  # bodies that can move: links first, then free bodies
    free_names: tuple[str, ...]  # those that contact alone moves
    ran_code: tuple[str, ...]  # Python functions of the scene file that are called, as it names them
    drawn: Mapping[str, float | list[float]]  # values drawn at random, by their path in the file
    failures: list[dict[str, Any]]  # of environments that were reset or stopped: number, step (from 1) and error

    def step(self, index: int) -> None:
        """Take step `index`, counted from 0."""
        ...

    def minimum_distance(self) -> float:
        """Smallest distance of surfaces that may touch [m]; inf where none is nearer than 10 d̂."""
        ...

    def measure(self, is_start: bool) -> dict[str, Any]:
        """The present state and, except at the start, results of the last step: quantities of a recording by name."""
        ...

    def dump(self) -> dict[str, Array]:
        """Bring the engine's state to disk, into its workspace; give all other state that the next steps depend on.

        Raises:
            DumpError: The engine keeps no state, or the disk is full.
        """
        ...

    def recover(self, frame: int, state: Mapping[str, Array]) -> None:
        """Resume from a dump.

        Args:
            frame: Number of steps taken then.
            state: What `dump` gave.

        Raises:
            DumpError: The engine has no such dump, or it is damaged or of another scene.
            AdapterError: The state is of another model.
        """
        ...
