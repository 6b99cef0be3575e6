"""Runs a scene with our engine in this process, or with STARK in one of its own; both return the same figures."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from time import perf_counter, process_time

import numpy as np
import uipc
from numpy.typing import NDArray

from benchmarks.stark.build import PROGRAM
from benchmarks.stark.cases import Case, converging
from ipc_articulation import Engine
from ipc_articulation.cores import THREADS
from ipc_articulation.engine.newton.newton_report import NewtonResult

WARM_UP = 5  # steps that are left out


@dataclass
class Run:
    """What the steps of a scene took, without the first ones."""

    threads: int
    milliseconds: list[float] = field(default_factory=list)
    processor: list[float] = field(default_factory=list)  # time of the processor [ms], which other load does not change
    iterations: list[float] = field(default_factory=list)  # Newton's, of each step
    at_end: NDArray[np.float64] = field(default_factory=lambda: np.zeros((1, 3)))  # centres of bodies, or soft vertices
    stages: dict[str, float] = field(default_factory=dict)  # by their names, of all steps [ms per step]

    @property
    def mean(self) -> float:
        return fmean(self.milliseconds)

    @property
    def height(self) -> float:
        """Mean at the end [m]."""
        return float(self.at_end[:, 2].mean())

    @property
    def extent(self) -> float:
        """Difference between the highest and the lowest at the end [m]."""
        return float(np.ptp(self.at_end[:, 2]))


def run_ours(case: Case, threads: int) -> Run:
    """The scene with our engine.

    Raises:
        RuntimeError: A step did not converge.
    """
    run, stages = Run(threads), dict[str, float]()
    with tempfile.TemporaryDirectory() as workspace, _at_most(threads):
        engine = Engine("cpu", workspace)
        world = uipc.World(engine)
        world.init(converging(case.make()))
        for step in range(case.steps):
            wake(engine)
            start, processor_start = perf_counter(), process_time()
            world.advance()
            milliseconds, processor = 1e3 * (perf_counter() - start), 1e3 * (process_time() - processor_start)
            statistics = engine.statistics
            if statistics.newton.result is not NewtonResult.CONVERGED:
                raise RuntimeError(f"step {step + 1} of {case.name} did not converge: {statistics.newton.result.value}")
            if step >= WARM_UP:
                run.milliseconds.append(milliseconds)
                run.processor.append(processor)
                run.iterations.append(statistics.newton.iterations)
            for stage, seconds in statistics.stages.items():
                stages[stage] = stages.get(stage, 0.0) + 1e3 * seconds / case.steps
        run.at_end, run.stages = _positions(engine), stages
    return run


def _positions(engine: Engine) -> NDArray[np.float64]:
    """Of the vertices of soft bodies if there are any, else of the bodies, (n, 3) [m]."""
    accessor = engine.vertex_accessor
    if accessor.vertex_count() == 0:
        return np.array(engine.cpu.state.q[:, :3])
    vertices = accessor.create_geometry()
    accessor.copy_to(vertices)
    return np.array(vertices.positions().view()[:, :, 0])


def wake(engine: Engine) -> None:
    """Let the next step compute all bodies, also those that the last one did not change."""
    engine.cpu._now = engine.cpu._now._replace(rested=None)


def run_stark(case: Case, threads: int) -> Run:
    """The scene with STARK.

    Raises:
        RuntimeError: It failed; the message is its own.
    """
    with tempfile.TemporaryDirectory() as folder:
        scene = Path(folder) / "scene.txt"
        scene.write_text(case.text + "\n")
        environment = {**os.environ, "OMP_NUM_THREADS": str(threads)}
        command = [str(PROGRAM), str(scene), str(threads)]
        done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    if done.returncode:
        raise RuntimeError(f"STARK failed on {case.name}: {done.stderr.strip() or done.stdout.strip()[-500:]}")
    found = json.loads(done.stdout[done.stdout.rindex("\n{") + 1 :] if "\n{" in done.stdout else done.stdout)
    stages = {name: 1e3 * seconds / case.steps for name, seconds in found["seconds"].items()}
    return Run(
        threads,
        *(found[name][WARM_UP:] for name in ("milliseconds", "processor_milliseconds", "iterations")),
        at_end=np.reshape(found["positions"], (-1, 3)),
        stages=stages,
    )


@contextmanager
def _at_most(threads: int) -> Iterator[None]:
    """So many threads of our engine."""
    before = os.environ.get(THREADS)
    os.environ[THREADS] = str(threads)
    try:
        yield
    finally:
        if before is None:
            del os.environ[THREADS]
        else:
            os.environ[THREADS] = before
