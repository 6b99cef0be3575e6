"""A recording in a viser scene: `show` moves everything to a row."""

from __future__ import annotations

from typing import Any

from ipc_articulation.recording import Recording
from ipc_articulation.viewing.bodies import outline, rigid_parts
from ipc_articulation.viewing.cameras import look_at_row
from ipc_articulation.viewing.forces import ForceArrows
from ipc_articulation.viewing.meshes import Show
from ipc_articulation.viewing.palette import PictureBy
from ipc_articulation.viewing.replaying.viser_scene import ViserScene
from ipc_articulation.viewing.soft_strain import SoftStrain


class Played:
    """A recording in the browser; it begins at row 0.

    Args:
        server: A `viser.ViserServer`.
        recording: What is shown.
        by: Meaning of a body's colour.
        forces: The contact forces.
        show: Which surfaces of the bodies.
        camera: Name of the camera through which the page looks at first; None: that of the scenery.

    Attributes:
        stage: The scene in the browser.
        scale: Meaning of the colours of strain; None without soft bodies.

    Raises:
        ViewingError: There is no such camera; or colours are to show the strain of soft bodies, and there are none.
    """

    def __init__(
        self,
        server: Any,
        recording: Recording,
        by: PictureBy,
        forces: ForceArrows,
        show: Show,
        camera: str | None = None,
    ) -> None:
        self._forces = forces
        self._positions, self._quaternions = rigid_parts(recording.body_poses)  # (rows, n, 3), (rows, n, 4)
        self._soft = recording.soft_positions  # (rows, V, 3)
        names, points = tuple(recording.body_names), outline(recording)
        self._strain = SoftStrain(recording) if recording.scenery.soft or by == "strain" else None
        self.scale = None if self._strain is None else self._strain.scale()
        self._by, self._row = by, 0
        scenery = recording.scenery if camera is None else look_at_row(recording, camera, 0).put_into(recording.scenery)
        self.stage = ViserScene(server, scenery, names, points, forces.ordinary, by, show, self.scale)
        self.show(0)

    def show(self, row: int) -> None:
        """Move everything to a row."""
        self._row = row
        strain = () if self._strain is None or self._by != "strain" else (self._strain.at(row),)
        self.stage.place(self._positions[row], self._quaternions[row], self._forces.at(row), self._soft[row], *strain)

    def colour_by(self, by: PictureBy) -> None:
        """Colour the bodies."""
        self._by = by
        self.stage.colour_by(by)
        self.show(self._row)
