"""The result of a run, and the pictures at its end."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ipc_articulation.recording import Recording, read_recording
from ipc_articulation.recording.environments import looked_at
from ipc_articulation.recording.layout import STORE
from ipc_articulation.running.output import END, PLOT
from ipc_articulation.viewing.meshes import Show
from ipc_articulation.viewing.pictures import draw_plot, draw_scene


@dataclass(frozen=True)
class Result:
    """The result of a run.

    Attributes:
        recording: Every step; an array is read from disk when it is first used.
        files: The files that were written.
        notes: Results that were left out, with the reasons.
    """

    recording: Recording
    files: tuple[Path, ...]
    notes: tuple[str, ...]


def collect(folder: Path, pictures: bool, show: Show) -> Result:
    """The result of a run from its folder, with new pictures, of these surfaces of the bodies, if they are wanted.

    Raises:
        RecordingError: The recording cannot be read.
        OSError: A picture cannot be written.
    """
    recording, notes = read_recording(folder), {}
    if pictures and recording.rows:
        shown = looked_at(recording, None)
        notes = {PLOT: draw_plot(shown, folder / PLOT), END: draw_scene(shown, folder / END, show)}
    drawn = [folder / name for name, note in notes.items() if note is None]
    return Result(recording, (folder / STORE, *drawn), tuple(note for note in notes.values() if note))
