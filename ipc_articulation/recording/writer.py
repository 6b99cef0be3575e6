"""Writes a recording row by row, so that a process killed at any moment leaves all rows up to the last flush."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from time import monotonic
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ipc_articulation.errors import RecordingError
from ipc_articulation.recording import layout
from ipc_articulation.recording.column import Column
from ipc_articulation.recording.contacts import NO_CONTACTS, Contacts
from ipc_articulation.recording.creation import create_quantity, new_group
from ipc_articulation.recording.header import Header
from ipc_articulation.recording.quantities import QUANTITIES
from ipc_articulation.recording.scenery import Scenery

_ENDS = "contacts/end"
FLUSH_INTERVAL = 5.0  # seconds of wall time after which rows go to disk though their chunk is not full


class RecordingWriter:
    """A recording that grows; made by `create` or `reopen`, and closed at the end.

    Attributes:
        path: Its folder, `…/recording.zarr`.
        header: The recording's header; `header.extra` may be filled until it is closed.
        rows: Number of rows appended.
        flushed_rows: Number of rows on disk.
    """

    def __init__(self, path: Path, header: Header, rows: int, chunk: int, group: Callable[[], Any]) -> None:
        """Continue after so many complete rows of a Zarr group, which is asked for when rows go to disk."""
        self.path, self.header, self.rows, self.flushed_rows = path, header, rows, rows
        self._make, self._made = group, False
        self._pending: list[tuple[dict[str, NDArray[Any]], Contacts]] = []  # rows that no column has yet
        self._numbers = {name: number for number, name in enumerate(header.contact_names)}
        self._blank = {name: np.full(q.sizes(header.counts), np.nan) for name, q in QUANTITIES.items()}
        self._chunk, self._last_flush = chunk, monotonic()

    @classmethod
    def create(cls, folder: Path, header: Header, scenery: Scenery, rows: int, at_once: bool = True) -> RecordingWriter:
        """Begin a recording in a folder, where there is none.

        Args:
            folder: Where `recording.zarr` is made.
            header: The recording's header.
            scenery: What pictures show.
            rows: How many rows are expected, the start included.
            at_once: Whether it is on disk before the first row; else the first flush makes it, which saves the first
                step of a run the third of a second that this takes.

        Raises:
            RecordingError: It cannot be written.
        """
        path = folder / layout.STORE
        chunk = layout.chunk_rows(header, rows)
        writer = cls(path, header, 0, chunk, lambda: new_group(path, header, scenery, rows, chunk))
        with _naming(path, 0):
            path.mkdir(parents=True, exist_ok=True)
            if at_once:
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
            chunk = group["time"].chunks[0]
            for name in [name for name in layout.SINCE if name not in group]:  # of an older version
                create_quantity(group, name, header, rows, chunk)
            writer = cls(path, header, rows, chunk, lambda: group)
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
        row = {}
        for name, blank in self._blank.items():
            row[name] = np.array(values.get(name, blank), dtype=float)
            if row[name].shape != blank.shape:
                shapes = f"shape {row[name].shape}, must be {blank.shape}"
                raise RecordingError(f"row {self.rows}: '{name}' has {shapes}")
        self._pending.append((row, contacts))
        self.rows += 1

    def flush(self) -> None:
        """Bring all rows to disk.

        Raises:
            RecordingError: They cannot be written; those on disk before are still there. Or the recording was deleted.
        """
        if self._made and not (self.path / "zarr.json").exists():
            raise RecordingError(f"recording {self.path} was deleted while it was written: its rows are lost")
        with _naming(self.path, self.flushed_rows):
            columns = self._columns
            while self._pending:
                self._store(*self._pending.pop(0))
            for column in columns.values():
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

    @cached_property
    def _group(self) -> Any:
        self._made = True
        return self._make()

    @cached_property
    def _columns(self) -> dict[str, Column]:
        """By the name of the array."""
        group, rows = self._group, self.rows - len(self._pending)
        with layout.writing_all_chunks():
            quantities = {name: Column(group[name], rows) for name in QUANTITIES}
            total = int(group[_ENDS][rows - 1]) if rows else 0
            contacts = {f"contacts/{name}": Column(group[f"contacts/{name}"], total) for name in layout.CONTACTS}
            return {**quantities, **contacts, _ENDS: Column(group[_ENDS], rows)}

    def _describe(self) -> None:
        """Write the description of the complete rows: header, number of rows, checksums."""
        columns = {name: column.description for name, column in self._columns.items()}
        self._group.attrs.put(layout.root_attributes(self.header, self.rows, columns))

    def _resize(self, rows: int) -> None:
        for name in (*QUANTITIES, _ENDS):
            column = self._columns[name]
            column.resize(max(rows, column.length))

    def _store(self, row: Mapping[str, NDArray[Any]], contacts: Contacts) -> None:
        """Put a row into the columns."""
        for name, value in row.items():
            self._columns[name].append(value[None])
        pairs = [[self._numbers[name] for name in pair] for pair in contacts.bodies]
        self._columns["contacts/points"].append(np.asarray(contacts.points))
        self._columns["contacts/forces"].append(np.asarray(contacts.forces))
        self._columns["contacts/bodies"].append(np.array(pairs, dtype=np.int32).reshape(-1, 2))
        self._columns[_ENDS].append(np.array([self._columns["contacts/points"].length]))


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
