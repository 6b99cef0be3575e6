"""Brings the rows of a recording to disk from a thread of its own, also while the script does nothing."""

from __future__ import annotations

import threading
from time import perf_counter

from ipc_articulation.errors import RecordingError
from ipc_articulation.recording import RecordingWriter

_SOON, _LATE = 1.0, 5.0  # seconds of wall time for which a row is in memory only, for small scenes and for large ones
_REST = 30.0  # times the duration of a flush until the next one, which costs a few per cent


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
