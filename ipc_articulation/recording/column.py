"""An array on disk that grows along its first dimension."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ipc_articulation.recording.layout import entries_checksum


class Column:
    """Appends to a Zarr array; rows that are not on disk yet, and the other rows of their chunk, are kept in memory."""

    def __init__(self, array: Any, length: int = 0) -> None:
        """Continue after the first `length` entries of an array."""
        self.array, self.length = array, length
        self._chunk = array.chunks[0]
        self._begin = length - length % self._chunk  # where the chunk begins that is not full
        self._tail: list[NDArray[Any]] = [array[self._begin : length]] if length > self._begin else []
        self._is_clean = True
        starts = range(0, length, self._chunk)
        self._checksums = [entries_checksum(array[k : min(k + self._chunk, length)]) for k in starts]

    @property
    def description(self) -> dict[str, Any]:
        """Number of entries on disk, and the checksum of each chunk."""
        return {"length": self.length, "checksums": self._checksums}

    def append(self, values: NDArray[Any]) -> None:
        """Add entries, (k, ...)."""
        if len(values):
            self._tail.append(np.asarray(values, dtype=self.array.dtype))
            self.length += len(values)
            self._is_clean = False

    def flush(self) -> None:
        """Bring everything to disk, the last chunk as far as it goes; each chunk file is replaced as a whole."""
        if self._is_clean:
            return
        if self.array.shape[0] < self.length:
            self.resize(self.length)
        values = np.concatenate(self._tail)
        self.array[self._begin : self.length] = values
        starts = range(0, len(values), self._chunk)
        written = [entries_checksum(values[k : k + self._chunk]) for k in starts]
        self._checksums[self._begin // self._chunk :] = written
        full = len(values) - len(values) % self._chunk
        self._begin, self._tail = self._begin + full, [values[full:]]
        self._is_clean = True

    def resize(self, length: int) -> None:
        """Make the array on disk so long."""
        if length != self.array.shape[0]:
            self.array.resize((length, *self.array.shape[1:]))
