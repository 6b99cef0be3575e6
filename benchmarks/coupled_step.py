"""Time of a coupled step and of its parts on the CPU engine, beside the bare step of MuJoCo.

Every scene runs from its start to its end. A sample is the mean over one block of steps, so that rare slow steps
count; the first steps are left out, they compile and warm up. MuJoCo's own step is taken in turn with ours, from the
same state on a copy, its contacts as its model has them. Last, a scene whose robot our own dynamics moves, its coupled
step in turn with that of the same scene with MuJoCo.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from time import perf_counter

import mujoco
import numpy as np

from benchmarks.harness import Row, main
from ipc_articulation.coupling import Coupling
from ipc_articulation.scenefile.reading import read_scene
from ipc_articulation.simulation.building import build

SCENES = Path(__file__).parents[1] / "scenes"
NAMES = ("hinge_pair", "hinge_slider", "pendulum", "panda_push", "go2_stand", "g1_fall")
WARM_UP, BLOCK = 10, 10


class Clock:
    """The time that each part of every step took [s]."""

    def __init__(self) -> None:
        self.parts: dict[str, list[float]] = {}

    def add(self, part: str, seconds: float) -> None:
        self.parts.setdefault(part, []).append(seconds)

    def wrap(self, part: str, function):
        """The same function, timed at every call."""

        def timed(*arguments):
            start = perf_counter()
            result = function(*arguments)
            self.add(part, perf_counter() - start)
            return result

        return timed


def measure(quick: bool) -> list[Row]:
    rows = []
    for name in NAMES:
        with tempfile.TemporaryDirectory() as workspace:
            rows += measure_scene(name, Path(workspace), quick)
    with tempfile.TemporaryDirectory() as workspace:
        rows += measure_native("panda_push", Path(workspace), quick)
    return rows


def measure_scene(name: str, workspace: Path, quick: bool) -> list[Row]:
    scene, document = read_scene(SCENES / f"{name}.yaml")
    steps = min(scene.steps, 60) if quick else scene.steps
    simulation, clock = build(scene, document, "cpu", workspace, steps), Clock()
    coupling = getattr(simulation, "coupling", None)
    step, distance = clock.wrap("step", simulation.step), clock.wrap("minimum_distance", simulation.minimum_distance)
    bare = None
    if coupling is not None:
        watch(coupling, clock)
        bare = clock.wrap("mujoco", bare_step(coupling.adapter.model, coupling.adapter.data))
    for index in range(steps):
        if bare is not None:
            bare()
        step(index)
        for stage, seconds in simulation.engine.statistics.stages.items():
            clock.add(f"engine: {stage}", seconds)
        distance()
    return rows_of(name, clock.parts)


def measure_native(name: str, workspace: Path, quick: bool) -> list[Row]:
    scene, document = read_scene(SCENES / f"{name}.yaml")
    steps, clock, takes = min(scene.steps, 60) if quick else scene.steps, Clock(), []
    for adapter in ("native", "mujoco"):
        chosen = scene.model_copy(update={"adapter": adapter})
        simulation = build(chosen, document, "cpu", workspace / adapter, steps)
        takes.append(clock.wrap(adapter, simulation.step))
        if adapter == "native":
            watch(simulation.coupling, clock)
    for index in range(steps):
        for take in takes:
            take(index)
    blocks = {part: means(times) for part, times in clock.parts.items()}
    step = Row(f"step/{name}/native", blocks["native"], "ms", blocks["mujoco"], "coupled with mujoco")
    return [step, *(Row(f"{part}/{name}/native", blocks[part], "ms") for part in ("predict", "commit"))]


def watch(coupling: Coupling, clock: Clock) -> None:
    """Time what is the adapter's in every step."""
    group = coupling._group
    group._predictions = clock.wrap("predict", group._predictions)
    group.commit = clock.wrap("commit", group.commit)


def bare_step(model: mujoco.MjModel, data: mujoco.MjData):
    """A function that takes MuJoCo's own step from the present state on a copy; returns the time of the step alone."""
    copy = mujoco.MjData(model)

    def step():
        mujoco.mj_copyState(model, data, copy, mujoco.mjtState.mjSTATE_INTEGRATION)
        mujoco.mj_step(model, copy)

    return step


def rows_of(name: str, parts: dict[str, list[float]]) -> list[Row]:
    blocks = {part: means(times) for part, times in parts.items()}
    peer = {"peer": blocks["mujoco"], "peer_name": f"mujoco {mujoco.__version__}"} if "mujoco" in blocks else {}
    rows = [Row(f"step/{name}", blocks["step"], "ms", **peer)]
    shown = {part: times for part, times in blocks.items() if part not in ("step", "mujoco") and max(times) > 0.0}
    return rows + [Row(f"{part}/{name}", times, "ms") for part, times in shown.items()]


def means(times: list[float]) -> list[float]:
    """Mean of each block [ms], without the warm-up."""
    kept = 1e3 * np.array(times[WARM_UP:])
    whole = len(kept) // BLOCK * BLOCK
    return kept[:whole].reshape(-1, BLOCK).mean(axis=1).tolist()


if __name__ == "__main__":
    main(__doc__, measure)
