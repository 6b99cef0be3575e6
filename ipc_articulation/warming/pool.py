"""Processes that compile at the same time, because numba compiles one function at a time in a process."""

from __future__ import annotations

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
from ipc_articulation.warming.entrances import DONE, KINDS, entrances_of

_PROGRAM = "-m", "ipc_articulation.warming.worker"
_MOST = 8  # processes: then the dearest function takes as long as all others, and each needs 0.4 GB


@dataclass(frozen=True)
class Compiled:
    """What `warm` has done.

    Attributes:
        functions: Number of functions that were compiled; 0 where all were on disk.
        processes: How many have compiled.
        seconds: Wall time.
    """

    functions: int
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
    with progress("compiling", left, quiet, note=_seconds) as show, _workers(number, kinds, subprocess.PIPE) as running:
        if left and not running:
            raise EngineError("the system starts no process that compiles")
        with ThreadPoolExecutor(max(len(running), 1)) as threads:
            said = list(threads.map(lambda process: _listen(process, lambda: show(next(done))), running))
        complaints = [text for process, text in zip(running, said, strict=True) if process.wait() != 0]
    if complaints:
        raise EngineError(f"compiling failed: {(complaints[0].strip() or 'a process was ended').splitlines()[-1]}")
    return Compiled(next(done) - 1, len(running), perf_counter() - start)


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
    command = [sys.executable, *_PROGRAM, *kinds]
    try:
        with suppress(OSError):
            for _ in range(number):
                running.append(
                    subprocess.Popen(
                        command,
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
            process.communicate()


def _listen(process: subprocess.Popen[str], done: Callable[[], None]) -> str:
    """Call `done` for each function that a process has compiled; returns what else it says."""
    others = []
    for line in process.stdout or ():
        if line.startswith(DONE):
            done()
        else:
            others.append(line)
    return "".join(others)


def _seconds(done: int, seconds: float) -> str:
    return f"{seconds:.0f} s"
