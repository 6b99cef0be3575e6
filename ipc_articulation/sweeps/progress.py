"""The progress bar of a sweep."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ipc_articulation.progress import progress as bar
from ipc_articulation.sweeps.record import Record


@contextmanager
def progress(name: str, total: int, before: int, quiet: bool) -> Iterator[Callable[[Record], None]]:
    """Show a bar, as `ipc_articulation.progress`, with the number of failed runs.

    Args:
        name: Name of the sweep.
        total: Number of runs.
        before: Number of runs that were done before.
        quiet: Show nothing.

    Yields:
        A function to call with each record.
    """
    statuses: list[str] = []

    def failed(done: int, seconds: float) -> str:
        count = sum(status != "done" for status in statuses)
        return f"[red]{count} failed" if count else ""

    with bar(name, total, quiet, before, failed) as show:

        def add(record: Record) -> None:
            statuses.append(record.status)
            show(before + len(statuses))

        yield add
