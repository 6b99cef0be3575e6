"""The pictures of a run; one that cannot be made is left out with a note that says why, and the run still ends well."""

from __future__ import annotations

from pathlib import Path

from ipc_articulation.errors import MissingPackageError, ViewingError
from ipc_articulation.recording import Recording
from ipc_articulation.viewing.drawing import draw, shots_of
from ipc_articulation.viewing.moments import last_row


def draw_scene(recording: Recording, file: Path) -> str | None:
    """Picture of the bodies where the recording ends; returns a note when it is left out."""
    try:
        draw(shots_of(recording, [last_row(recording)]), file)
    except (MissingPackageError, ViewingError) as error:
        return _note(file, error)
    return None


def draw_plot(recording: Recording, file: Path) -> str | None:
    """Joint motion, contact force and distance over time; returns a note when it is left out."""
    from ipc_articulation.viewing.plotting import plot

    try:
        plot(recording, file)
    except MissingPackageError as error:
        return _note(file, error)
    return None


def _note(file: Path, error: Exception) -> str:
    words = str(error)
    return words if words.startswith(file.name) else f"{file.name}: {words}"
