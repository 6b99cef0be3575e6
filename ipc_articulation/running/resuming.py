"""Resumes a run that ended early: `resume`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from ipc_articulation.arguments import PATH, checked
from ipc_articulation.errors import DumpError, IpcArticulationError, OutputError
from ipc_articulation.recording import RecordingWriter, read_recording
from ipc_articulation.recording.claim import claimed
from ipc_articulation.recording.environments import FAILURES
from ipc_articulation.recording.writer import remove_recording
from ipc_articulation.running.checkpoints import Checkpoints
from ipc_articulation.running.execution import Manner, execute
from ipc_articulation.running.job import Job, read_job
from ipc_articulation.running.loop import OPTIONS, begin
from ipc_articulation.running.output import WORKSPACE
from ipc_articulation.running.result import Result
from ipc_articulation.running.warned import WARNED, no_warnings, warnings_until
from ipc_articulation.simulation.building import build
from ipc_articulation.simulation.simulation import Simulation
from ipc_articulation.viewing.meshes import Show, require_show


@checked(IpcArticulationError, (), folder=PATH, **OPTIONS)
def resume(
    folder: str | Path,
    steps: int | None = None,
    quiet: bool = False,
    pictures: bool = True,
    time_limit: float | None = None,
    show: Show = "visual",
) -> Result:
    """Resume a run from its last checkpoint, whatever ended it; the result is that of an uninterrupted run.

    On the CPU engine it is the same bit for bit. Rows of the recording after the checkpoint are computed again.

    Args:
        folder: `OUT/NAME` of the run.
        steps: Number of steps in addition to those planned for the run; None: the remaining planned steps.
        quiet: Print no progress bar and no summary.
        pictures: Draw the pictures at the end.
        time_limit: Seconds of wall time after which the run ends again.
        show: Surfaces of bodies in the pictures, as in `run`.

    Raises:
        OutputError: The folder holds no run, one that is finished, or one that another process is running; the scene
            file or a file that it names was changed since.
        DumpError, RecordingError: The checkpoint or the recording is damaged; names the file.
        IpcArticulationError: As in `run`.
        KeyboardInterrupt: The run was stopped.
    """
    require_show(show)
    folder, manner = Path(folder), Manner(quiet, pictures, time_limit, show)
    job = read_job(folder)
    with claimed(folder):
        return _resumed(folder, job if steps is None else replace(job, steps=job.steps + steps), manner)


def _resumed(folder: Path, job: Job, manner: Manner) -> Result:
    checkpoints = Checkpoints(folder)
    done = checkpoints.newest
    if done is not None and done >= job.steps:
        raise OutputError(f"the run in {folder} is finished: it has taken all {done} steps; --steps N takes N more")
    scene, document = job.read_scene()
    simulation = build(scene, document, job.engine, folder / WORKSPACE, job.steps)
    if done is None:
        remove_recording(folder)
        return begin(simulation, scene, job, folder, manner)
    _recover(simulation, checkpoints, done)
    header = read_recording(folder).header
    header.extra["planned_steps"] = job.steps
    if FAILURES in header.extra:  # of the steps that stay
        simulation.failures += [failure for failure in header.extra[FAILURES] if failure["step"] <= done]
        header.extra[FAILURES] = simulation.failures
    header.extra[WARNED] = warnings_until(header.extra.get(WARNED, no_warnings()), done)
    writer = RecordingWriter.reopen(folder, header, done + 1, job.steps + 1)
    if job != read_job(folder):  # so that the next `resume` knows of further steps
        job.write(folder)
    return execute(simulation, writer, scene, (done, job.steps), folder, manner)


def _recover(simulation: Simulation, checkpoints: Checkpoints, frame: int) -> None:
    try:
        simulation.recover(frame, checkpoints.read(frame))
    except DumpError as error:
        path = checkpoints.path(frame)
        raise DumpError(f"{error}; remove {path} to resume from the previous checkpoint") from error
