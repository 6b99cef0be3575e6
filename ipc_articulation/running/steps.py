"""The loop of a run: steps, rows of the recording, checkpoints, and the ways in which it ends early."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from time import perf_counter
from typing import Any

from ipc_articulation.errors import TimeLimitError
from ipc_articulation.progress import progress
from ipc_articulation.recording import RecordingWriter
from ipc_articulation.running.checkpoints import Checkpoints
from ipc_articulation.running.stopping import StopRequest
from ipc_articulation.running.warned import note_warnings, told_at_the_end
from ipc_articulation.simulation.simulation import Simulation
from ipc_articulation.watching.engine_report import contacts, figures


@dataclass(frozen=True)
class Steps:
    """A simulation whose steps are recorded.

    Attributes:
        simulation: At its start, or recovered.
        writer: Of its recording, with the rows until now.
        checkpoints: None where the engine keeps no state.
        every: Number of steps between checkpoints; None: whenever rows go to disk.
        time_limit: Seconds of wall time.
        quiet: No progress bar.
    """

    simulation: Simulation
    writer: RecordingWriter
    checkpoints: Checkpoints | None
    every: int | None
    time_limit: float | None
    quiet: bool

    def take(self, begin: int, end: int) -> None:
        """Take steps `begin` to `end` - 1, counted from 0.

        Raises:
            KeyboardInterrupt: Ctrl-C was pressed; the step was finished and kept.
            TimeLimitError: They take too long; what was done is kept.
            RecordingError, OutputError: The disk is full; what was recorded before is kept.
            IpcArticulationError: A step failed.
        """
        writer, earlier, start = self.writer, self.writer.header.extra["wall_time"], perf_counter()
        if begin == 0:
            writer.append({"time": 0.0, **self.simulation.measure(is_start=True)})
        telling = nullcontext() if self.quiet else told_at_the_end()
        with telling, StopRequest() as stop, progress(writer.header.name, end, self.quiet) as show:
            for index in range(begin, end):
                self._step(index)
                elapsed = perf_counter() - start
                writer.header.extra["wall_time"] = earlier + elapsed
                late = self.time_limit is not None and elapsed > self.time_limit and index + 1 < end
                if late or stop.is_requested or index + 1 == end or self._is_due(index + 1):
                    self._keep(index + 1)
                show(index + 1)
                stop.check()
                if late:
                    raise self._too_late(index + 1, end)

    def _step(self, index: int) -> None:
        begin = perf_counter()
        self.simulation.step(index)
        time = perf_counter() - begin
        values: Mapping[str, Any] = {
            "time": (index + 1) * self.writer.header.dt,
            "step_time": time,
            **self.simulation.measure(is_start=False),
            **figures(self.simulation.engine, self.writer.header.energy_terms),
        }
        note_warnings(self.writer.header.extra, index + 1, self.simulation.engine.statistics)
        self.writer.append(values, contacts(self.simulation.engine, self.writer.header.contact_names))

    def _is_due(self, done: int) -> bool:
        return self.writer.is_due or (self.every is not None and done % self.every == 0)

    def _keep(self, done: int) -> None:
        """Rows first: a checkpoint without its rows would leave a gap."""
        self.writer.flush()
        if self.checkpoints is not None:
            self.checkpoints.write(self.simulation, done)

    def _too_late(self, done: int, end: int) -> TimeLimitError:
        return TimeLimitError(
            f"'{self.writer.header.name}' took longer than {self.time_limit:g} s: it ends after step {done} of {end}, "
            "which is kept"
        )
