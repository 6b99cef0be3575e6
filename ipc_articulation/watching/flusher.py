"""Brings the rows of a recording to disk from a thread of its own, also while the script does nothing."""

from __future__ import annotations

import threading
import weakref
from contextlib import suppress
from time import perf_counter
from typing import Any

from ipc_articulation.errors import RecordingError
from ipc_articulation.recording import RecordingWriter

_SOON, _LATE = 1.0, 5.0  # seconds of wall time for which a row is in memory only, for small scenes and for large ones
_REST = 30.0  # times the duration of a flush until the next one, which costs a few per cent

_open: weakref.WeakSet[Any] = weakref.WeakSet()


class Flusher:
    """Flushes a writer about once a second as long as it has new rows.

    Args:
        writer: The writer; only to be used while `lock` is held.

    Attributes:
        lock: Guards the writer.
        error: Why rows can no longer be written; None as long as all is well.
    """

    def __init__(self, writer: RecordingWriter) -> None:
        self.lock = threading.Lock()
        self.error: RecordingError | None = None
        self._writer, self._ended = writer, threading.Event()
        self._thread = threading.Thread(target=self._run, name="recorder", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End the thread."""
        self._ended.set()
        self._thread.join()

    def _run(self) -> None:
        pause = _SOON
        while not self._ended.wait(pause):
            began = perf_counter()
            with self.lock:
                if self._writer.flushed_rows == self._writer.rows:
                    continue
                try:
                    self._writer.flush()
                except RecordingError as error:  # it is raised where the script is
                    self.error = error
                    return
            pause = min(max(_SOON, _REST * (perf_counter() - began)), _LATE)


def close_at_exit(recorder: Any) -> None:
    """Close a recorder when the interpreter ends, if the script has not done so.

    `atexit` is too late, as Zarr writes with threads, which are ended before. Python offers no public way to be called
    earlier; where its inside is another, what was recorded after the last flush is lost.
    """
    if not _open:
        with suppress(AttributeError):
            threading._register_atexit(_close_all)  # type: ignore[attr-defined]
    _open.add(recorder)


def _close_all() -> None:
    for recorder in list(_open):
        recorder.close()
