"""What a run gives back, and the pictures at its end."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ipc_articulation.recording import Recording, read_recording
from ipc_articulation.recording.layout import STORE
from ipc_articulation.running.output import END, PLOT
from ipc_articulation.viewing.pictures import draw_plot, draw_scene


@dataclass(frozen=True)
class Result:
    """What a run gave.

    Attributes:
        recording: Every step; its arrays are read from disk when they are asked for.
        files: What was written.
        notes: What was left out, and why.
    """

    recording: Recording
    files: tuple[Path, ...]
    notes: tuple[str, ...]


def collect(folder: Path, pictures: bool) -> Result:
    """What a folder holds after its run, with new pictures if they are wanted.

    Raises:
        RecordingError: The recording cannot be read.
        OSError: A picture cannot be written.
    """
    recording, notes = read_recording(folder), {}
    if pictures and recording.rows:
        notes = {PLOT: draw_plot(recording, folder / PLOT), END: draw_scene(recording, folder / END)}
    drawn = [folder / name for name, note in notes.items() if note is None]
    return Result(recording, (folder / STORE, *drawn), tuple(note for note in notes.values() if note))
