"""The record of one finished run, and its numbers in the table."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
from pydantic import TypeAdapter

from ipc_articulation.errors import RecordingError, SweepError
from ipc_articulation.recording import Recording, read_recording
from ipc_articulation.sweeps.run_name import run_name

Status = Literal["done", "failed", "timed out", "worker died"]
RUNS = "runs"  # folder of the records and recordings, in that of the sweep
STATUSES: tuple[Status, ...] = ("done", "failed", "timed out", "worker died")


@dataclass(frozen=True)
class Record:
    """One finished run, however it ended."""

    id: str
    settings: dict[str, Any]
    status: Status
    error_class: str | None = None
    error: str | None = None
    wall_time: float = float("nan")  # of the run [s]
    numbers: dict[str, float] = field(default_factory=dict)  # see `numbers_of`; those of a failed run until it failed
    draws: dict[str, Any] = field(default_factory=dict)  # random values that the scene drew

    @property
    def name(self) -> str:
        """Of its files, see `run_name`."""
        return run_name(self.id, self.settings)


_ADAPTER = TypeAdapter(Record)


def read_record(file: Path) -> Record:
    """The record of a run.

    Raises:
        SweepError: The file is damaged, or describes another run.
    """
    try:
        record = _ADAPTER.validate_python(json.loads(file.read_bytes()))
    except (OSError, ValueError) as error:
        raise SweepError(f"{file} is damaged; remove it to repeat that run: {error}") from error
    if not file.stem.endswith(record.id):
        raise SweepError(f"{file} is damaged; remove it to repeat that run: it describes run {record.id}")
    return record


def write_whole(file: Path, content: bytes) -> None:
    """Write a file; a kill leaves it whole, as it was before, or not there at all.

    Raises:
        SweepError: It cannot be written, as on a full disk.
    """
    draft = file.with_name(f".{file.name}")
    try:
        with draft.open("wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(draft, file)
    except OSError as error:
        raise SweepError(f"cannot write {file}: {error.strerror}; runs that finished before are kept") from error


def numbers_of(recording: Recording) -> dict[str, float]:
    """The scalars of a recording that a table is to show.

    Returns:
        steps_taken: Number of steps.
        minimum_distance: Over all steps [m]; inf where nothing came near anything, NaN where the engine reports none.
        largest_contact_force: Largest generalised contact force on any joint [N·m or N].
        mean_newton_iterations: Over all steps.
        moved.NAME: How far each free body ended from where it started [m].
    """
    return {
        "steps_taken": recording.steps,
        "minimum_distance": _reduced(np.min, recording.minimum_distance),
        "largest_contact_force": _reduced(np.max, np.abs(recording.contact_force)),
        "mean_newton_iterations": _reduced(np.mean, recording.newton_iterations),
        **{f"moved.{name}": recording.moved(name) for name in recording.free_names},
    }


def numbers_in(folder: Path) -> dict[str, float]:
    """`numbers_of` the recording in a folder; no numbers if there is none that can be read."""
    try:
        return numbers_of(read_recording(folder))
    except (RecordingError, OSError):
        return {}


def _reduced(reduce: Any, values: Any) -> float:
    """A reduction over the known values; NaN if there are none."""
    known = values[~np.isnan(values)]
    return float(reduce(known)) if known.size else float("nan")
