"""Processes that compile at the same time, because numba compiles one function at a time in a process."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import count
from time import perf_counter

from ipc_articulation.cores import cores
from ipc_articulation.errors import EngineError
from ipc_articulation.progress import progress
from ipc_articulation.warming.entrances import DONE, FAILED, KINDS, entrances_of

_PROGRAM = "-m", "ipc_articulation.warming.worker"
_MOST = 8  # processes: then the dearest function takes as long as all others, and each needs 0.4 GB


@dataclass(frozen=True)
class Compiled:
    """What `warm` has done.

    Attributes:
        functions: Number of functions that were compiled; 0 where all were on disk.
        missing: Number of functions that are not on disk, because another process compiles them or the disk is full.
        processes: How many have compiled.
        seconds: Wall time.
    """

    functions: int
    missing: int
    processes: int
    seconds: float


def warm(kinds: Sequence[str] = KINDS, quiet: bool = False) -> Compiled:
    """Compile what scenes of some kinds need, so that their first run finds it on disk.

    Args:
        kinds: Some of `KINDS`.
        quiet: Show no progress bar.

    Raises:
        EngineError: A kind is unknown, or a function could not be compiled; with what was said of it.
    """
    for kind in kinds:
        if kind not in KINDS:
            raise EngineError(f"kind '{kind}' of scenes is unknown; kinds: {', '.join(KINDS)}")
    start, done = perf_counter(), count(1)
    left = sum(not entrance.is_on_disk() for entrance in entrances_of(kinds))
    number = min(cores(), _MOST, left)
    bar = progress("compiling", left, quiet, note=_seconds)
    with bar as show, ThreadPoolExecutor(_MOST) as threads, _workers(number, kinds, subprocess.PIPE) as running:
        if left and not running:
            raise EngineError("the system starts no process that compiles")
        said = list(threads.map(lambda process: _listen(process, lambda: show(next(done))), running))
        complaints = [lines for process, lines in zip(running, said, strict=True) if process.wait() != 0]
    if complaints:
        raise EngineError(f"compiling failed: {_reason(complaints[0])}")
    missing = sum(not entrance.is_on_disk() for entrance in entrances_of(kinds))
    return Compiled(next(done) - 1, missing, len(running), perf_counter() - start)


@contextmanager
def helping(kinds: Sequence[str]) -> Iterator[None]:
    """Let other processes compile, while the block runs, what scenes of some kinds need: one on each other core.

    What one of them is compiling when this process needs it is waited for.
    """
    with _workers(min(cores(), _MOST) - 1, kinds, subprocess.DEVNULL):
        yield


@contextmanager
def _workers(number: int, kinds: Sequence[str], output: int) -> Iterator[list[subprocess.Popen[str]]]:
    """Processes that work while the block runs, as many as start; they do not get the Ctrl-C of its terminal."""
    running: list[subprocess.Popen[str]] = []
    command = [sys.executable, "-P", *_PROGRAM, str(os.getpid()), *kinds]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}  # with -P the same modules as here
    try:
        with suppress(OSError):
            for _ in range(number):
                running.append(
                    subprocess.Popen(
                        command,
                        env=environment,
                        stdin=subprocess.DEVNULL,
                        stdout=output,
                        stderr=subprocess.STDOUT,
                        text=True,
                        start_new_session=True,
                    )
                )
        yield running
    finally:
        for process in running:
            process.kill()
        for process in running:
            process.wait()


def _listen(process: subprocess.Popen[str], done: Callable[[], None]) -> list[str]:
    """Call `done` for each function that a process has compiled; returns the other lines that it says."""
    others = []
    assert process.stdout is not None
    with process.stdout as lines:
        for line in lines:
            if line.startswith(DONE):
                done()
            elif line.strip():
                others.append(line.strip())
    return others


def _reason(lines: list[str]) -> str:
    """Why a process has failed, of the lines that it has said."""
    failed = [line.removeprefix(FAILED) for line in lines if line.startswith(FAILED)]
    return (failed or lines or ["a process was ended"])[-1]


def _seconds(done: int, seconds: float) -> str:
    return f"{seconds:.0f} s"
