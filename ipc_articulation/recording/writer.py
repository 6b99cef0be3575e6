"""Writes a recording row by row, so that a process killed at any moment leaves all rows up to the last flush."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ipc_articulation.errors import RecordingError
from ipc_articulation.recording import layout
from ipc_articulation.recording.column import Column
from ipc_articulation.recording.contacts import NO_CONTACTS, Contacts
from ipc_articulation.recording.header import Header
from ipc_articulation.recording.quantities import QUANTITIES
from ipc_articulation.recording.scenery import Scenery
from ipc_articulation.recording.scenery_files import write_scenery

FLUSH_INTERVAL = 5.0  # seconds of wall time after which rows go to disk though their chunk is not full


class RecordingWriter:
    """A recording that grows; made by `create` or `reopen`, and closed at the end.

    Attributes:
        path: Its folder, `…/recording.zarr`.
        header: The recording's header; `header.extra` may be filled until it is closed.
        rows: Number of rows appended.
        flushed_rows: Number of rows on disk.
    """

    def __init__(self, path: Path, header: Header, group: Any, rows: int) -> None:
        """Continue after so many complete rows of a Zarr group."""
        self.path, self.header, self.rows, self.flushed_rows = path, header, rows, rows
        self._group = group
        with layout.writing_all_chunks():
            self._quantities = {name: Column(group[name], rows) for name in QUANTITIES}
            self._contact_ends = Column(group["contacts/end"], rows)
            total = int(group["contacts/end"][rows - 1]) if rows else 0
            self._contacts = {name: Column(group[f"contacts/{name}"], total) for name in layout.CONTACTS}
        self._numbers = {name: number for number, name in enumerate(header.contact_names)}
        self._blank = {name: np.full(q.sizes(header.counts), np.nan) for name, q in QUANTITIES.items()}
        self._chunk, self._last_flush = group["time"].chunks[0], monotonic()

    @classmethod
    def create(cls, folder: Path, header: Header, scenery: Scenery, rows: int) -> RecordingWriter:
        """Begin a recording in a folder, where there is none.

        Args:
            folder: Where `recording.zarr` is made.
            header: The recording's header.
            scenery: What pictures show.
            rows: How many rows are expected, the start included.

        Raises:
            RecordingError: It cannot be written.
        """
        import zarr

        path = folder / layout.STORE
        with _naming(path, 0):
            group = zarr.create_group(path, zarr_format=3)
            chunk = layout.chunk_rows(header, rows)
            for name in QUANTITIES:
                _create_quantity(group, name, header, rows, chunk)
            contacts = group.create_group("contacts")
            layout.create_array(contacts, "end", (rows,), "i8", chunk, ("row",))
            for name, (shape, dtype) in layout.CONTACTS.items():
                dimensions = ("contact", *"i"[: len(shape)])
                layout.create_array(contacts, name, (0, *shape), dtype, layout.CONTACT_CHUNK, dimensions)
            write_scenery(group.create_group("scenery"), scenery)
            writer = cls(path, header, group, 0)
            writer._describe()
            return writer

    @classmethod
    def reopen(cls, folder: Path, header: Header, rows: int, expected_rows: int) -> RecordingWriter:
        """Continue a recording after its first `rows` rows; later rows are removed.

        Raises:
            RecordingError: It is damaged, has fewer rows, or cannot be written.
        """
        import zarr

        from ipc_articulation.recording.checked import CheckedGroup

        path = folder / layout.STORE
        CheckedGroup(folder).verify(rows)
        with _naming(path, rows):
            for draft in path.rglob("*.partial"):
                draft.unlink()
            group = zarr.open_group(path, mode="r+")
            for name in [name for name in layout.SINCE if name not in group]:  # of an older version
                _create_quantity(group, name, header, rows, group["time"].chunks[0])
            writer = cls(path, header, group, rows)
            writer._describe()
            writer._resize(expected_rows)
            return writer

    @property
    def is_due(self) -> bool:
        """Whether rows should be written to disk, because a chunk is full or some seconds have passed."""
        full = self.rows // self._chunk > self.flushed_rows // self._chunk
        return full or monotonic() - self._last_flush >= FLUSH_INTERVAL

    def append(self, values: Mapping[str, ArrayLike], contacts: Contacts = NO_CONTACTS) -> None:
        """Add a row; quantities that are not given are NaN in it.

        Raises:
            RecordingError: There is no such quantity, or it has another shape.
        """
        if unknown := set(values) - set(QUANTITIES):
            raise RecordingError(f"no recording has {sorted(unknown)}; valid: {', '.join(QUANTITIES)}")
        for name, column in self._quantities.items():
            value, expected = np.array(values.get(name, self._blank[name]), dtype=float), self._blank[name].shape
            if value.shape != expected:
                raise RecordingError(f"row {self.rows}: '{name}' has shape {value.shape}, must be {expected}")
            column.append(value[None])
        self._append_contacts(contacts)
        self.rows += 1

    def flush(self) -> None:
        """Bring all rows to disk.

        Raises:
            RecordingError: They cannot be written; those on disk before are still there. Or the recording was deleted.
        """
        if not (self.path / "zarr.json").exists():
            raise RecordingError(f"recording {self.path} was deleted while it was written: its rows are lost")
        with _naming(self.path, self.flushed_rows):
            for column in self._columns.values():
                column.flush()
            self._describe()
        self.flushed_rows, self._last_flush = self.rows, monotonic()

    def close(self) -> None:
        """Bring all rows to disk, and let the arrays end with them.

        Raises:
            RecordingError: As in `flush`.
        """
        self.flush()
        with _naming(self.path, self.rows):
            self._resize(self.rows)

    @property
    def _columns(self) -> dict[str, Column]:
        contacts = {f"contacts/{name}": column for name, column in self._contacts.items()}
        return {**self._quantities, **contacts, "contacts/end": self._contact_ends}

    def _describe(self) -> None:
        """Write the description of the complete rows: header, number of rows, checksums."""
        columns = {name: column.description for name, column in self._columns.items()}
        self._group.attrs.put(layout.root_attributes(self.header, self.rows, columns))

    def _resize(self, rows: int) -> None:
        for column in (*self._quantities.values(), self._contact_ends):
            column.resize(max(rows, column.length))

    def _append_contacts(self, contacts: Contacts) -> None:
        pairs = [[self._numbers[name] for name in pair] for pair in contacts.bodies]
        self._contacts["points"].append(np.asarray(contacts.points))
        self._contacts["forces"].append(np.asarray(contacts.forces))
        self._contacts["bodies"].append(np.array(pairs, dtype=np.int32).reshape(-1, 2))
        self._contact_ends.append(np.array([self._contacts["points"].length]))


def _create_quantity(group: Any, name: str, header: Header, rows: int, chunk: int) -> None:
    q = QUANTITIES[name]
    attributes, dimensions = {"unit": q.unit, "meaning": q.meaning}, layout.dimension_names(name)
    layout.create_array(group, name, (rows, *q.sizes(header.counts)), "f8", chunk, dimensions, attributes)


def remove_recording(folder: Path) -> None:
    """Remove the recording of a folder, if there is one."""
    shutil.rmtree(folder / layout.STORE, ignore_errors=True)


@contextmanager
def _naming(path: Path, kept: int) -> Iterator[None]:
    """Turn an error of the disk into one that names the recording and the rows that are kept."""
    try:
        yield
    except OSError as error:
        kept_rows = f"the first {kept} rows are kept" if kept else "nothing was recorded"
        raise RecordingError(f"recording {path} cannot be written: {error.strerror or error}; {kept_rows}") from error
