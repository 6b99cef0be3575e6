"""Runs a scene file from the beginning: `run`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ipc_articulation.arguments import COUNT, DURATION, FLAG, PATH, TEXT, checked, instance, optional
from ipc_articulation.errors import IpcArticulationError
from ipc_articulation.recording import Header, RecordingWriter, Scenery
from ipc_articulation.recording.environments import ENVIRONMENTS, FAILURES
from ipc_articulation.recording.header import JOINT_UNITS
from ipc_articulation.running.execution import Manner, execute
from ipc_articulation.running.job import Job
from ipc_articulation.running.output import WORKSPACE, claimed_for_run, remove_results
from ipc_articulation.running.result import Result
from ipc_articulation.running.warned import WARNED, no_warnings
from ipc_articulation.scenefile import schema
from ipc_articulation.scenefile.reading import read_scene
from ipc_articulation.simulation.bodies import up
from ipc_articulation.simulation.building import build
from ipc_articulation.simulation.simulation import Shown, Simulation
from ipc_articulation.viewing.meshes import Show, require_show
from ipc_articulation.watching.engine_report import contact_names, energy_terms, stages

DEFAULT_OUT = Path("out")
OPTIONS = {
    "steps": optional(COUNT),
    "time_limit": optional(DURATION),
    **dict.fromkeys(("quiet", "pictures"), FLAG),
}


@checked(
    IpcArticulationError,
    (),
    path=PATH,
    engine=TEXT,
    out=optional(PATH),
    settings=optional(instance(Mapping)),
    name=optional(TEXT),
    force=FLAG,
    **OPTIONS,
)
def run(
    path: str | Path,
    engine: str = "auto",
    steps: int | None = None,
    out: str | Path | None = None,
    quiet: bool = False,
    settings: Mapping[str, Any] | None = None,
    name: str | None = None,
    force: bool = False,
    pictures: bool = True,
    time_limit: float | None = None,
    show: Show = "visual",
) -> Result:
    """Run a scene file and write its recording and pictures to `out/NAME/`.

    What was recorded is on disk also when a step fails, Ctrl-C stops the run or the process is killed; `resume` goes
    on with it.

    Args:
        path: The scene file.
        engine: "cpu", "cuda", "none", or "auto" (see `build`).
        steps: Number of steps, instead of the file's.
        out: Folder of all results; `out` where it is not given.
        quiet: Print no progress bar and no summary.
        settings: Values that replace the file's, by path, such as `contact.friction` or `bodies.crate.mass`.
        name: Name of the run and its folder; by default that of the file, and where that folder holds a run, with the
            first free number: `pendulum`, `pendulum_2`, `pendulum_3`.
        force: Replace the results of an earlier run in the folder of that name, without a number.
        pictures: Draw the pictures at the end.
        time_limit: Seconds of wall time after which the run ends.
        show: Surfaces of bodies in the pictures: "visual" ones of bodies that have any, "collision" or "both".

    Raises:
        SceneFileError: The file is wrong; with line and column.
        OutputError: The folder of a given `name` holds a run, or another process runs in it; or it is not below `out`.
        RecordingError: The disk is full; what was recorded before is kept.
        TimeLimitError: The run takes too long.
        ViewingError: `show` is no choice.
        IpcArticulationError: An argument is of another type, the scene cannot be built, or a step failed.
        KeyboardInterrupt: The run was stopped.
    """
    path = Path(path)
    require_show(show)
    scene, document = read_scene(path, settings)
    out, chosen = Path(DEFAULT_OUT if out is None else out), path.stem if name is None else name
    count = scene.steps if steps is None else steps
    with claimed_for_run(out, chosen, force, is_default=name is None) as folder:
        simulation = build(scene, document, engine, folder / WORKSPACE, count)
        remove_results(folder)  # not before: a scene that cannot be built has cost nothing
        job = Job.of(scene, document, simulation.engine.backend_name(), count)
        job.write(folder)
        return begin(simulation, scene, job, folder, Manner(quiet, pictures, time_limit, show))


def begin(simulation: Simulation, scene: schema.Scene, job: Job, folder: Path, manner: Manner) -> Result:
    """Run a simulation from its initial state, in a folder without a recording; errors as in `run`."""
    header = _header(folder.name, scene, job, simulation)
    writer = RecordingWriter.create(folder, header, scenery_of(scene, simulation), job.steps + 1, at_once=False)
    return execute(simulation, writer, scene, (0, job.steps), folder, manner)


def _header(name: str, scene: schema.Scene, job: Job, simulation: Simulation) -> Header:
    engine = simulation.engine
    extra: dict[str, Any] = {
        "file": Path(job.file).name,
        "title": scene.title,
        "engine": job.engine,
        "settings": job.settings,
        "ran_code": list(simulation.ran_code),
        "drawn": dict(simulation.drawn),
        JOINT_UNITS: dict(simulation.joint_units),
        "planned_steps": job.steps,
        "wall_time": 0.0,
        WARNED: no_warnings(),
    }
    if isinstance(scene, schema.RobotScene) and scene.environments is not None:
        extra |= {ENVIRONMENTS: scene.environments.count, FAILURES: simulation.failures}  # a list that grows
    names = simulation.joint_names, simulation.body_names, simulation.free_names
    soft = tuple(s.name for s in simulation.soft_shapes), tuple(len(s.vertices) for s in simulation.soft_shapes)
    return Header(name, scene.dt, *names, energy_terms(engine), stages(engine), contact_names(engine), extra, *soft)


def scenery_of(scene: schema.Scene, simulation: Shown) -> Scenery:
    """What pictures of a simulation show: its surfaces and half-planes, and the camera."""
    planes = tuple((plane.point, plane.normal) for plane in simulation.planes)
    view = scene.view
    soft, cameras = simulation.soft_shapes, simulation.cameras
    return Scenery(simulation.surfaces, planes, up(scene.gravity), view.eye, view.target, soft, cameras)
