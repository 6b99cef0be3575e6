"""The finished runs of a sweep's folder, for whoever looks at them: those of all commands that worked in it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ipc_articulation.errors import SweepError
from ipc_articulation.sweeps.folder import ABOUT
from ipc_articulation.sweeps.record import RUNS, Record, read_record
from ipc_articulation.sweeps.table import DRAW, make_table, require_table_packages

if TYPE_CHECKING:
    import pandas


class Finished(NamedTuple):
    """Runs in the order of their settings."""

    folder: Path  # of the sweep
    table: pandas.DataFrame  # see `table`
    varied: tuple[str, ...]  # settings and draws with several values
    outcomes: tuple[str, ...]  # columns of numbers that runs gave
    notes: tuple[str, ...]  # on records that cannot be read


def is_sweep(folder: Path) -> bool:
    """Whether a folder is that of a sweep."""
    return (folder / ABOUT).is_file()


def finished(folder: Path) -> Finished:
    """Read the records of all finished runs.

    Raises:
        MissingPackageError: The extra `data` is missing.
        SweepError: There is none that can be read.
    """
    require_table_packages()
    records, notes = list[Record](), list[str]()
    for file in sorted((folder / RUNS).glob("[!.]*.json")):
        try:
            records.append(read_record(file))
        except SweepError as error:
            notes.append(f"left out: {error}")
    if not records:
        raise SweepError(notes[0] if notes else f"{folder} has no finished run yet")
    keys = dict.fromkeys(key for record in records for key in record.settings)
    records.sort(key=lambda record: [_order(record.settings.get(key)) for key in keys])
    inputs = [*keys, *dict.fromkeys(f"{DRAW}{name}" for record in records for name in record.draws)]
    table = make_table(records)
    outcomes = dict.fromkeys(name for record in records for name in record.numbers)
    varied = tuple(key for key in inputs if table[key].map(json.dumps).nunique() > 1)
    return Finished(folder, table, varied, (*outcomes, "wall_time"), tuple(notes))


def _order(value: Any) -> tuple[bool, float, str]:
    """Numbers by size, before all else by its text."""
    is_number = isinstance(value, int | float)
    return not is_number, float(value) if is_number else 0.0, json.dumps(value)
