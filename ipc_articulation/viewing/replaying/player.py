"""Advances the time while it plays: t ← t + speed · (time that passed), from the start again after the end."""

from __future__ import annotations

import threading
from collections.abc import Callable
from time import perf_counter

_TICK = 1.0 / 30.0  # seconds between two moments


class Player:
    """A clock in a thread of its own.

    Args:
        end: Length of the recording [s].
        now: Gives the time that is shown [s].
        show: Shows another.

    Attributes:
        speed: Seconds of the recording a second.
    """

    def __init__(self, end: float, now: Callable[[], float], show: Callable[[float], None]) -> None:
        self.speed = 1.0
        self._end, self._now, self._show = end, now, show
        self._playing, self._ended = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    @property
    def is_playing(self) -> bool:
        """Whether it is playing."""
        return self._playing.is_set()

    def toggle(self) -> None:
        """Play or pause."""
        if self.is_playing:
            self._playing.clear()
        else:
            self._playing.set()

    def close(self) -> None:
        """End the thread."""
        self._ended.set()
        self._playing.set()
        self._thread.join()

    def _run(self) -> None:
        while self._playing.wait() and not self._ended.is_set():
            last = perf_counter()
            while self.is_playing and not self._ended.wait(_TICK):
                now = perf_counter()
                last, passed = now, now - last
                time = self._now() + self.speed * passed
                self._show(time if time <= self._end else 0.0)
