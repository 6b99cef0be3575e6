"""Records the steps of a script in the same way as a run of a scene file."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from time import perf_counter
from types import TracebackType
from typing import Any

import uipc

from ipc_articulation.arguments import FLAG, PATH, TEXT, checked, optional
from ipc_articulation.coupling.coupling import Coupling
from ipc_articulation.coupling.kinds import freedom_units
from ipc_articulation.errors import OutputError, RecordingError
from ipc_articulation.frontend.turns import in_turn
from ipc_articulation.recording import Header, RecordingWriter
from ipc_articulation.recording.claim import claimed
from ipc_articulation.recording.header import JOINT_UNITS
from ipc_articulation.recording.layout import STORE
from ipc_articulation.recording.writer import remove_recording
from ipc_articulation.watching.engine_report import (
    contact_names,
    contacts,
    energy_terms,
    engine_of,
    figures,
    stages,
)
from ipc_articulation.watching.exits import close_at_exit
from ipc_articulation.watching.flusher import Flusher
from ipc_articulation.watching.step_clock import StepClock
from ipc_articulation.watching.subject import Subject

_ROWS = 1000  # for which arrays are laid out at first; they grow
_LISTED = 10  # names in an error


class Recorder:
    """A recording of a script's steps, for `replay`, `report`, `render`, `export` and `read_recording`.

    ```python
    with Recorder(coupling, "out/run", engine):
        for _ in range(300):
            coupling.step(world)  # each step becomes a row
    ```

    With a coupling, every committed step becomes a row. With a plain libuipc scene, `append` records a row.
    Rows are written to disk about once a second, so they remain if the script fails or is killed. Any thread may append
    rows, also beside the one that steps: it waits for the end of a step, and changes no bit.
    """

    @checked(OutputError, folder=PATH, name=optional(TEXT), force=FLAG)
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
            OutputError: There is a recording already, another run writes to the folder, or it cannot be made.
            RecordingError: The recording cannot be written.
            SceneError: `watched` is neither a coupling nor a scene, or a body has values that no step accepts.
            EngineError: `engine` is no `Engine`, or its world was not initialised with this scene.
        """
        self._watched, self._subject = watched, Subject(watched)
        self.turn = self._subject.turn
        self._engine = engine_of(self._subject, engine, "recorder")
        self.folder, self._claim = _claimed(folder, force)
        self._begin(name or self.folder.resolve().name)
        close_at_exit(self)

    @in_turn
    def _begin(self, name: str) -> None:
        self._is_closed, self._began, self._clock = False, perf_counter(), StepClock(self._subject, self._engine)
        self._writer = RecordingWriter.create(self.folder, self._header(name), self._subject.scenery, _ROWS)
        self._writer.append({"time": 0.0, **self._subject.state(is_start=True)})
        self._flusher = Flusher(self._writer)
        if self._subject.coupling is not None:
            self._subject.coupling.observers.append(self._observe)

    @property
    def rows(self) -> int:
        """Number of rows, the start included."""
        return self._writer.rows

    @in_turn
    def append(self) -> None:
        """Record the present state as the next row. The steps of a coupling call this themselves.

        With the CPU engine the time of the row follows the number of steps taken since the last row; without an
        engine one step is assumed.

        Raises:
            RecordingError: The row cannot be written; earlier rows are kept. Or the recorder is closed, no step was
                taken since the last row, the world was recovered to an earlier one, or bodies, half-planes or terms of
                the energy came or went, or a fixed body was moved; names them.
        """
        if not self._append_new():
            raise RecordingError(f"no step was taken since row {self.rows - 1}; a row is the state after a step")

    @in_turn
    def _observe(self) -> None:
        """Record a step of the coupling; another thread may have closed the recorder, or recorded it, meanwhile."""
        if not self._is_closed:
            self._append_new()

    def _append_new(self) -> bool:
        """Record the present state; False if no step was taken since the last row."""
        self._require_open()
        self._require_same()
        if not self._follow_time():
            return False
        now, header = perf_counter(), self._writer.header
        values = {
            "time": self._clock.time,
            "step_time": now - self._began,
            **self._subject.state(),
            **figures(self._engine, header.energy_terms),
        }
        touching = contacts(self._engine, header.contact_names)
        with self._flusher.lock:
            self._writer.append(values, touching)
            header.extra["wall_time"] += now - self._began
        self._began = perf_counter()
        return True

    @in_turn
    def close(self) -> None:
        """End the recording; steps that follow are not recorded.

        Raises:
            RecordingError: The last rows cannot be written.
        """
        if self._is_closed:
            return
        self._is_closed = True
        if self._subject.coupling is not None:
            self._subject.coupling.observers.remove(self._observe)
        self._flusher.close()
        with self._claim:
            self._writer.close()

    def __enter__(self) -> Recorder:
        self._require_open()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _follow_time(self) -> int:
        """Advance the time by the steps taken since the last row; their number."""
        steps = self._clock.follow()
        if steps < 0:
            raise RecordingError("the world was recovered to an earlier step; end this recording and begin another")
        return steps

    def _require_open(self) -> None:
        if self._is_closed:
            raise RecordingError(f"the recorder of {self.folder} is closed; begin another one")
        if self._flusher.error is not None:
            raise self._flusher.error

    def _require_same(self) -> None:
        """Refuse a scene with other bodies, half-planes or terms of the energy than at the start."""
        changes: list[str] = []
        if not self._subject.is_complete:
            now = Subject(self._watched)
            new, old = now.members, self._subject.members
            changes += _listed("created", [new[key] for key in new if key not in old])
            changes += _listed("destroyed", [old[key] for key in old if key not in new])
            self._subject = self._subject if changes else now
        known = self._writer.header.energy_terms
        if not changes:
            changes += _listed("new energies", [term for term in energy_terms(self._engine) if term not in known])
        if moved := self._subject.displaced():
            raise RecordingError(
                f"{', '.join(moved[:_LISTED])} did not move at the start of the recording {self.folder}, and was moved "
                f"after row {self.rows - 1}; record a body that moves with is_fixed = 0, or begin another recording"
            )
        if changes:
            raise RecordingError(
                f"the bodies of a recording are the same from its start to its end: {self.folder} ends with row "
                f"{self.rows - 1} ({'; '.join(changes)}); begin another recording in another folder"
            )

    def _header(self, name: str) -> Header:
        subject, engine = self._subject, self._engine
        extra: dict[str, Any] = {
            "file": Path(sys.argv[0]).name,
            "title": "",
            "engine": engine.backend_name(),
            "settings": {},
            "ran_code": [],
            "drawn": {},
            JOINT_UNITS: freedom_units(subject.coupling.robot.joints) if subject.coupling else {},
            "planned_steps": 0,
            "wall_time": 0.0,
        }
        names = subject.joint_names, subject.body_names, subject.free_names
        reported = energy_terms(engine), stages(engine), contact_names(engine)
        counts = tuple(len(shape.vertices) for shape in subject.scenery.soft)
        return Header(name, subject.dt, *names, *reported, extra, subject.soft_names, counts)


def _listed(verb: str, names: Sequence[str]) -> list[str]:
    more = f" and {len(names) - _LISTED} others" if len(names) > _LISTED else ""
    return [f"{verb} {', '.join(names[:_LISTED])}{more}"] if names else []


def _claimed(folder: str | Path, force: bool) -> tuple[Path, ExitStack]:
    """The folder, locked and without a recording in it, and what unlocks it."""
    path, stack = Path(folder), ExitStack()
    stack.enter_context(claimed(path, others="another folder"))
    if (path / STORE).exists() and not force:
        stack.close()
        raise OutputError(f"{path} holds a recording already; replace it with force=True, or choose another folder")
    remove_recording(path)
    return path, stack
