"""A recording on disk, read with every check: damage is named, never returned as numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.errors import RecordingError
from ipc_articulation.recording import layout
from ipc_articulation.recording.header import Header
from ipc_articulation.recording.quantities import QUANTITIES


class CheckedGroup:
    """The Zarr group of a recording.

    Attributes:
        header: The recording's header.
        rows: Number of rows that are complete.
    """

    def __init__(self, folder: str | Path) -> None:
        """Open the recording of a folder, or `recording.zarr` itself.

        Raises:
            RecordingError: There is none, it is of a newer version, or damaged; names the file and what is wrong.
        """
        folder = Path(folder)
        self.path = folder if folder.name == layout.STORE else folder / layout.STORE
        self._root = _open(self.path)
        attributes = self._root.attrs.asdict()
        _refuse_other_formats(self.path, attributes)
        try:
            self.header, self.rows = Header.from_dict(attributes["header"]), int(attributes["rows"])
            self._columns = {} if attributes["version"] == 1 else attributes["columns"]
        except (KeyError, TypeError) as error:
            raise RecordingError(f"recording {self.path / 'zarr.json'} is damaged: {error} is missing") from error

    def require_rows(self, rows: int) -> None:
        """See that the arrays are all there, and hold this many rows.

        Raises:
            RecordingError: An array or a chunk is missing, has another shape, or there are fewer rows.
        """
        if rows > self.rows:
            raise RecordingError(f"recording {self.path} has {self.rows} rows, not {rows}")
        for name in QUANTITIES:
            self._quantity(name, rows)
        ends = self._array("contacts/end", rows, (), "i8")
        total = int(self._read(ends, rows - 1, rows)[0]) if rows else 0
        for name, (shape, dtype) in layout.CONTACTS.items():
            self._array(f"contacts/{name}", total, shape, dtype)

    def verify(self, rows: int) -> None:
        """Read every chunk of this many rows.

        Raises:
            RecordingError: One is missing or damaged, or there are fewer rows.
        """
        self.require_rows(rows)
        for array in [self._quantity(name, rows) for name in QUANTITIES]:
            for begin in range(0, rows, array.chunks[0]):
                self._read(array, begin, min(begin + array.chunks[0], rows))
        total = int(self.contact_ends()[rows - 1]) if rows else 0
        for name in layout.CONTACTS:
            for begin in range(0, total, layout.CONTACT_CHUNK):
                self.contacts(name, begin, min(begin + layout.CONTACT_CHUNK, total))

    def quantity(self, name: str, begin: int = 0, end: int | None = None) -> Array:
        """Complete rows of a quantity, all of them by default.

        Raises:
            RecordingError: A chunk is damaged.
        """
        return self._read(self._quantity(name, self.rows), begin, self.rows if end is None else end)

    def contact_ends(self) -> Ints:
        """Where each row's contacts end, (rows,).

        Raises:
            RecordingError: A chunk is damaged.
        """
        return self._read(self._array("contacts/end", self.rows, (), "i8"), 0, self.rows)

    def contacts(self, name: str, begin: int, end: int) -> NDArray[Any]:
        """Entries of an array of `layout.CONTACTS`.

        Raises:
            RecordingError: A chunk is damaged.
        """
        shape, dtype = layout.CONTACTS[name]
        return self._read(self._array(f"contacts/{name}", end, shape, dtype), begin, end)

    def scenery(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Attributes and arrays of the scenery.

        Raises:
            RecordingError: It is damaged.
        """
        place = self.path / "scenery"
        group = self._member("scenery")
        if group is None or not layout.is_sealed(group.attrs.asdict()):
            raise RecordingError(f"recording {place / 'zarr.json'} is missing or damaged")
        attributes, arrays = group.attrs.asdict(), {}
        self._columns.update(attributes.get("columns", {}))
        for name, (shape, dtype, count) in _scenery_shapes(attributes).items():
            array = self._array(f"scenery/{name}", count, shape, dtype)
            arrays[name] = self._read(array, 0, count)
        return attributes, arrays

    def _member(self, name: str) -> Any:
        """An array or a group, None where there is none."""
        try:
            return self._root.get(name)
        except Exception as error:  # whatever zarr makes of a damaged description
            raise RecordingError(f"recording {self.path / name / 'zarr.json'} is damaged: {error}") from error

    def _quantity(self, name: str, rows: int) -> Any:
        return self._array(name, rows, QUANTITIES[name].sizes(self.header.counts), "f8")

    def _array(self, name: str, length: int, inner: tuple[int, ...], dtype: str) -> Any:
        """An array, with at least this length, of this shape and type, and all its chunk files there."""
        array, place = self._member(name), self.path / name
        if array is None:
            raise RecordingError(f"recording {self.path} has no array '{name}': {place / 'zarr.json'} is missing")
        if array.attrs.get("checksum") != layout.description_checksum(array):
            raise RecordingError(f"recording {place / 'zarr.json'} is damaged: it does not have its checksum")
        if array.shape[1:] != inner or array.shape[0] < length or array.dtype != np.dtype(dtype):
            found, wanted = f"{array.dtype} {array.shape}", f"{np.dtype(dtype)} {(length, *inner)}"
            raise RecordingError(f"recording {place / 'zarr.json'} is damaged: the array is {found}, not {wanted}")
        chunks = range(-(-length // array.chunks[0]) if np.prod(inner) else 0)
        missing = [file for file in (layout.chunk_file(array, index) for index in chunks) if not file.is_file()]
        if missing:
            raise RecordingError(f"recording {self.path} is damaged: {missing[0]} is missing")
        return array

    def _read(self, array: Any, begin: int, end: int) -> NDArray[Any]:
        """Entries of an array; every chunk that they are in is read whole and compared with its checksum."""
        described = self._columns.get(array.path)
        chunk, length = array.chunks[0], described["length"] if described else end
        first = begin - begin % chunk
        try:
            entries = array[first : max(end, min(-(-end // chunk) * chunk, length))]
        except Exception as error:  # whatever a codec makes of damaged bytes
            raise RecordingError(f"recording {_damaged_chunk(array, begin, end)} is damaged: {error}") from error
        if described:
            for index in range(first // chunk, -(-end // chunk)):
                whole = entries[index * chunk - first : (index + 1) * chunk - first]
                _compare(array, index, whole, described["checksums"][index])
        return entries[begin - first : end - first]


def _compare(array: Any, index: int, entries: NDArray[Any], checksum: int) -> None:
    """Compare a chunk, by its index, with its checksum."""
    if layout.entries_checksum(entries) != checksum:
        file = layout.chunk_file(array, index)
        raise RecordingError(f"recording {file} is damaged: it holds something else than was written there")


def _open(path: Path) -> Any:
    import zarr

    if not (path / "zarr.json").is_file():
        raise RecordingError(f"no recording: {path / 'zarr.json'} is missing; give the folder that a run wrote")
    try:
        return zarr.open_group(path, mode="r")
    except Exception as error:
        raise RecordingError(f"recording {path / 'zarr.json'} is damaged: {error}") from error


def _refuse_other_formats(path: Path, attributes: dict[str, Any]) -> None:
    file = path / "zarr.json"
    if attributes.get("format") != layout.FORMAT:
        raise RecordingError(f"{file} is not of a recording: its 'format' is {attributes.get('format')!r}")
    version = attributes.get("version")
    if version not in layout.READABLE:
        newer = isinstance(version, int) and version > layout.VERSION
        advice = "; a newer ipc_articulation wrote it, update yours" if newer else ""
        readable = " and ".join(map(str, layout.READABLE))
        raise RecordingError(f"recording {path} is of format version {version}, this reads {readable}{advice}")
    if not layout.is_sealed(attributes):
        raise RecordingError(f"recording {file} is damaged: its attributes do not have the checksum that they name")


def _scenery_shapes(attributes: dict[str, Any]) -> dict[str, tuple[tuple[int, ...], str, int]]:
    bodies = len(attributes["names"])
    return {
        "vertices": ((3,), "f8", sum(attributes["vertex_counts"])),
        "faces": ((3,), "i4", sum(attributes["face_counts"])),
        "poses": ((4, 4), "f8", bodies),
    }


def _damaged_chunk(array: Any, begin: int, end: int) -> Path:
    """The first chunk file that cannot be read."""
    chunk = array.chunks[0]
    for index in range(begin // chunk, -(-end // chunk)):
        try:
            array[index * chunk : min((index + 1) * chunk, array.shape[0])]
        except Exception:
            return layout.chunk_file(array, index)
    return layout.array_folder(array)
