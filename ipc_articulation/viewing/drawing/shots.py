"""Content of a picture or film: the input of the process that draws it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.recording import Recording, Scenery
from ipc_articulation.viewing.bodies import LOOKS, bounds_of, outline_of
from ipc_articulation.viewing.cameras import Look, look_at_row
from ipc_articulation.viewing.forces import NONE, ForceArrows
from ipc_articulation.viewing.marks import Marks
from ipc_articulation.viewing.meshes import DrawnMesh, Show, drawn_meshes
from ipc_articulation.viewing.moments import spread
from ipc_articulation.viewing.palette import PictureBy, colours, of_bodies
from ipc_articulation.viewing.soft_strain import SoftStrain, StrainScale

Size = tuple[int, int]

PICTURE_SIZE, FILM_SIZE = (1600, 1000), (1280, 800)  # pixels


@dataclass(frozen=True)
class Shot:
    """Poses and forces at one moment."""

    poses: Array  # (n, 4, 4) of the bodies that move
    arrows: Array  # (k, 2, 3) beginning and end of each force [m]
    soft: Array = field(default_factory=lambda: np.zeros((0, 3)))  # (V, 3) vertices of all soft bodies [m]
    strain: Array = field(default_factory=lambda: np.zeros(0))  # (V,) at them, if colours show it
    look: Look | None = None  # through a camera; None: that of the scenery


@dataclass(frozen=True)
class Shots:
    """One moment or more, seen by one camera."""

    scenery: Scenery
    names: tuple[str, ...]  # of the n bodies that move
    meshes: dict[str, list[DrawnMesh]]  # of each body
    shots: tuple[Shot, ...]
    size: Size = PICTURE_SIZE  # pixels
    fps: float = 30.0  # of a film
    strain_scale: StrainScale | None = None  # None: soft bodies have one colour
    marks: Marks | None = None  # None: no names
    legend: str = ""  # at the lower left corner

    @property
    def bounds(self) -> tuple[Array, Array]:
        """Lowest and highest corner of all visible surfaces, (3,) each [m]."""
        return bounds_of(self.scenery, self.names, *self._some_moments())

    @property
    def outline(self) -> Array:
        """Points about all visible surfaces, and the ends of all forces, (k, 3) [m]."""
        ends = [shot.arrows.reshape(-1, 3) for shot in self.shots]
        return np.concatenate([outline_of(self.scenery, self.names, *self._some_moments()), *ends])

    @property
    def soft_slices(self) -> list[slice]:
        """Where each soft body's vertices are among those of all."""
        ends = np.cumsum([0] + [len(shape.vertices) for shape in self.scenery.soft]).tolist()
        return [slice(begin, end) for begin, end in pairwise(ends)]

    def _some_moments(self) -> tuple[Array, Array]:
        """Poses and vertices of soft bodies at some moments."""
        chosen = [self.shots[k] for k in spread(len(self.shots), LOOKS)]
        return np.stack([shot.poses for shot in chosen]), np.stack([shot.soft for shot in chosen])


def shots_of(
    recording: Recording,
    rows: Iterable[int],
    by: PictureBy = "role",
    forces: ForceArrows | None = None,
    size: Size = PICTURE_SIZE,
    fps: float = 30.0,
    show: Show = "visual",
    camera: str | None = None,
) -> Shots:
    """The moments of some rows.

    Args:
        recording: What is shown.
        rows: Which moments.
        by: Meaning of a body's colour.
        forces: Contact forces to draw.
        size: Width and height [pixels].
        fps: Pictures per second of a film.
        show: Which surfaces of the bodies.
        camera: Name of the camera; None: that of the scenery.

    Raises:
        ViewingError: Colours are to show the strain of soft bodies, and there are none; or there is no such camera.
    """
    poses, soft = recording.body_poses, recording.soft_positions
    strain = SoftStrain(recording) if by == "strain" else None
    shots = tuple(
        Shot(
            np.asarray(poses[row]),
            forces.at(row) if forces else NONE,
            soft[row],
            strain.at(row) if strain else np.zeros(0),
            look_at_row(recording, camera, row) if camera else None,
        )
        for row in rows
    )
    surfaces = recording.scenery.surfaces
    looks = colours(surfaces, of_bodies(by))
    meshes = {body.name: drawn_meshes(body, show, of_bodies(by), looks[body.name]) for body in surfaces}
    scale, legend = strain.scale() if strain else None, forces.legend if forces else ""
    return Shots(recording.scenery, tuple(recording.body_names), meshes, shots, size, fps, scale, legend=legend)
