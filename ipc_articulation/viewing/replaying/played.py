"""A recording in a viser scene: `show` moves everything to a row."""

from __future__ import annotations

from typing import Any

from ipc_articulation.recording import Recording
from ipc_articulation.viewing.bodies import outline, rigid_parts
from ipc_articulation.viewing.forces import ForceArrows
from ipc_articulation.viewing.meshes import Show
from ipc_articulation.viewing.palette import By
from ipc_articulation.viewing.replaying.viser_scene import ViserScene


class Played:
    """A recording in the browser; it begins at row 0.

    Args:
        server: A `viser.ViserServer`.
        recording: What is shown.
        by: Meaning of a body's colour.
        forces: The contact forces.
        show: Which surfaces of the bodies.

    Attributes:
        stage: The scene in the browser.
    """

    def __init__(self, server: Any, recording: Recording, by: By, forces: ForceArrows, show: Show) -> None:
        self._forces = forces
        self._positions, self._quaternions = rigid_parts(recording.body_poses)  # (rows, n, 3), (rows, n, 4)
        self._soft = recording.soft_positions  # (rows, V, 3)
        names = tuple(recording.body_names)
        self.stage = ViserScene(server, recording.scenery, names, outline(recording), forces.ordinary, by, show)
        self.show(0)

    def show(self, row: int) -> None:
        """Move everything to a row."""
        self.stage.place(self._positions[row], self._quaternions[row], self._forces.at(row), self._soft[row])
