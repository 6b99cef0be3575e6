"""Closes the recorders and views that a script has left open at its end."""

from __future__ import annotations

import threading
import weakref
from contextlib import ExitStack, suppress
from typing import Any

_open: weakref.WeakSet[Any] = weakref.WeakSet()


def close_at_exit(watcher: Any) -> None:
    """Close a recorder or view when the interpreter ends, if the script has not done so.

    `atexit` is too late, as Zarr writes with threads, which are ended before. Python offers no public way to be called
    earlier; where its inside is another, what was recorded after the last flush is lost.
    """
    if not _open:
        with suppress(AttributeError):
            threading._register_atexit(_close_all)  # type: ignore[attr-defined]
    _open.add(watcher)


def _close_all() -> None:
    with ExitStack() as stack:  # all of them, even if one fails
        for watcher in list(_open):
            stack.callback(watcher.close)
