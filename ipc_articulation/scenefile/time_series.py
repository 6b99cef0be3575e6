"""Numbers over time from a CSV, NPZ or OpenSim's MOT or STO file: `time` and a column a joint, by its name."""

from __future__ import annotations

import csv
import zipfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.errors import SceneFileError
from ipc_articulation.naming import suggest

TIME = "time"
OPENSIM = (".mot", ".sto")


@dataclass(frozen=True)
class TimeSeries:
    """n rows in order of time."""

    times: Array  # (n,) [s], strictly increasing, not negative
    columns: tuple[str, ...]
    values: Array  # (n, len(columns))
    in_degrees: bool = False  # those that are angles


def read_time_series(file: Path) -> TimeSeries:
    """Read a file: CSV with a row of names above the numbers, NPZ with an array (n,) a name and nothing pickled.

    A MOT or STO file of OpenSim has such rows below `endheader`, with blanks for commas. `/jointset/knee/angle/value`
    is the column `angle`; speeds and what else has a path are left out.

    Raises:
        SceneFileError: With the file and, in CSV, row and column of what is missing, no number, not finite, or not in
            order.
    """
    suffix, in_degrees = file.suffix.lower(), False
    if suffix == ".csv":
        names, values, lines = _read_csv(file)
    elif suffix == ".npz":
        names, values, lines = *_read_npz(file), None
    elif suffix in OPENSIM:
        names, values, lines, in_degrees = _read_mot(file)
    else:
        raise SceneFileError(
            f"a time series must be a .csv, .npz, .mot or .sto file; this one ends in '{file.suffix}'", file
        )
    if TIME not in names:
        raise SceneFileError(f"there is no column '{TIME}'{suggest(TIME, names, 'columns')}", file)
    kept = {n.split("/")[-2] if n.endswith("/value") else n: k for k, n in enumerate(names) if _is_position(n)}
    if not kept:
        raise SceneFileError(f"there is no other column than '{TIME}'; each is named after a joint", file)
    at = names.index(TIME)
    for fault in (_not_finite(names, values), _not_in_order(values[:, at], at)):
        if fault is not None:
            message, row, column = fault
            raise SceneFileError(message, file, *((lines[row], column + 1) if lines else ()))
    return TimeSeries(values[:, at], tuple(kept), values[:, list(kept.values())], in_degrees)


def _is_position(name: str) -> bool:
    """Whether a column has targets; OpenSim's other states have paths too."""
    return name != TIME and ("/" not in name or name.endswith("/value"))


def _read_csv(file: Path) -> tuple[list[str], Array, list[int]]:
    """Names, numbers, and the line of each row."""
    try:
        with file.open(newline="", encoding="utf-8-sig") as text:
            reader = csv.reader(text)
            rows = [(reader.line_num, row) for row in reader if row]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise SceneFileError(f"cannot be read as CSV: {error}", file) from error
    return _table(file, rows)


def _read_mot(file: Path) -> tuple[list[str], Array, list[int], bool]:
    """What `_read_csv` gives, and whether angles are in degrees."""
    try:
        text = file.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise SceneFileError(f"cannot be read as MOT: {error}", file) from error
    end = next((k for k, line in enumerate(text, start=1) if line.strip() == "endheader"), 0)
    if not end:
        raise SceneFileError("there is no line 'endheader' between header and numbers", file)
    rows = [(end + k, line.split()) for k, line in enumerate(text[end:], start=1) if line.strip()]
    return *_table(file, rows), _in_degrees(file, text[:end])


def _in_degrees(file: Path, header: list[str]) -> bool:
    """What the header of a MOT or STO file says of angles; OpenSim takes the first letter for the word."""
    for number, line in enumerate(header, start=1):
        key, _, value = line.partition("=")
        if key.strip().lower() == "indegrees":
            if value.strip().lower() not in ("yes", "y", "no", "n"):
                raise SceneFileError(f"inDegrees is '{value.strip()}'; it must be yes or no", file, number, 1)
            return value.strip().lower().startswith("y")
    return False


def _table(file: Path, rows: list[tuple[int, list[str]]]) -> tuple[list[str], Array, list[int]]:
    """Names, numbers, and the line of each row, from rows of text with their lines."""
    if len(rows) < 2:
        raise SceneFileError("a row of column names and at least one row of numbers are needed", file)
    names = [name.strip() for name in rows[0][1]]
    for column, name in enumerate(names):
        if name in names[:column]:
            raise SceneFileError(f"column '{name}' is repeated", file, rows[0][0], column + 1)
    lines = [line for line, _ in rows[1:]]
    return names, np.array([_numbers(file, line, names, row) for line, row in rows[1:]]), lines


def _numbers(file: Path, line: int, names: list[str], row: list[str]) -> list[float]:
    if len(row) != len(names):
        raise SceneFileError(f"{len(row)} entries, must be {len(names)}: {', '.join(names)}", file, line, 1)
    numbers = []
    for column, (name, text) in enumerate(zip(names, row, strict=True), start=1):
        try:
            numbers.append(float(text))
        except ValueError:
            raise SceneFileError(f"column '{name}' must be a number, got '{text}'", file, line, column) from None
    return numbers


def _read_npz(file: Path) -> tuple[list[str], Array]:
    try:
        loaded = np.load(file, allow_pickle=False)
        if isinstance(loaded, np.ndarray):
            raise ValueError("it is an NPY file, one array without a name")
        with loaded as arrays:
            columns = {name: np.asarray(arrays[name]) for name in arrays.files}
    except (OSError, ValueError, zipfile.BadZipFile) as error:
        raise SceneFileError(f"cannot be read as NPZ: {error}", file) from error
    rows = len(columns.get(TIME, ()))
    for name, column in columns.items():
        if column.shape != (rows,) or column.dtype.kind not in "fiu":
            got = f"shape {column.shape} of {column.dtype}"
            raise SceneFileError(f"array '{name}' must be {rows} numbers, as many as '{TIME}', got {got}", file)
    if TIME in columns and not rows:
        raise SceneFileError("there is no row", file)
    return list(columns), np.array(list(columns.values()), dtype=float).T


Fault = tuple[str, int, int]  # message, row and column of the numbers, from 0


def _not_finite(names: list[str], values: Array) -> Fault | None:
    for row, column in np.argwhere(~np.isfinite(values)).tolist():
        message = f"column '{names[column]}' is {values[row, column]} in row {row + 1} of numbers; all must be finite"
        return message, row, column
    return None


def _not_in_order(times: Array, column: int) -> Fault | None:
    if times[0] < 0.0:
        return f"'{TIME}' begins at {times[0]:g} s; it must be 0 or later", 0, column
    for row in (np.flatnonzero(np.diff(times) <= 0.0) + 1).tolist():
        message = f"'{TIME}' goes up, but {times[row]:g} s follows {times[row - 1]:g} s in row {row + 1} of numbers"
        return message, row, column
    return None
