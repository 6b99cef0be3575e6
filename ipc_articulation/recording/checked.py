"""A recording on disk, read with every check: damage is named, never returned as numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.errors import NoRecordingError, RecordingError
from ipc_articulation.packages import is_file
from ipc_articulation.recording import layout
from ipc_articulation.recording.descriptions import (
    RootDescription,
    SceneryDescription,
    described,
    group_attributes,
)
from ipc_articulation.recording.quantities import QUANTITIES
from ipc_articulation.signals import interrupts_deferred


class CheckedGroup:
    """The Zarr group of a recording.

    Attributes:
        header: The recording's header.
        rows: Number of rows that are complete.
    """

    def __init__(self, folder: str | Path) -> None:
        """Open the recording of a folder, or `recording.zarr` itself.

        Raises:
            NoRecordingError: There is none.
            RecordingError: It is of a newer version, or damaged; names the file and what is wrong.
        """
        with interrupts_deferred:
            import zarr
        folder = Path(folder)
        self.path = folder if folder.name == layout.STORE else folder / layout.STORE
        if not is_file(self.path / "zarr.json"):
            raise NoRecordingError(
                f"no recording: {self.path / 'zarr.json'} is missing; give the folder that a run wrote"
            )
        attributes = group_attributes(self.path)
        _refuse_other_formats(self.path, attributes)
        root = described(RootDescription, attributes, self.path)
        self.header, self.rows, self._columns = root.header, root.rows, root.columns
        self._missing = {name for name, version in layout.SINCE.items() if attributes["version"] < version}
        self._has_checksums = attributes["version"] > 1
        self._root = zarr.open_group(self.path, mode="r")

    def require_rows(self, rows: int) -> None:
        """Check that all arrays exist and have this many rows.

        Raises:
            RecordingError: An array or a chunk is missing, has another shape, or there are fewer rows.
        """
        if rows > self.rows:
            raise RecordingError(f"recording {self.path} has {self.rows} rows, not {rows}")
        group_attributes(self.path / "contacts")
        for name in self._stored:
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
        for array in [self._quantity(name, rows) for name in self._stored]:
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
        end = self.rows if end is None else end
        if name in self._missing:
            return np.zeros((end - begin, *QUANTITIES[name].sizes(self.header.counts)))
        return self._read(self._quantity(name, self.rows), begin, end)

    @property
    def _stored(self) -> list[str]:
        return [name for name in QUANTITIES if name not in self._missing]

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
        array = self._array(f"contacts/{name}", end, shape, dtype)
        entries = self._read(array, begin, end)
        if name == "bodies" and not np.isin(entries, range(len(self.header.contact_names))).all():
            raise RecordingError(f"recording {layout.array_folder(array)} is damaged: it names unknown bodies")
        return entries

    def scenery(self) -> tuple[SceneryDescription, dict[str, NDArray[Any]]]:
        """Description and arrays of the scenery.

        Raises:
            RecordingError: It is damaged.
        """
        folder = self.path / "scenery"
        attributes = group_attributes(folder)
        _require_seal(folder, attributes)
        scenery = described(SceneryDescription, attributes, folder)
        self._columns.update(scenery.columns)
        shapes = {
            "vertices": ((3,), "f8", sum(scenery.vertex_counts)),
            "faces": ((3,), "i4", sum(scenery.face_counts)),
            "poses": ((4, 4), "f8", len(scenery.names)),
        }
        if scenery.soft:
            shapes["soft_vertices"] = ((3,), "f8", sum(soft.vertex_count for soft in scenery.soft))
            shapes["soft_cells"] = ((4,), "i4", sum(soft.cell_count for soft in scenery.soft))
        if any(soft.has_rest for soft in scenery.soft):
            shapes["soft_rest"] = ((3,), "f8", sum(soft.vertex_count for soft in scenery.soft))
        if scenery.visuals:
            shapes["visual_vertices"] = ((3,), "f4", sum(visual.vertex_count for visual in scenery.visuals))
            shapes["visual_faces"] = ((3,), "i4", sum(visual.face_count for visual in scenery.visuals))
        arrays = {name: self._array(f"scenery/{name}", n, shape, dtype) for name, (shape, dtype, n) in shapes.items()}
        return scenery, {name: self._read(array, 0, shapes[name][2]) for name, array in arrays.items()}

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
        known, chunk = self._columns.get(name), array.chunks[0]
        if known is None and self._has_checksums:
            raise RecordingError(f"recording {self.path / 'zarr.json'} is damaged: it has no checksums of '{name}'")
        if known and not length <= known.length <= chunk * len(known.checksums):
            entries = f"{known.length} entries of '{name}' with {len(known.checksums)} checksums, not {length}"
            raise RecordingError(f"recording {self.path / 'zarr.json'} is damaged: it has {entries}")
        chunks = range(-(-length // chunk) if np.prod(inner) else 0)
        missing = [file for file in (layout.chunk_file(array, index) for index in chunks) if not file.is_file()]
        if missing:
            raise RecordingError(f"recording {self.path} is damaged: {missing[0]} is missing")
        return array

    def _read(self, array: Any, begin: int, end: int) -> NDArray[Any]:
        """Entries of an array; every chunk that they are in is read whole and compared with its checksum."""
        known, chunk = self._columns.get(array.path), array.chunks[0]
        length = known.length if known else end
        first = begin - begin % chunk
        try:
            entries = array[first : max(end, min(-(-end // chunk) * chunk, length))]
        except Exception as error:  # whatever a codec makes of damaged bytes
            raise RecordingError(f"recording {_damaged_chunk(array, begin, end)} is damaged: {error}") from error
        if known:
            for index in range(first // chunk, -(-end // chunk)):
                whole = entries[index * chunk - first : (index + 1) * chunk - first]
                _compare(array, index, whole, known.checksums[index])
        return entries[begin - first : end - first]


def _compare(array: Any, index: int, entries: NDArray[Any], checksum: int) -> None:
    """Compare a chunk, by its index, with its checksum."""
    if layout.entries_checksum(entries) != checksum:
        file = layout.chunk_file(array, index)
        raise RecordingError(f"recording {file} is damaged: its content is not what was written")


def _refuse_other_formats(path: Path, attributes: dict[str, Any]) -> None:
    file = path / "zarr.json"
    if attributes.get("format") != layout.FORMAT:
        raise RecordingError(f"{file} is not of a recording: its 'format' is {attributes.get('format')!r}")
    version = attributes.get("version")
    if version not in layout.READABLE:
        newer = isinstance(version, int) and version > layout.VERSION
        advice = "; a newer ipc_articulation wrote it, update yours" if newer else ""
        readable = f"{layout.READABLE[0]} to {layout.READABLE[-1]}"
        raise RecordingError(f"recording {path} is of format version {version}, this reads {readable}{advice}")
    _require_seal(path, attributes)


def _require_seal(folder: Path, attributes: dict[str, Any]) -> None:
    if not layout.is_sealed(attributes):
        file = folder / "zarr.json"
        raise RecordingError(f"recording {file} is damaged: its attributes do not have the checksum that they name")


def _damaged_chunk(array: Any, begin: int, end: int) -> Path:
    """The first chunk file that cannot be read."""
    chunk = array.chunks[0]
    for index in range(begin // chunk, -(-end // chunk)):
        try:
            array[index * chunk : min((index + 1) * chunk, array.shape[0])]
        except Exception:
            return layout.chunk_file(array, index)
    return layout.array_folder(array)
