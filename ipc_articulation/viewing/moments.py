"""Rows of a recording: some of them, the nearest to a time, and those of a film."""

from __future__ import annotations

import numpy as np

from ipc_articulation.arrays import Ints
from ipc_articulation.errors import ViewingError
from ipc_articulation.recording import Recording


def spread(count: int, most: int) -> Ints:
    """Evenly spaced rows of `count`, the first and the last among them, `most` at most."""
    return np.unique(np.linspace(0, max(count - 1, 0), most).astype(int))


def last_row(recording: Recording) -> int:
    """The end of a recording.

    Raises:
        ViewingError: It is empty.
    """
    if not recording.rows:
        raise ViewingError(f"recording '{recording.name}' is empty: the run ended before its first row was written")
    return recording.rows - 1


def row_at(recording: Recording, time: float) -> int:
    """The row nearest to a time [s].

    Raises:
        ViewingError: The time is not within the recording, or that is empty.
    """
    times = recording.time[[0, last_row(recording)]]
    slack = 0.5 * recording.dt
    if not times[0] - slack <= time <= times[1] + slack:
        raise ViewingError(f"time {time:g} s is not in recording '{recording.name}': {times[0]:g} s to {times[1]:g} s")
    return int(np.argmin(np.abs(recording.time - time)))


def film_rows(recording: Recording, fps: float, every: int | None = None) -> Ints:
    """The rows that a film shows, one per picture.

    Args:
        recording: What is shown.
        fps: Pictures per second.
        every: Number of rows from one picture to the next; by default the film runs in real time.

    Returns:
        (pictures,), rising.
    """
    end = last_row(recording)
    if every is not None:
        return np.arange(0, end + 1, every)
    times = recording.time
    pictures = np.arange(times[0], times[-1] + 0.5 / fps, 1.0 / fps)
    return np.searchsorted(0.5 * (times[1:] + times[:-1]), pictures)
