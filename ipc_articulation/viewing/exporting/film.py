"""The content of an export, whatever its format: shapes, and where they are at some moments."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.recording import Recording, Surface
from ipc_articulation.viewing.bodies import placed
from ipc_articulation.viewing.meshes import Show, drawn_meshes
from ipc_articulation.viewing.palette import PictureBy, colours, of_bodies, rgb
from ipc_articulation.viewing.soft_strain import SoftStrain
from ipc_articulation.viewing.soft_surfaces import SoftSurface
from ipc_articulation.viewing.strain_colours import strain_colours

Colour = tuple[int, int, int]


@dataclass(frozen=True)
class Actor:
    """A surface of a body with its colour and motion."""

    surface: Surface
    colour: Colour
    poses: Array | None  # (moments, 4, 4); None where it never moves
    points: Array | None = None  # (moments, V, 3) [m] in the world, of soft bodies, whose vertices move one by one
    shades: Ints | None = None  # (moments, V, 3) 0 to 255, of vertices that have their own colours
    opacity: float = 1.0

    def vertices(self, moment: int) -> Array:
        """Where its vertices are, (V, 3) [m] in the world."""
        if self.points is not None:
            return self.points[moment]
        return placed(self.surface.vertices, self.surface.pose if self.poses is None else self.poses[moment])


@dataclass(frozen=True)
class Film:
    """Bodies and their motion."""

    name: str
    up: Array  # (3,) unit vector
    time: Array  # (moments,) [s]
    actors: tuple[Actor, ...]


def distinct(names: Iterable[str]) -> list[str]:
    """Names of which no two are alike: underscores are added to later ones."""
    found: dict[str, None] = {}
    for name in names:
        while name in found:
            name += "_"
        found[name] = None
    return list(found)


def linear(shades: Ints | Colour) -> Array:
    """Light of colours of the screen (..., 3), 0 to 1: sRGB's transfer function (IEC 61966-2-1)."""
    encoded = np.asarray(shades) / 255.0
    return np.where(encoded <= 0.04045, encoded / 12.92, ((encoded + 0.055) / 1.055) ** 2.4)


def film_of(recording: Recording, rows: Ints, by: PictureBy, show: Show) -> Film:
    """Some rows of a recording; of a body with several surfaces, the second and further ones are numbered.

    Raises:
        ViewingError: Colours are to show the strain of soft bodies, and there are none.
    """
    shown, poses = recording.scenery.surfaces, recording.body_poses[rows]
    names, looks = recording.body_names, colours(shown, of_bodies(by))

    def actors(body: Surface) -> Iterator[Actor]:
        motion = poses[:, names.index(body.name)] if body.name in names else None
        for number, mesh in enumerate(drawn_meshes(body, show, of_bodies(by), looks[body.name]), start=1):
            name = body.name if number == 1 else f"{body.name} surface {number}"
            surface = Surface(name, body.role, mesh.vertices, mesh.faces, body.pose)
            yield Actor(surface, rgb(mesh.colour), motion, opacity=mesh.opacity)

    every = tuple(actor for body in shown for actor in actors(body)) + tuple(_soft_actors(recording, rows, by))
    return Film(recording.name, recording.scenery.up, recording.time[rows], every)


def _soft_actors(recording: Recording, rows: Ints, by: PictureBy) -> Iterator[Actor]:
    """Soft bodies; their frame is the world's."""
    shades = _strain_shades(recording, rows) if by == "strain" else None
    for shape in recording.scenery.soft:
        soft = SoftSurface(shape)
        points = soft.vertices(recording.soft_positions_of(shape.name)[rows])
        surface = Surface(shape.name, "free", points[0], soft.faces.astype(np.int32), np.eye(4))
        own = None if shades is None else shades[:, recording.header.soft_slices[shape.name]][:, soft.sources]
        yield Actor(surface, rgb(soft.colour), None, points, own)


def _strain_shades(recording: Recording, rows: Ints) -> Ints:
    """Colours of all vertices of soft bodies by their strain, (moments, V, 3)."""
    strain = SoftStrain(recording)
    return strain_colours(np.stack([strain.at(int(row)) for row in rows]), strain.scale())
