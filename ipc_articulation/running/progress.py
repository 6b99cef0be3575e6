"""The progress bar of a run, and Ctrl-C that waits for the end of a step."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter
from types import FrameType

_INTERVAL = 0.1  # seconds between two drawings of the bar


@contextmanager
def progress(name: str, steps: int, quiet: bool) -> Iterator[Callable[[int], None]]:
    """A bar on the terminal; gives a function to call with the number of steps taken.

    Nothing is drawn when `quiet`, or when standard error is no terminal.
    """
    if quiet or not sys.stderr.isatty():
        yield lambda done: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn(name),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[speed]}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), auto_refresh=False) as bar:
        task = bar.add_task(name, total=steps, speed="")
        bar.refresh()  # the first step may take long: numba compiles what has not run on this machine before
        begin = last = perf_counter()

        def show(done: int) -> None:
            nonlocal last
            now = perf_counter()
            if now - last >= _INTERVAL or done == steps:
                last = now
                bar.update(task, completed=done, speed=f"{done / (now - begin):.0f} steps/s", refresh=True)

        yield show


class StopRequest:
    """While it is entered, Ctrl-C lets the step end that is being taken; a second Ctrl-C does not wait.

    Python's own handler would raise in the middle of a step, inside a callback that libuipc silences.
    """

    def __init__(self) -> None:
        self._requested = False
        self._in_main_thread = threading.current_thread() is threading.main_thread()

    @property
    def is_requested(self) -> bool:
        """Whether Ctrl-C was pressed."""
        return self._requested

    def check(self) -> None:
        """Raise KeyboardInterrupt when Ctrl-C was pressed."""
        if self._requested:
            raise KeyboardInterrupt

    def __enter__(self) -> StopRequest:
        if self._in_main_thread:
            self._previous = signal.signal(signal.SIGINT, self._note)
        return self

    def __exit__(self, *_: object) -> None:
        if self._in_main_thread:
            signal.signal(signal.SIGINT, self._previous)

    def _note(self, number: int, frame: FrameType | None) -> None:
        if self._requested:
            raise KeyboardInterrupt
        self._requested = True
