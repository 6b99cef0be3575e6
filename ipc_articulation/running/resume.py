"""Goes on with a run that ended early: `resume`."""

from __future__ import annotations

from pathlib import Path

from ipc_articulation.errors import DumpError, OutputError
from ipc_articulation.recording import RecordingWriter, read_recording
from ipc_articulation.recording.writer import remove_recording
from ipc_articulation.running.checkpoints import Checkpoints
from ipc_articulation.running.execution import Manner, execute
from ipc_articulation.running.job import Job, read_job
from ipc_articulation.running.loop import begin
from ipc_articulation.running.output import WORKSPACE
from ipc_articulation.running.result import Result
from ipc_articulation.simulation.building import build


def resume(
    folder: str | Path,
    steps: int | None = None,
    quiet: bool = False,
    pictures: bool = True,
    time_limit: float | None = None,
) -> Result:
    """Go on with a run from its last checkpoint, whatever ended it; the end is that of an undisturbed run.

    On the CPU engine it is the same bit for bit. Rows of the recording after the checkpoint are computed anew.

    Args:
        folder: `OUT/NAME` of the run.
        steps: Take so many steps more than the run was to have; None: those that are left.
        quiet: No progress bar and no summary.
        pictures: Whether they are drawn at the end.
        time_limit: Seconds of wall time after which it ends again.

    Raises:
        OutputError: The folder holds no run, or one that is finished; the scene file or a file that it names was
            changed since.
        DumpError, RecordingError: The checkpoint or the recording is damaged; names the file.
        IpcArticulationError: As in `run`.
        KeyboardInterrupt: The run was stopped.
    """
    folder, manner = Path(folder), Manner(quiet, pictures, time_limit)
    job, checkpoints = read_job(folder), Checkpoints(folder)
    if steps is not None:
        job = job.with_steps(job.steps + steps)
    done = checkpoints.newest
    if done is not None and done >= job.steps:
        raise OutputError(f"the run in {folder} is finished: it has taken all {done} steps; --steps N takes N more")
    scene, document = job.read_scene()
    simulation = build(scene, document, job.engine, folder / WORKSPACE, job.steps)
    if done is None:
        remove_recording(folder)
        return begin(simulation, scene, job, folder, manner)
    header = read_recording(folder).header
    try:
        simulation.recover(done, checkpoints.read(done))
    except DumpError as error:
        raise DumpError(f"{error}; remove {checkpoints.forget(done)} to go on from the checkpoint before") from error
    writer = RecordingWriter.reopen(folder, header, done + 1, job.steps + 1)
    _remember(job, folder)
    return execute(simulation, writer, scene, (done, job.steps), folder, manner)


def _remember(job: Job, folder: Path) -> None:
    """So that the next `resume` knows of further steps."""
    if job != read_job(folder):
        job.write(folder)
