"""Holds a script between two steps while its page says so."""

from __future__ import annotations

import threading
from collections.abc import Callable
from time import perf_counter

from ipc_articulation.signals import interrupts_deferred

_LOOK = 0.05  # seconds between two looks at Ctrl-C and at the page


class Gate:
    """A gate that a script passes after each step; buttons in other threads close and open it.

    A closed gate opens by itself at Ctrl-C, and when the last page was closed, so that no script is held unseen.

    Args:
        is_closed: Hold the script from its first step on.
        is_left: Says whether pages were open and all of them are closed now.

    Attributes:
        is_closed: Whether the script is held.
        changed: Called after the gate was opened or closed.
    """

    def __init__(self, is_closed: bool, is_left: Callable[[], bool]) -> None:
        self.is_closed = is_closed
        self.changed: Callable[[], None] = lambda: None
        self._is_left = is_left
        self._passes, self._wake = 0, threading.Event()

    def set(self, is_closed: bool) -> None:
        """Close or open the gate."""
        self.is_closed, self._passes = is_closed, 0
        self._wake.set()
        self.changed()

    def let_one_pass(self) -> None:
        """Let one step of a held script pass."""
        self._passes += 1
        self._wake.set()

    def hold(self, timeout: float | None = None) -> None:
        """Wait while the gate is closed, this long at most [s]."""
        end = None if timeout is None else perf_counter() + timeout
        while self.is_closed and self._passes == 0:
            if interrupts_deferred.is_pending or self._is_left() or (end is not None and perf_counter() > end):
                self.set(is_closed=False)
                return
            self._wake.wait(_LOOK)
            self._wake.clear()
        self._passes = max(self._passes - 1, 0)
