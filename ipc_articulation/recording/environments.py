"""Recordings of many environments: the names of their joints and bodies, and one environment by itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.errors import RecordingError
from ipc_articulation.recording.contacts import Contacts
from ipc_articulation.recording.header import Header
from ipc_articulation.recording.quantities import QUANTITIES
from ipc_articulation.recording.recording import Recording
from ipc_articulation.recording.scenery import Scenery, Surface
from ipc_articulation.recording.stored import LazyArrays

ENVIRONMENTS, FAILURES = (
    "environments",
    "failures",
)  # in the header's `extra`: their number, what failed when


def environment_label(number: int) -> str:
    """What the names of an environment's joints and bodies begin with."""
    return f"environment {number}: "


def environment_of(recording: Recording, number: int) -> Recording:
    """One environment of a recording, with names as those of a scene with a single robot.

    Its `minimum_distance`, energies, iterations and times are those of the whole scene. Visual surfaces are those of
    environment 0.

    Raises:
        RecordingError: There is no such environment.
    """
    count = recording.extra.get(ENVIRONMENTS)
    if count is None:
        raise RecordingError(f"recording '{recording.name}' has no environments: it is of a single robot")
    if not 0 <= number < count:
        raise RecordingError(f"recording '{recording.name}' has no environment {number}; valid: 0 to {count - 1}")
    header, start = recording.header, environment_label(number)
    own = replace(
        header,
        joint_names=_own(header.joint_names, start),
        body_names=_own(header.body_names, start),
        free_names=_own(header.free_names, start),
        contact_names=tuple(name.removeprefix(start) for name in header.contact_names),
        extra={key: value for key, value in header.extra.items() if key not in (ENVIRONMENTS, FAILURES)},
    )
    arrays, contacts = _Arrays(recording, start), _Contacts(recording, start)
    return Recording.part(own, recording.rows, arrays, contacts, lambda: _scenery(recording.scenery, start))


def _own(names: Sequence[str], start: str) -> tuple[str, ...]:
    return tuple(name.removeprefix(start) for name in names if name.startswith(start))


class _Arrays(LazyArrays):
    """The columns of one environment."""

    def __init__(self, recording: Recording, start: str) -> None:
        self._recording = recording
        self._columns = {
            dimension: [k for k, name in enumerate(names) if name.startswith(start)]
            for dimension, names in zip(("joints", "bodies"), _names(recording.header), strict=True)
        }

    def __getitem__(self, name: str) -> Array:
        return self._own(name, getattr(self._recording, name))

    def block(self, name: str, begin: int, end: int) -> Array:
        """See `LazyArrays`."""
        return self._own(name, self._recording.block(name, begin, end))

    def _own(self, name: str, values: Array) -> Array:
        first, *_ = (*QUANTITIES[name].shape, "")
        return values[:, self._columns[first]] if first in self._columns else values


def _names(header: Header) -> tuple[Sequence[str], Sequence[str]]:
    return header.joint_names, header.body_names


class _Contacts(Mapping[int, Contacts]):
    """The contacts of one environment, by row."""

    def __init__(self, recording: Recording, start: str) -> None:
        self._recording, self._start = recording, start
        self._moving = {name for name in recording.body_names if name.startswith(start)}

    def _plain(self, name: str) -> str:
        """Without the label; the ground and walls, which all share, have that of environment 0."""
        return name.removeprefix(self._start).removeprefix(environment_label(0))

    def __getitem__(self, row: int) -> Contacts:
        found = self._recording.contacts(row)
        is_own = np.array([not self._moving.isdisjoint(pair) for pair in found.bodies], dtype=np.bool_)
        names = [(self._plain(first), self._plain(second)) for first, second in found.bodies]
        chosen = np.flatnonzero(is_own)
        return Contacts(found.points[chosen], found.forces[chosen], tuple(names[k] for k in chosen))

    def __iter__(self) -> Iterator[int]:
        return iter(range(self._recording.rows))

    def __len__(self) -> int:
        return self._recording.rows


def _scenery(whole: Scenery, start: str) -> Scenery:
    drawn = {surface.name.removeprefix(environment_label(0)): surface.visual for surface in whole.surfaces}
    return replace(whole, surfaces=tuple(_surfaces(whole.surfaces, start, drawn)))


def _surfaces(surfaces: Sequence[Surface], start: str, drawn: Mapping[str, tuple]) -> Iterator[Surface]:
    for surface in surfaces:
        if surface.name.startswith(start):
            name = surface.name.removeprefix(start)
            yield replace(surface, name=name, visual=drawn.get(name, ()))


def looked_at(recording: Recording, number: int | None) -> Recording:
    """What pictures show: one environment where there are many, the first unless another is chosen.

    Raises:
        RecordingError: There is no such environment.
    """
    if number is None:
        return recording if ENVIRONMENTS not in recording.extra else environment_of(recording, 0)
    return environment_of(recording, number)
