"""`Recording`: the recording of a run, with every quantity as an attribute; `layout` describes its files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ipc_articulation.arguments import PATH, checked
from ipc_articulation.arrays import Array
from ipc_articulation.errors import RecordingError
from ipc_articulation.naming import suggest
from ipc_articulation.recording.checked import CheckedGroup
from ipc_articulation.recording.contacts import NO_CONTACTS, Contacts
from ipc_articulation.recording.header import Header
from ipc_articulation.recording.quantities import QUANTITIES
from ipc_articulation.recording.scenery import NOTHING, Scenery
from ipc_articulation.recording.scenery_files import read_scenery
from ipc_articulation.recording.stored import LazyArrays, StoredArrays, StoredContacts

if TYPE_CHECKING:
    import pandas
    import xarray


class Recording:
    """Arrays over rows: row 0 is the start, row k the state after step k.

    Every quantity of `QUANTITIES` is an attribute: `recording.theta` is (rows, joints). `read_recording` gives one
    whose arrays are read when they are first asked for; one made here has rows of NaN for its steps.

    Args:
        name: Name of the run.
        dt: Time step [s].
        steps: Number of steps to allocate.
        joint_names: Names of the m joints.
        body_names: Names of the bodies whose poses are recorded.
        free_names: Those among them that contact alone moves.
        extra: Further facts, in JSON's types.
        scenery: What pictures show.
        energy_terms: Names of the columns of `energies`.
        stages: Names of the columns of `stage_times`.

    Attributes:
        header: Names and settings.
        rows: Number of rows that count.
        buffers: The arrays by quantity, which may have more rows.
        contact_rows: Contacts by row; rows that are not there have none.
    """

    def __init__(
        self,
        name: str,
        dt: float,
        steps: int,
        joint_names: tuple[str, ...],
        body_names: tuple[str, ...],
        free_names: tuple[str, ...] = (),
        extra: dict[str, Any] | None = None,
        scenery: Scenery = NOTHING,
        energy_terms: tuple[str, ...] = (),
        stages: tuple[str, ...] = (),
    ) -> None:
        soft = tuple(s.name for s in scenery.soft), tuple(len(s.vertices) for s in scenery.soft)
        header = Header(name, dt, joint_names, body_names, free_names, energy_terms, stages, (), extra or {}, *soft)
        self._take(header, 0, _empty(header, steps + 1), {}, lambda: scenery)

    @classmethod
    def part(
        cls,
        header: Header,
        rows: int,
        buffers: Mapping[str, Array],
        contact_rows: Mapping[int, Contacts],
        find_scenery: Callable[[], Scenery],
    ) -> Recording:
        """A recording of arrays that are read when they are asked for."""
        recording = cls.__new__(cls)
        recording._take(header, rows, buffers, contact_rows, find_scenery)
        return recording

    @classmethod
    def stored(cls, group: CheckedGroup) -> Recording:
        """A recording on disk."""
        arrays, contacts = StoredArrays(group), StoredContacts(group)
        return cls.part(group.header, group.rows, arrays, contacts, lambda: read_scenery(*group.scenery()))

    def _take(
        self,
        header: Header,
        rows: int,
        buffers: Mapping[str, Array],
        contact_rows: Mapping[int, Contacts],
        find_scenery: Callable[[], Scenery],
    ) -> None:
        self.header = header
        self.name, self.dt, self.rows, self.extra = header.name, header.dt, rows, header.extra
        self.joint_names, self.body_names, self.free_names = header.joint_names, header.body_names, header.free_names
        self.energy_terms, self.stages, self.contact_names = header.energy_terms, header.stages, header.contact_names
        self.soft_names = header.soft_names
        self.buffers, self.contact_rows, self._find_scenery = buffers, contact_rows, find_scenery

    def __getattr__(self, key: str) -> Array:
        if key not in QUANTITIES:
            raise AttributeError(f"a recording has no '{key}'; it has {', '.join(QUANTITIES)}")
        return self.buffers[key][: self.rows]

    @property
    def steps(self) -> int:
        """Number of steps taken."""
        return max(self.rows - 1, 0)

    @cached_property
    def scenery(self) -> Scenery:
        """Surfaces, half-planes and camera.

        Raises:
            RecordingError: They are damaged on disk.
        """
        return self._find_scenery()

    def contacts(self, row: int) -> Contacts:
        """Contact points and forces of a row, -1 for the last; none in row 0, or where the engine has none.

        Raises:
            RecordingError: There is no such row, or it is damaged on disk.
        """
        if not -self.rows <= row < self.rows:
            raise RecordingError(f"recording '{self.name}' has no row {row}; valid: 0 to {self.rows - 1}")
        return self.contact_rows.get(row % self.rows, NO_CONTACTS)

    def soft_positions_of(self, name: str) -> Array:
        """Positions of a soft body's vertices in all rows, (rows, V, 3) [m] in the world.

        Raises:
            RecordingError: There is no such body, or it is damaged on disk.
        """
        slices = self.header.soft_slices
        if name not in slices:
            raise RecordingError(f"recording '{self.name}' has no soft body '{name}'{suggest(name, slices)}")
        return self.soft_positions[:, slices[name]]

    def moved(self, name: str) -> float:
        """How far a body's origin, or the mean of a soft body's vertices, is from where it started [m]."""
        if name in self.soft_names:
            own = self.header.soft_slices[name]
            start, end = (self.row("soft_positions", row)[own].mean(axis=0) for row in (0, self.rows - 1))
            return float(np.linalg.norm(end - start))
        body = self.body_names.index(name)
        start, end = (self.row("body_poses", row)[body, :3, 3] for row in (0, self.rows - 1))
        return float(np.linalg.norm(end - start))

    def row(self, key: str, row: int) -> Array:
        """One row of a quantity; of a recording on disk no more than its chunk is read.

        Raises:
            RecordingError: It is damaged on disk.
        """
        return self.block(key, row, row + 1)[0]

    def block(self, key: str, begin: int, end: int) -> Array:
        """Rows `begin` to `end` of a quantity; of a recording on disk no more than their chunks are read.

        Raises:
            RecordingError: They are damaged on disk.
        """
        if isinstance(self.buffers, LazyArrays):
            return self.buffers.block(key, begin, end)
        return getattr(self, key)[begin:end]

    def to_xarray(self) -> xarray.Dataset:
        """All quantities with named dimensions, units and meanings; needs the extra `data`.

        Raises:
            MissingPackageError: xarray is missing; names the extra.
        """
        from ipc_articulation.recording.tables import to_xarray

        return to_xarray(self.header, self._arrays())

    def to_pandas(self) -> pandas.DataFrame:
        """Table with one row per time [s] and one column per number, such as `theta[elbow]` or `position[crate].x`.

        Needs the extra `data`.

        Raises:
            MissingPackageError: pandas is missing; names the extra.
        """
        from ipc_articulation.recording.tables import to_pandas

        return to_pandas(self.header, self._arrays())

    def _arrays(self) -> dict[str, Array]:
        return {name: getattr(self, name) for name in QUANTITIES}


def salvaged(folder: str | Path) -> Recording:
    """As `read_recording`, also where arrays are damaged or missing; reading these raises the error.

    Raises:
        RecordingError: There is none, or nothing of it can be read.
    """
    return Recording.stored(CheckedGroup(folder))


@checked(RecordingError, folder=PATH)
def read_recording(folder: str | Path) -> Recording:
    """The recording that a run wrote into its folder `OUT/NAME`, or is still writing; arrays are read when asked for.

    Raises:
        RecordingError: There is none, it is of a newer format version, or damaged; names the file and what is wrong.
    """
    group = CheckedGroup(folder)
    group.require_rows(group.rows)
    return Recording.stored(group)


def _empty(header: Header, rows: int) -> dict[str, Array]:
    buffers = {name: np.full((rows, *q.sizes(header.counts)), np.nan) for name, q in QUANTITIES.items()}
    buffers["time"][:] = header.dt * np.arange(rows)
    return buffers
