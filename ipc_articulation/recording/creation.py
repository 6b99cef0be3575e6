"""Makes the arrays of a new recording."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ipc_articulation.recording import layout
from ipc_articulation.recording.header import Header
from ipc_articulation.recording.quantities import QUANTITIES
from ipc_articulation.recording.scenery import Scenery
from ipc_articulation.recording.scenery_files import write_scenery
from ipc_articulation.signals import interrupts_deferred


def new_group(path: Path, header: Header, scenery: Scenery, rows: int, chunk: int) -> Any:
    """The Zarr group of a recording without rows.

    Args:
        path: Its folder, which is there and empty.
        header: The recording's header.
        scenery: What pictures show.
        rows: How many rows are expected.
        chunk: Rows of a chunk.

    Raises:
        OSError: It cannot be written.
    """
    with interrupts_deferred:
        import zarr
    group = zarr.create_group(path, zarr_format=3)
    for name in QUANTITIES:
        create_quantity(group, name, header, rows, chunk)
    contacts = group.create_group("contacts")
    layout.create_array(contacts, "end", (rows,), "i8", chunk, ("row",))
    for name, (shape, dtype) in layout.CONTACTS.items():
        dimensions = ("contact", *(f"{name}_{letter}" for letter in "i"[: len(shape)]))
        layout.create_array(contacts, name, (0, *shape), dtype, layout.CONTACT_CHUNK, dimensions)
    write_scenery(group.create_group("scenery"), scenery)
    return group


def create_quantity(group: Any, name: str, header: Header, rows: int, chunk: int) -> None:
    """Make the array of a quantity."""
    q = QUANTITIES[name]
    attributes, dimensions = {"unit": q.unit, "meaning": q.meaning}, layout.dimension_names(name)
    layout.create_array(group, name, (rows, *q.sizes(header.counts)), "f8", chunk, dimensions, attributes)
