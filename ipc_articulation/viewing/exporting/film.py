"""The content of an export, whatever its format: shapes, and where they are at some moments."""

from __future__ import annotations

from dataclasses import dataclass

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.recording import Recording, Surface
from ipc_articulation.viewing.palette import By, colours, rgb

Colour = tuple[int, int, int]


@dataclass(frozen=True)
class Actor:
    """A body with its colour and motion."""

    surface: Surface
    colour: Colour
    poses: Array | None  # (moments, 4, 4); None where it never moves


@dataclass(frozen=True)
class Film:
    """Bodies and their motion."""

    name: str
    up: Array  # (3,) unit vector
    time: Array  # (moments,) [s]
    actors: tuple[Actor, ...]


def film_of(recording: Recording, rows: Ints, by: By) -> Film:
    """Some rows of a recording."""
    shown, poses = recording.scenery.surfaces, recording.body_poses[rows]
    names, looks = recording.body_names, colours(shown, by)

    def actor(surface: Surface) -> Actor:
        motion = poses[:, names.index(surface.name)] if surface.name in names else None
        return Actor(surface, rgb(looks[surface.name]), motion)

    return Film(recording.name, recording.scenery.up, recording.time[rows], tuple(actor(body) for body in shown))
