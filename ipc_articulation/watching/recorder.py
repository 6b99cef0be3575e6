"""Records the steps of a script in the same way as a run of a scene file."""

from __future__ import annotations

import sys
from pathlib import Path
from time import perf_counter
from types import TracebackType
from typing import Any

import uipc

from ipc_articulation.coupling.coupling import Coupling
from ipc_articulation.errors import OutputError
from ipc_articulation.recording import Header, RecordingWriter
from ipc_articulation.recording.layout import STORE
from ipc_articulation.recording.writer import remove_recording
from ipc_articulation.watching.engine_report import contact_names, contacts, energy_terms, figures, stages
from ipc_articulation.watching.subject import Subject

_ROWS = 1000  # for which arrays are laid out at first; they grow


class Recorder:
    """A recording of a script's steps, for `replay`, `report`, `render`, `export` and `read_recording`.

    ```python
    with Recorder(coupling, "out/run", engine):
        for _ in range(300):
            coupling.step(world)  # each step becomes a row
    ```

    With a coupling, every committed step becomes a row. With a plain libuipc scene, `append` records a row.
    Rows are written to disk within a few seconds, so they remain if the script fails or is killed.
    """

    def __init__(
        self,
        watched: Coupling | uipc.Scene,
        folder: str | Path,
        engine: Any = None,
        name: str | None = None,
        force: bool = False,
    ) -> None:
        """Begin the recording with the present state.

        Args:
            watched: A coupling, or a scene without one, after `world.init(scene)`.
            folder: Where the recording is written, as `recording.zarr`.
            engine: The `Engine` of the world; with the CPU engine contact forces, energies and times are recorded too.
            name: Name of the run; None: that of the folder.
            force: Replace a recording that is in the folder.

        Raises:
            OutputError: There is a recording already, or the folder cannot be made.
            RecordingError: The recording cannot be written.
            SceneError: A body has values that no step accepts.
        """
        self.folder = Path(folder)
        self._engine = _Silent() if engine is None else engine
        self._subject = Subject(watched)
        self._clock = perf_counter()
        _claim(self.folder, force)
        header = self._header(watched, name or self.folder.resolve().name)
        self._writer = RecordingWriter.create(self.folder, header, self._subject.scenery, _ROWS)
        self._writer.append({"time": 0.0, **self._subject.state(is_start=True)})
        if self._subject.coupling is not None:
            self._subject.coupling.observers.append(self.append)

    @property
    def rows(self) -> int:
        """Number of rows, the start included."""
        return self._writer.rows

    def append(self) -> None:
        """Record the present state as the next row. The steps of a coupling call this themselves.

        Raises:
            RecordingError: The row cannot be written; earlier rows are kept.
        """
        now, header = perf_counter(), self._writer.header
        values = {
            "time": self.rows * header.dt,
            "step_time": now - self._clock,
            **self._subject.state(),
            **figures(self._engine),
        }
        self._writer.append(values, contacts(self._engine, header.contact_names))
        header.extra["wall_time"] += now - self._clock
        if self._writer.is_due:
            self._writer.flush()
        self._clock = perf_counter()

    def close(self) -> None:
        """End the recording; steps that follow are not recorded.

        Raises:
            RecordingError: The last rows cannot be written.
        """
        coupling = self._subject.coupling
        if coupling is not None and self.append in coupling.observers:
            coupling.observers.remove(self.append)
        self._writer.close()

    def __enter__(self) -> Recorder:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _header(self, watched: Any, name: str) -> Header:
        scene = watched.scene if isinstance(watched, Coupling) else watched
        subject, engine = self._subject, self._engine
        dt = float(scene.config().find("dt").view()[0])
        extra: dict[str, Any] = {
            "file": Path(sys.argv[0]).name,
            "title": "",
            "engine": engine.backend_name(),
            "settings": {},
            "ran_code": [],
            "drawn": {},
            "planned_steps": 0,
            "wall_time": 0.0,
        }
        names = subject.joint_names, subject.body_names, subject.free_names
        return Header(name, dt, *names, energy_terms(engine), stages(engine), contact_names(engine), extra)


class _Silent:
    """An engine that reports nothing."""

    cpu = statistics = None

    def backend_name(self) -> str:
        return "unknown"


def _claim(folder: Path, force: bool) -> None:
    """Make the folder, without a recording in it."""
    if (folder / STORE).exists() and not force:
        raise OutputError(f"{folder} holds a recording already; replace it with force=True, or choose another folder")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"folder {folder} cannot be made: {error.strerror}") from error
    remove_recording(folder)
