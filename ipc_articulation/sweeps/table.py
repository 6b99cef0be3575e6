"""The table of a sweep: a row a run, in the order of the product of the values.

    id, status, error_class, error          which run, and how it ended
    the settings, by their dotted paths     lists as lists, values of different types as JSON
    wall_time, steps_taken, ...             see `record.numbers_of`; NaN where a run did not get so far
    draw.NAME                               random values that the scene drew
    folder                                  of its recording, from the table's own folder

A column that no run has a value for is not there.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ipc_articulation.extras import need
from ipc_articulation.sweeps.record import RUNS, Record, write_whole

if TYPE_CHECKING:
    import pandas


DRAW = "draw."  # before the names of random values


def require_table_packages() -> None:
    """Find out before the first run, not after the last.

    Raises:
        MissingPackageError: A package is not installed that writes tables.
    """
    need("pandas")
    need("pyarrow")


def make_table(records: Sequence[Record]) -> pandas.DataFrame:
    """The table of these records, in their order."""
    pandas = need("pandas")
    rows = [_row(record) for record in records]
    columns = dict.fromkeys(key for row in rows for key in row)
    table = pandas.DataFrame({key: _alike([row.get(key) for row in rows]) for key in columns})
    return table[[*(key for key in columns if key != "folder"), "folder"]] if rows else table


def write_table(table: pandas.DataFrame, file: Path) -> None:
    """Write it as Parquet; whoever reads the file meanwhile sees the former one whole.

    Raises:
        SweepError: It cannot be written, as on a full disk.
    """
    write_whole(file, table.to_parquet(index=False))


def _row(record: Record) -> dict[str, Any]:
    return {
        "id": record.id,
        "status": record.status,
        "error_class": record.error_class,
        "error": record.error,
        **record.settings,
        "wall_time": record.wall_time,
        **record.numbers,
        **{f"{DRAW}{name}": value for name, value in record.draws.items()},
        "folder": f"{RUNS}/{record.name}",
    }


def _alike(column: list[Any]) -> list[Any]:
    """A column of one type, as Parquet has them: where values differ in kind, all of them as JSON."""
    kinds = {_kind(value) for value in column if value is not None}
    return column if len(kinds) < 2 and kinds != {"other"} else [json.dumps(value) for value in column]


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, float) or (isinstance(value, int) and -(2**63) <= value < 2**63):
        return "number"
    if isinstance(value, str):
        return "text"
    if isinstance(value, list) and value and all(_kind(part) == "number" for part in value):
        return "numbers"
    return "other"
