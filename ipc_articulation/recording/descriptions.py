"""Reads the descriptions (`zarr.json`) of a recording's groups, and names every fault in them."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeVar

from pydantic import NonNegativeInt, TypeAdapter, ValidationError

from ipc_articulation.arrays import Colour
from ipc_articulation.errors import RecordingError
from ipc_articulation.recording.header import Header
from ipc_articulation.recording.scenery import Camera, Point, Role

_GROUP = {"zarr_format": 3, "node_type": "group"}

Described = TypeVar("Described", "RootDescription", "SceneryDescription")


@dataclass(frozen=True)
class ArrayDescription:
    """The complete entries of an array."""

    length: NonNegativeInt
    checksums: tuple[int, ...]  # of the complete entries in each chunk


@dataclass(frozen=True)
class RootDescription:
    """Attributes of the recording's own group."""

    rows: NonNegativeInt  # that are complete
    header: Header
    columns: dict[str, ArrayDescription] = field(default_factory=dict)  # by the array's path; none in version 1


@dataclass(frozen=True)
class VisualDescription:
    """A visual surface of a body."""

    body: NonNegativeInt  # index of its surface
    colour: Colour | None
    vertex_count: NonNegativeInt
    face_count: NonNegativeInt


@dataclass(frozen=True)
class SoftDescription:
    """A soft body."""

    name: str
    corners: Literal[2, 3, 4]  # of each element
    vertex_count: NonNegativeInt
    cell_count: NonNegativeInt
    radius: float  # [m]
    has_rest: bool = False  # vertices at rest of its own


@dataclass(frozen=True)
class SceneryDescription:
    """Attributes of the scenery's group, with an entry for each surface in the first four."""

    names: tuple[str, ...]
    roles: tuple[Role, ...]
    vertex_counts: tuple[NonNegativeInt, ...]
    face_counts: tuple[NonNegativeInt, ...]
    planes: tuple[tuple[Point, Point], ...]  # a point [m] and the normal of each half-plane
    up: Point
    eye: Point | None
    target: Point | None
    columns: dict[str, ArrayDescription] = field(default_factory=dict)
    visuals: tuple[VisualDescription, ...] = ()  # none before version 3
    soft: tuple[SoftDescription, ...] = ()  # none before version 4
    cameras: tuple[Camera, ...] = ()

    def __post_init__(self) -> None:
        """Refuse lists of different lengths, and visual surfaces of no body."""
        if len({len(entries) for entries in (self.names, self.roles, self.vertex_counts, self.face_counts)}) > 1:
            raise ValueError("names, roles, vertex_counts and face_counts differ in length")
        if any(visual.body >= len(self.names) for visual in self.visuals):
            raise ValueError("visuals names a body that there is not")


_VALIDATORS: dict[Any, TypeAdapter[Any]] = {kind: TypeAdapter(kind) for kind in (RootDescription, SceneryDescription)}


def group_attributes(folder: Path) -> dict[str, Any]:
    """The attributes of a Zarr group.

    Raises:
        RecordingError: Its `zarr.json` is missing, cannot be read, or does not describe a group.
    """
    file = folder / "zarr.json"
    try:
        content = json.loads(file.read_bytes())
        attributes = content["attributes"]
    except FileNotFoundError as error:
        raise RecordingError(f"recording {file} is missing") from error
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise RecordingError(f"recording {file} is damaged: {error}") from error
    if content != {**content, **_GROUP} or not isinstance(attributes, dict):
        raise RecordingError(f"recording {file} is damaged: it does not describe a group with attributes")
    return attributes


def described(kind: type[Described], attributes: dict[str, Any], folder: Path) -> Described:
    """The attributes of a group, every value of the right type.

    Raises:
        RecordingError: A value is missing or has another type; names it.
    """
    try:
        return _VALIDATORS[kind].validate_python(attributes)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"])) or "attributes"
        raise RecordingError(f"recording {folder / 'zarr.json'} is damaged: {place}: {first['msg']}") from error
