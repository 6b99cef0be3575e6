"""`export --format csv`: a recording as tables of numbers, one file each, for spreadsheets and pandas.

    joints.csv    of each joint position, velocity, motion of the step, contact force
    poses.csv     of each body position and quaternion
    steps.csv     smallest distance, Newton iterations, energies, times
    contacts.csv  a line a contact: bodies, point, force on the first
    forces.csv    a line a pair of bodies that touch: the sum of these forces
    soft.csv      a line a vertex of a soft body; only where asked for

The first column is the time; the environment comes before it where there are several. A cell is empty where nothing is
known. Rows are read and written in blocks.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.errors import RecordingError
from ipc_articulation.recording import Contacts, Recording
from ipc_articulation.recording.contacts import NO_CONTACTS
from ipc_articulation.recording.environments import ENVIRONMENTS, environment_of
from ipc_articulation.recording.header import JOINT_UNITS
from ipc_articulation.recording.quantities import QUANTITIES
from ipc_articulation.viewing.moments import last_row
from ipc_articulation.viewing.writing import writing

TABLES = ("joints", "poses", "steps", "contacts", "forces", "soft")
USUAL = TABLES[:-1]

_ROWS = 512  # in a block
_DIGITS = ".12g"
_XYZ = "xyz"
_JOINTS = ("theta", "theta_dot", "delta_theta", "delta_theta_tilde", "contact_force")
_UNITS = {"rad": ("rad", "rad/s", "rad", "rad", "N·m"), "m": ("m", "m/s", "m", "m", "N")}  # of `_JOINTS`
_STEPS = ("minimum_distance", "newton_iterations", "step_time", "energies", "stage_times")

_Lines = Iterator[tuple[int, list[Any]]]  # of a block: the row, and the cells behind the time


class _Table(NamedTuple):
    heads: Callable[[Recording], list[str]]
    lines: Callable[[_Reader, int, int], _Lines]


class _Reader:
    """Reads blocks of a recording; what is damaged is NaN or missing, and is told in `notes`."""

    def __init__(self, recording: Recording, notes: dict[str, int]) -> None:
        self.recording, self.notes, self.read = recording, notes, 0

    def block(self, name: str, begin: int, end: int) -> Array:
        """Rows of a quantity, flat: (end - begin, numbers)."""
        try:
            values = self.recording.block(name, begin, end)
            self.read += 1
        except RecordingError as error:
            self.notes.setdefault(f"{error}: {name} is empty there", begin)
            sizes = QUANTITIES[name].sizes(self.recording.header.counts)
            values = np.full((end - begin, *sizes), np.nan)
        return values.reshape(end - begin, -1)

    def contacts(self, row: int) -> Contacts:
        """Contacts of a row."""
        try:
            found = self.recording.contacts(row)
            self.read += 1
        except RecordingError as error:
            self.notes.setdefault(f"{error}: its contacts are missing", row)
            return NO_CONTACTS
        return found


def write_tables(
    recording: Recording,
    folder: Path,
    tables: Collection[str] = (),
    every: int = 1,
    environment: int | None = None,
    show: Callable[[int], None] = lambda done: None,
) -> list[str]:
    """Write tables of a recording.

    Args:
        recording: From `salvaged`: what cannot be read is left empty.
        folder: Where `NAME.csv` of each table goes.
        tables: Of `TABLES`; by default `USUAL`.
        every: Every so many rows one is written.
        environment: Of many environments the only one; by default all.
        show: Called with the number of rows that are done, of all tables together.

    Returns:
        What was written, and a note on each damaged part.

    Raises:
        OutputError: A file cannot be written.
        RecordingError: Nothing can be read, or there is no such environment.
        ViewingError: The recording is empty.
    """
    rows, notes, read, chosen = last_row(recording) + 1, dict[str, int](), 0, tables or USUAL
    count = recording.extra.get(ENVIRONMENTS) if environment is None else None
    numbers = [environment] if environment is not None else list(range(count or 0))
    parts = [environment_of(recording, number) for number in numbers] or [recording]
    labels = [[number] for number in numbers] if count else [[]]
    for at, name in enumerate(chosen):
        readers = [_Reader(part, notes) for part in parts]
        with writing(folder / f"{name}.csv"), (folder / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
            out = csv.writer(file)
            out.writerow([*(["environment"] if count else []), "time [s]", *_TABLES[name].heads(parts[0])])
            for begin in range(0, rows, _ROWS):
                end = min(begin + _ROWS, rows)
                for label, reader in zip(labels, readers, strict=True):
                    out.writerows(_block(reader, name, label, begin, end, every))
                show(at * rows + end)
        read += sum(reader.read for reader in readers)
    if not read:
        raise RecordingError(next(iter(notes)))
    planned = recording.extra.get("planned_steps", 0)
    ends = [f"the run took {recording.steps} of {planned} steps"] if recording.steps < planned else []
    return [f"{folder}: {', '.join(f'{name}.csv' for name in chosen)}", *ends, *notes]


def _block(reader: _Reader, name: str, label: list[int], begin: int, end: int, every: int) -> Iterator[list[Any]]:
    """Lines of a table as texts."""
    times = reader.block("time", begin, end)[:, 0]
    for row, cells in _TABLES[name].lines(reader, begin, end):
        if row % every == 0:
            yield [*label, *map(_text, (times[row - begin], *cells))]


def _text(value: Any) -> Any:
    return value if isinstance(value, str | int) else "" if np.isnan(value) else format(value, _DIGITS)


def _wide(*names: str) -> Callable[[_Reader, int, int], _Lines]:
    """Lines with all numbers of some quantities."""

    def lines(reader: _Reader, begin: int, end: int) -> _Lines:
        blocks = np.hstack([reader.block(name, begin, end) for name in names])
        yield from enumerate(blocks.tolist(), begin)

    return lines


def _joint_heads(recording: Recording) -> list[str]:
    units = recording.extra.get(JOINT_UNITS) or {}
    return [
        f"{name}[{joint}] [{_UNITS[units[joint]][k] if joint in units else QUANTITIES[name].unit}]"
        for k, name in enumerate(_JOINTS)
        for joint in recording.joint_names
    ]


def _step_heads(recording: Recording) -> list[str]:
    named = recording.header.dimensions
    return [
        f"{name}{entry} [{QUANTITIES[name].unit}]"
        for name in _STEPS
        for entry in ([f"[{one}]" for one in named[str(QUANTITIES[name].shape[0])]] if QUANTITIES[name].shape else [""])
    ]


def _poses(reader: _Reader, begin: int, end: int) -> _Lines:
    from scipy.spatial.transform import Rotation

    poses = reader.block("body_poses", begin, end).reshape(-1, 4, 4)
    known = np.isfinite(poses).all(axis=(1, 2))
    numbers = np.full((len(poses), 7), np.nan)
    numbers[known, :3] = poses[known, :3, 3]
    if known.any():
        numbers[known, 3:] = Rotation.from_matrix(poses[known, :3, :3]).as_quat(scalar_first=True)
    yield from enumerate(numbers.reshape(end - begin, -1).tolist(), begin)


def _pose_heads(recording: Recording) -> list[str]:
    parts = [f"position[{{}}].{axis} [m]" for axis in _XYZ] + [f"quaternion[{{}}].{part}" for part in "wxyz"]
    return [part.format(name) for name in recording.body_names for part in parts]


def _contacts(reader: _Reader, begin: int, end: int) -> _Lines:
    for row in range(begin, end):
        found = reader.contacts(row)
        for pair, point, force in zip(found.bodies, found.points.tolist(), found.forces.tolist(), strict=True):
            yield row, [*pair, *point, *force]


def _forces(reader: _Reader, begin: int, end: int) -> _Lines:
    for row in range(begin, end):
        for pair, force in reader.contacts(row).by_pair().items():
            yield row, [*pair, *force.tolist()]


def _soft(reader: _Reader, begin: int, end: int) -> _Lines:
    slices = reader.recording.header.soft_slices
    for row, positions in enumerate(reader.block("soft_positions", begin, end), begin):
        points = positions.reshape(-1, 3).tolist()
        for name, own in slices.items():
            for vertex, point in enumerate(points[own]):
                yield row, [name, vertex, *point]


def _long(*heads: str) -> Callable[[Recording], list[str]]:
    return lambda recording: list(heads)


_PAIR = ("first", "second")
_FORCE = tuple(f"force on first.{axis} [N]" for axis in _XYZ)
_POINT = tuple(f"position.{axis} [m]" for axis in _XYZ)
_TABLES: dict[str, _Table] = {
    "joints": _Table(_joint_heads, _wide(*_JOINTS)),
    "poses": _Table(_pose_heads, _poses),
    "steps": _Table(_step_heads, _wide(*_STEPS)),
    "contacts": _Table(_long(*_PAIR, *_POINT, *_FORCE), _contacts),
    "forces": _Table(_long(*_PAIR, *_FORCE), _forces),
    "soft": _Table(_long("body", "vertex", *_POINT), _soft),
}
