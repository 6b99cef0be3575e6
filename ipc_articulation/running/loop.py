"""Runs a scene file from reading to summary: `run`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from ipc_articulation.recording import Recording, Scenery
from ipc_articulation.running.progress import StopRequest, progress
from ipc_articulation.running.summary import print_summary
from ipc_articulation.scenefile import schema
from ipc_articulation.scenefile.reading import read_scene
from ipc_articulation.simulation.building import build
from ipc_articulation.simulation.simulation import Simulation
from ipc_articulation.simulation.surfaces import up
from ipc_articulation.viewing.pictures import draw_plot, draw_scene

DEFAULT_OUT = Path("out")


@dataclass(frozen=True)
class Result:
    """What a run gave.

    Attributes:
        recording: Every step.
        files: What was written.
        notes: What was left out, and why.
    """

    recording: Recording
    files: tuple[Path, ...]
    notes: tuple[str, ...]


def run(
    path: str | Path,
    engine: str = "auto",
    steps: int | None = None,
    out: str | Path | None = None,
    quiet: bool = False,
) -> Result:
    """Run a scene file and write its recording and pictures to `out/NAME/`, NAME being the file's.

    What was recorded is written also when a step fails or Ctrl-C stops the run; the error then goes on to the caller.

    Args:
        path: The scene file.
        engine: "cpu", "cuda", "none", or "auto" for "cuda" where there is a GPU and else "cpu".
        steps: Number of steps, instead of the file's.
        out: Folder of all results; `out` where it is not given.
        quiet: No progress bar and no summary.

    Raises:
        SceneFileError: The file is wrong; with line and column.
        IpcArticulationError: The scene cannot be built, or a step failed.
        KeyboardInterrupt: The run was stopped.
    """
    path = Path(path)
    scene, document = read_scene(path)
    steps = scene.steps if steps is None else steps
    folder = Path(DEFAULT_OUT if out is None else out) / path.stem
    simulation = build(scene, document, engine, folder / "workspace", steps)
    recording = _make_recording(path, scene, simulation, steps)
    try:
        _take_steps(simulation, recording, steps, quiet)
    except BaseException:  # also Ctrl-C, and what nobody foresaw
        _finish(recording, folder, quiet)
        raise
    return _finish(recording, folder, quiet)


def _make_recording(path: Path, scene: schema.Scene, simulation: Simulation, steps: int) -> Recording:
    extra = {"file": path.name, "title": scene.title, "engine": simulation.engine.backend_name()}
    names = simulation.joint_names, simulation.body_names, simulation.free_names
    planes = tuple((plane.point, plane.normal) for plane in simulation.planes)
    scenery = Scenery(simulation.surfaces, planes, up(scene.gravity), scene.view.eye, scene.view.target)
    return Recording(path.stem, scene.dt, steps, *names, extra, scenery)


def _take_steps(simulation: Simulation, recording: Recording, steps: int, quiet: bool) -> None:
    """The loop. Nothing is allocated in it and nothing printed but the progress bar, ten times a second."""
    buffers, begin = recording.buffers, perf_counter()
    simulation.write(buffers, 0)
    recording.rows = 1
    with StopRequest() as stop, progress(recording.name, steps, quiet) as show:
        for index in range(steps):
            start = perf_counter()
            simulation.step(index)
            buffers["step_time"][index + 1] = perf_counter() - start
            simulation.write(buffers, index + 1)
            recording.rows = index + 2
            recording.extra["wall_time"] = perf_counter() - begin
            show(index + 1)
            stop.check()


def _finish(recording: Recording, folder: Path, quiet: bool) -> Result:
    """Write everything that there is, and tell."""
    files = recording.save(folder)
    plot, end = folder / "motion.png", folder / "end.png"
    notes = {plot: draw_plot(recording, plot), end: draw_scene(recording, end)}
    files += [picture for picture, note in notes.items() if note is None]
    result = Result(recording, tuple(files), tuple(note for note in notes.values() if note))
    if not quiet:
        print_summary(result)
    return result
