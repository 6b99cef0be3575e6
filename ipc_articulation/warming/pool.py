"""Runs the jobs of `jobs`, as many at once as there are cores."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from time import perf_counter

from ipc_articulation.cores import cores
from ipc_articulation.errors import EngineError
from ipc_articulation.progress import progress
from ipc_articulation.warming.jobs import JOBS

KINDS = tuple(JOBS)


@dataclass(frozen=True)
class Compiled:
    """What a job has done.

    Attributes:
        kind: Of scenes, one of `KINDS`.
        job: Its name.
        functions: Number of functions that it has compiled; 0 where all were on disk.
        seconds: Wall time.
    """

    kind: str
    job: str
    functions: int
    seconds: float


def warm(kinds: Sequence[str] = KINDS, quiet: bool = False) -> list[Compiled]:
    """Compile what scenes of some kinds need, so that their first run finds it on disk.

    Args:
        kinds: Some of `KINDS`.
        quiet: Show no progress bar.

    Raises:
        EngineError: A kind is unknown, or a job failed; with what it said last.
    """
    for kind in kinds:
        if kind not in JOBS:
            raise EngineError(f"kind '{kind}' of scenes is unknown; kinds: {', '.join(KINDS)}")
    return _done([(kind, tuple(stage)) for kind in kinds for stage in JOBS[kind]], quiet)


def _done(stages: Iterable[tuple[str, tuple[str, ...]]], quiet: bool) -> list[Compiled]:
    stages, done, running = list(stages), list[Compiled](), list[subprocess.Popen[str]]()
    total = sum(len(jobs) for _, jobs in stages)
    try:
        with progress("compiling", total, quiet, note=_seconds) as show, ThreadPoolExecutor(cores()) as pool:
            for kind, jobs in stages:
                for job in as_completed([pool.submit(_run, kind, name, running.append) for name in jobs]):
                    done.append(job.result())
                    show(len(done))
    finally:
        for process in running:
            process.kill()
    return done


def _seconds(done: int, seconds: float) -> str:
    return f"{seconds:.0f} s"


def _run(kind: str, job: str, begun: Callable[[subprocess.Popen[str]], None]) -> Compiled:
    start = perf_counter()
    command = [sys.executable, "-m", "ipc_articulation.warming.jobs", job]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        begun(process)
        said, complaint = process.communicate()
    if process.returncode:
        last = (complaint.strip().splitlines() or [f"exit status {process.returncode}"])[-1]
        raise EngineError(f"compiling for '{kind}' failed in '{job}': {last}")
    return Compiled(kind, job, int(said.split()[-1]), perf_counter() - start)
