"""The progress bar of a sweep."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ipc_articulation.sweeps.record import Record


@contextmanager
def progress(name: str, total: int, before: int, quiet: bool) -> Iterator[Callable[[Record], None]]:
    """A bar on the terminal; gives a function to call with each record.

    Nothing is drawn when `quiet`, or when standard error is no terminal.

    Args:
        name: Of the sweep.
        total: Number of runs.
        before: How many of them were done before.
        quiet: Show nothing.
    """
    if quiet or not sys.stderr.isatty():
        yield lambda record: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn(name),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[trouble]}"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), refresh_per_second=4) as bar:
        task = bar.add_task(name, total=total, completed=before, trouble="")
        troubled = 0

        def show(record: Record) -> None:
            nonlocal troubled
            troubled += record.status != "done"
            bar.update(task, advance=1, trouble=f"[red]{troubled} failed" if troubled else "")

        yield show
