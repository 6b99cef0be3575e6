"""The common part of new and resumed runs: steps until the end, then the results and their summary."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ipc_articulation.errors import OutputError, RecordingError
from ipc_articulation.recording import RecordingWriter
from ipc_articulation.running.checkpoints import Checkpoints
from ipc_articulation.running.result import Result, collect
from ipc_articulation.running.steps import Steps
from ipc_articulation.running.summary import print_summary
from ipc_articulation.scenefile import schema
from ipc_articulation.simulation.simulation import Simulation
from ipc_articulation.viewing.meshes import Show


@dataclass(frozen=True)
class Manner:
    """How a run is shown and bounded.

    Attributes:
        quiet: No progress bar and no summary.
        pictures: Whether they are drawn at the end.
        time_limit: Seconds of wall time after which it ends.
        show: The surfaces of bodies in the pictures.
    """

    quiet: bool = False
    pictures: bool = True
    time_limit: float | None = None
    show: Show = "visual"


def execute(
    simulation: Simulation,
    writer: RecordingWriter,
    scene: schema.Scene,
    steps: tuple[int, int],
    folder: Path,
    manner: Manner,
) -> Result:
    """Take the steps from first (included) to last (excluded), then collect the folder's results.

    Whatever ends the steps early, what was recorded is kept; the error is raised to the caller.

    Raises:
        KeyboardInterrupt, IpcArticulationError: As in `Steps.take`.
    """
    checkpoints = None if simulation.engine.backend_name() == "none" else Checkpoints(folder)
    loop = Steps(simulation, writer, checkpoints, scene.checkpoint.every, manner.time_limit, manner.quiet)
    try:
        loop.take(*steps)
        writer.close()
    except BaseException:  # also Ctrl-C, and what nobody foresaw
        with suppress(RecordingError, OutputError, OSError):  # the disk may be full; the first error is raised
            writer.close()
            _report(collect(folder, manner.pictures, manner.show), manner)
        raise
    result = collect(folder, manner.pictures, manner.show)
    _report(result, manner)
    return result


def _report(result: Result, manner: Manner) -> None:
    if not manner.quiet:
        print_summary(result)
