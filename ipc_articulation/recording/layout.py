"""Layout of a recording on disk: a Zarr v3 group, `NAME/recording.zarr`.

    zarr.json             format, version, rows that are complete, the header, and a checksum of all that
    theta/, time/, ...    one array per quantity, (rows, ...); rows beyond the complete ones are not valid
    contacts/             points, forces (k, 3), bodies (k, 2); end (rows,): contacts end[r-1] to end[r] are row r's
    scenery/              surfaces and half-planes, see `scenery_files`

Each array is a folder with `zarr.json` and one file per chunk. A chunk file is replaced as a whole (Zarr writes a draft
and renames it) and ends with its CRC-32C; chunks of all quantities have the same rows. The row count grows only after
all arrays have the rows, so rows below it are always complete, even if the writer was killed. Together with the row
count, the group stores for every array and chunk the CRC-32 of the complete entries in it (`columns`): a chunk file is
valid in its own place only. Version 1 did not have these checksums; version 2 had no visual surfaces; version 3 had no
soft bodies.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ipc_articulation.recording.header import Header
from ipc_articulation.recording.quantities import QUANTITIES

STORE = "recording.zarr"
FORMAT, VERSION = "ipc_articulation recording", 4
READABLE = (1, 2, 3, 4)  # versions

SINCE = {"soft_positions": 4}  # versions before which there was no such quantity

CONTACTS = {
    "points": ((3,), "f4"),  # [m]
    "forces": ((3,), "f4"),  # [N]
    "bodies": ((2,), "i4"),  # indices into the header's contact_names
}
CONTACT_CHUNK = 8192  # contacts

_CHUNK_BYTES = 4 << 20  # of the widest quantity
_LEAST_ROWS = 16  # of a chunk, however wide


def chunk_rows(header: Header, rows: int) -> int:
    """Rows of a chunk: all of a short run, else as many as fill some megabytes of the widest quantity."""
    widest = max(8 * int(np.prod(quantity.sizes(header.counts))) for quantity in QUANTITIES.values())
    return min(rows, max(_CHUNK_BYTES // widest, _LEAST_ROWS))


def create_array(
    group: Any,
    name: str,
    shape: tuple[int, ...],
    dtype: DTypeLike,
    chunk: int,
    dimensions: tuple[str, ...],
    attributes: Mapping[str, str] | None = None,
) -> Any:
    """A Zarr array chunked along its first dimension, compressed, with a checksum a chunk."""
    from zarr.codecs import Crc32cCodec, ZstdCodec

    dtype = np.dtype(dtype)
    array = group.create_array(
        name,
        shape=shape,
        dtype=dtype,
        chunks=(max(chunk, 1), *(max(size, 1) for size in shape[1:])),
        compressors=[ZstdCodec(level=1), Crc32cCodec()],
        fill_value=np.nan if dtype.kind == "f" else 0,
        chunk_key_encoding={"name": "default", "separator": "."},  # a file a chunk in the array's own folder
        dimension_names=dimensions,
        attributes=dict(attributes or {}),
    )
    array.attrs["checksum"] = description_checksum(array)
    return array


def description_checksum(array: Any) -> str:
    """CRC-32 of the content of an array's `zarr.json` without its length, which grows; of a group's it is another."""
    content = json.loads((array_folder(array) / "zarr.json").read_text(encoding="utf-8"))
    content.pop("shape", None)
    content.get("attributes", {}).pop("checksum", None)
    return _checksum(content)


def array_folder(array: Any) -> Path:
    """Where an array is."""
    return Path(array.store.root) / array.path


def writing_all_chunks() -> AbstractContextManager[Any]:
    """Arrays opened inside it write chunks of nothing but NaN too; otherwise they look like missing ones."""
    import zarr

    return zarr.config.set({"array.write_empty_chunks": True})


def dimension_names(name: str) -> tuple[str, ...]:
    """Of a quantity's array, for xarray."""
    inner = QUANTITIES[name].shape
    return ("row", *(size if isinstance(size, str) else ("i", "j")[k - 1] for k, size in enumerate(inner)))


def chunk_file(array: Any, index: int) -> Path:
    """Where chunk `index` along the first dimension is."""
    return array_folder(array) / ".".join(["c", str(index), *["0"] * (array.ndim - 1)])


def root_attributes(header: Header, rows: int, columns: Mapping[str, Any]) -> dict[str, Any]:
    """Attributes of the group when so many rows are complete.

    Args:
        header: The recording's header.
        rows: Number of complete rows.
        columns: For each array its number of complete entries and the checksum of each chunk.
    """
    content = {"format": FORMAT, "version": VERSION, "rows": rows, "header": asdict(header), "columns": columns}
    return sealed(content)


def entries_checksum(entries: NDArray[Any]) -> int:
    """CRC-32 of the entries of one chunk."""
    return zlib.crc32(np.ascontiguousarray(entries).tobytes())


def sealed(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """Attributes with the checksum of their canonical form."""
    return {**attributes, "checksum": _checksum(attributes)}


def is_sealed(attributes: Mapping[str, Any]) -> bool:
    """Whether the attributes are unchanged since they were sealed."""
    content = {key: value for key, value in attributes.items() if key != "checksum"}
    return attributes.get("checksum") == _checksum(content)


def _checksum(content: Mapping[str, Any]) -> str:
    return f"{zlib.crc32(json.dumps(content, sort_keys=True).encode()):08x}"
