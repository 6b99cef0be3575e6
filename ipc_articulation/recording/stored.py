"""The arrays and contacts of a recording on disk, read when they are asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

from numpy.typing import NDArray

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.recording.checked import CheckedGroup
from ipc_articulation.recording.contacts import Contacts
from ipc_articulation.recording.layout import CONTACT_CHUNK, CONTACTS
from ipc_articulation.recording.quantities import QUANTITIES


class LazyArrays(Mapping[str, Array]):
    """All quantities, each read when it is asked for."""

    def block(self, name: str, begin: int, end: int) -> Array:
        """Some rows of a quantity, (end - begin, ...); no more is kept in memory."""
        raise NotImplementedError

    def __iter__(self) -> Iterator[str]:
        return iter(QUANTITIES)

    def __len__(self) -> int:
        return len(QUANTITIES)


class StoredArrays(LazyArrays):
    """Quantities on disk; what was read once is kept."""

    def __init__(self, group: CheckedGroup) -> None:
        self._group = group
        self._read: dict[str, Array] = {}

    def __getitem__(self, name: str) -> Array:
        if name not in self._read:
            self._read[name] = self._group.quantity(name)
        return self._read[name]

    def block(self, name: str, begin: int, end: int) -> Array:
        """See `LazyArrays`."""
        return self._read[name][begin:end] if name in self._read else self._group.quantity(name, begin, end)


class StoredContacts(Mapping[int, Contacts]):
    """Contacts on disk, read chunk by chunk; the last chunks read are kept."""

    def __init__(self, group: CheckedGroup) -> None:
        self._group = group
        self._block: tuple[int, int, dict[str, NDArray[Any]]] = (0, 0, {})  # first, end, and what is between

    @cached_property
    def _ends(self) -> Ints:
        return self._group.contact_ends()

    def __getitem__(self, row: int) -> Contacts:
        begin, end = int(self._ends[row - 1]) if row else 0, int(self._ends[row])
        points, forces, bodies = (self._entries(name, begin, end) for name in ("points", "forces", "bodies"))
        names = self._group.header.contact_names
        return Contacts(points, forces, tuple((names[i], names[j]) for i, j in bodies))

    def _entries(self, name: str, begin: int, end: int) -> NDArray[Any]:
        first, last, arrays = self._block
        if begin < first or end > last or not arrays:
            first = begin - begin % CONTACT_CHUNK
            last = min(end + CONTACT_CHUNK - end % CONTACT_CHUNK, int(self._ends[-1]))
            arrays = {name: self._group.contacts(name, first, last) for name in CONTACTS}
            self._block = first, last, arrays
        return arrays[name][begin - first : end - first]

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self._ends)))

    def __len__(self) -> int:
        return len(self._ends)
