"""Runs a scene file from reading to summary: `run`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import numpy as np

from ipc_articulation.recording import Header, Recording, RecordingWriter, Scenery, read_recording
from ipc_articulation.recording.layout import STORE
from ipc_articulation.recording.quantities import QUANTITIES
from ipc_articulation.recording.writer import remove_recording
from ipc_articulation.running.figures import energy_terms, figures, stages
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
    remove_recording(folder)
    header = _header(path.stem, path, scene, simulation)
    writer = RecordingWriter.create(folder, header, _scenery(scene, simulation), steps + 1)
    try:
        _take_steps(simulation, writer, steps, quiet)
    finally:  # also after Ctrl-C, and after what nobody foresaw
        writer.close()
        result = _finish(folder, quiet)
    return result


def _header(name: str, file: Path, scene: schema.Scene, simulation: Simulation) -> Header:
    engine = simulation.engine
    extra = {"file": file.name, "title": scene.title, "engine": engine.backend_name(), "wall_time": 0.0}
    names = simulation.joint_names, simulation.body_names, simulation.free_names
    return Header(name, scene.dt, *names, energy_terms(engine), stages(engine), (), extra)


def _scenery(scene: schema.Scene, simulation: Simulation) -> Scenery:
    planes = tuple((plane.point, plane.normal) for plane in simulation.planes)
    return Scenery(simulation.surfaces, planes, up(scene.gravity), scene.view.eye, scene.view.target)


def _take_steps(simulation: Simulation, writer: RecordingWriter, steps: int, quiet: bool) -> None:
    """The loop; nothing is printed in it but the progress bar, ten times a second."""
    counts, begin = writer.header.counts, perf_counter()
    buffers = {name: np.full((2, *q.sizes(counts)), np.nan) for name, q in QUANTITIES.items()}
    buffers["time"][0] = 0.0
    simulation.write(buffers, 0)
    writer.append({name: buffer[0] for name, buffer in buffers.items()})
    with StopRequest() as stop, progress(writer.header.name, steps, quiet) as show:
        for index in range(steps):
            start = perf_counter()
            simulation.step(index)
            buffers["step_time"][1] = perf_counter() - start
            buffers["time"][1] = (index + 1) * writer.header.dt
            simulation.write(buffers, 1)
            writer.append({name: buffer[1] for name, buffer in buffers.items()} | dict(figures(simulation.engine)))
            writer.header.extra["wall_time"] = perf_counter() - begin
            if writer.is_due:
                writer.flush()
            show(index + 1)
            stop.check()


def _finish(folder: Path, quiet: bool) -> Result:
    """Draw what there is, and tell."""
    recording = read_recording(folder)
    plot, end = folder / "motion.png", folder / "end.png"
    notes = {plot: draw_plot(recording, plot), end: draw_scene(recording, end)}
    files = [folder / STORE, *(picture for picture, note in notes.items() if note is None)]
    result = Result(recording, tuple(files), tuple(note for note in notes.values() if note))
    if not quiet:
        print_summary(result)
    return result
