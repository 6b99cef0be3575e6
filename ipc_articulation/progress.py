"""A progress bar on the terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter

_INTERVAL = 0.1  # seconds between two drawings of the bar


def speed(done: int, seconds: float) -> str:
    """The speed of a run, for the bar's note."""
    return f"{done / seconds:.0f} steps/s"


@contextmanager
def progress(
    name: str, total: int, quiet: bool, before: int = 0, note: Callable[[int, float], str] = speed
) -> Iterator[Callable[[int], None]]:
    """Show a bar while the block runs; nothing when `quiet`, or when standard error is no terminal.

    Args:
        name: Shown before the bar.
        total: Number of steps.
        quiet: Show nothing.
        before: Number of steps that were done earlier.
        note: Text after the bar, from the number of steps done and the seconds since the block began.

    Yields:
        A function to call with the number of steps done.
    """
    if quiet or sys.stderr is None or not sys.stderr.isatty():
        yield lambda done: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = TextColumn(name), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[note]}")
    with Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True), auto_refresh=False) as bar:
        task = bar.add_task(name, total=total, completed=before, note="")
        bar.refresh()  # the first step may take long: numba compiles what has not run on this machine before
        begin = last = perf_counter()

        def show(done: int) -> None:
            nonlocal last
            now = perf_counter()
            if now - last >= _INTERVAL or done == total:
                last = now
                bar.update(task, completed=done, note=note(done, now - begin), refresh=True)

        yield show
