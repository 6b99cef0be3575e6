"""Ctrl-C that waits for the end of a step."""

from __future__ import annotations

import signal
import threading
from types import FrameType


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
