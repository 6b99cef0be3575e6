"""The pictures of a run. A picture that cannot be made is replaced by a note that says why; the run still succeeds."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ipc_articulation.errors import MissingPackageError, OutputError, ViewingError
from ipc_articulation.recording import Recording
from ipc_articulation.viewing.drawing import draw, shots_of
from ipc_articulation.viewing.meshes import Show
from ipc_articulation.viewing.moments import last_row
from ipc_articulation.viewing.plotting import plot


def draw_scene(recording: Recording, file: Path, show: Show = "visual") -> str | None:
    """Picture of the bodies where the recording ends; returns a note when it is left out."""
    return _note(file, lambda: draw(shots_of(recording, [last_row(recording)], show=show), file))


def draw_plot(recording: Recording, file: Path) -> str | None:
    """Joint motion, contact force and distance over time; returns a note when it is left out."""
    return _note(file, lambda: plot(recording, file))


def _note(file: Path, make: Callable[[], None]) -> str | None:
    """Make a file; returns why it is left out, None where it is made."""
    try:
        make()
    except (MissingPackageError, OutputError, ViewingError) as error:
        words = str(error)
        return words if words.startswith(file.name) else f"{file.name}: {words}"
    return None
