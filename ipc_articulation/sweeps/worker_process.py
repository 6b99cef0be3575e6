"""A worker process seen from the process that hands out the work."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from shutil import rmtree
from threading import Timer
from time import perf_counter
from typing import Any

from ipc_articulation.errors import SweepError
from ipc_articulation.sweeps.record import Record, numbers_in

Request = dict[str, Any]  # see `worker.perform`

_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
_MESSAGE_LENGTH = 300  # characters
_WARM_UP = 300.0  # seconds for the first step of a process, which may compile


class WorkerProcess:
    """Does one run at a time; it is started when it is first needed, and again after it has died.

    It is a program of its own, `worker`, which no script's main module is imported into, and uses one thread: N of them
    on N cores then do N times the work of one.
    """

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None
        self._closed = False
        self._is_fresh = False

    def do(self, request: Request, time_limit: float | None) -> Record:
        """Do one run; one that takes the process down or takes too long is recorded like any other.

        Args:
            request: See `worker.perform`; where its `keep` is "summaries", the run's folder is removed.
            time_limit: Seconds after which it is ended; a fresh process first takes one step without this limit.

        Raises:
            SweepError: The process does not start.
        """
        process, deadline = self._started(), Deadline()
        if time_limit is not None and self._is_fresh:
            _warm_up(process, request, deadline, time_limit + _WARM_UP)
        self._is_fresh = False
        begin = perf_counter()
        with deadline.over(process, time_limit):
            answer = _ask(process, request)
        folder = Path(request["runs"]) / request["id"]
        if deadline.passed or answer is None:
            self._process = None
            cause = self._cause(_reaped(process))
        if answer is not None:
            record = Record(**answer)
        elif deadline.passed:
            record = _ended(request, begin, "timed out", "TimeLimitError", f"it took longer than {time_limit:g} s")
        else:
            record = _ended(request, begin, "worker died", "WorkerDied", cause)
        if request["keep"] == "summaries":
            rmtree(folder, ignore_errors=True)
        return record

    def close(self) -> None:
        """End the process, whatever it is doing."""
        self._closed = True
        process = self._process
        if process is not None:
            process.kill()
            _reaped(process)

    def _started(self) -> subprocess.Popen[str]:
        if self._process is not None and self._process.poll() is None:
            return self._process
        if self._closed:
            raise SweepError("the sweep has ended")
        self._is_fresh = True
        self._log = tempfile.TemporaryFile()  # noqa: SIM115
        process = self._process = subprocess.Popen(
            [sys.executable, "-m", "ipc_articulation.sweeps.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
            encoding="utf-8",
            env={**os.environ, **dict.fromkeys(_THREADS, "1")},
            start_new_session=True,  # Ctrl-C is for the process that hands out the work; so on Windows:
            creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
        )
        assert process.stdout is not None
        if not process.stdout.readline() and not self._closed:
            raise SweepError(f"a worker process cannot start: {self._cause(_reaped(process))}")
        return process

    def _cause(self, code: int) -> str:
        """How a process ended, and its final message."""
        how = f"it ended by signal {signal.Signals(-code).name}" if code < 0 else f"it ended with status {code}"
        self._log.seek(0)
        message = final_message(self._log.read().decode(errors="replace"))
        return f"{how}; its final message: {message}" if message else how


class Deadline:
    """Ends a process that takes too long.

    Attributes:
        passed: Whether it did.
    """

    passed = False

    @contextmanager
    def over(self, process: subprocess.Popen[str], seconds: float | None) -> Iterator[None]:
        """While it is entered the process has so much time; None for as much as it takes."""
        if seconds is None:
            yield
            return

        def end() -> None:
            self.passed = True
            process.kill()

        timer = Timer(seconds, end)
        timer.start()
        yield
        timer.cancel()
        timer.join()


def final_message(log: str) -> str:
    """The last line that a process wrote; of a crash, its name and the innermost line of Python."""
    crash = log.rfind("Fatal Python error")
    if crash < 0:
        return log.strip().rpartition("\n")[2][-_MESSAGE_LENGTH:]
    report = log[crash:]
    place = re.search(r"^Current thread.*\n\s*(File .*)$", report, re.MULTILINE)
    return report.partition("\n")[0] + (f", {place[1]}" if place else "")


def _ask(process: subprocess.Popen[str], request: Request) -> dict[str, Any] | None:
    """A process's answer; None where it died."""
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        process.stdin.write(json.dumps(request) + "\n")
        process.stdin.flush()
        line = process.stdout.readline()
        return json.loads(line) if line.endswith("\n") else None
    except (OSError, ValueError):  # ValueError: closed meanwhile
        return None


def _warm_up(process: subprocess.Popen[str], request: Request, deadline: Deadline, seconds: float) -> None:
    """Take the first step of a run, whatever comes of it: a time limit is not for imports and compilation."""
    with tempfile.TemporaryDirectory() as folder, deadline.over(process, seconds):
        _ask(process, {**request, "steps": 1, "runs": folder})


def _reaped(process: subprocess.Popen[str]) -> int:
    """The status of a process that ends, with its pipes closed."""
    code = process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with suppress(OSError):
                pipe.close()
    return code


def _ended(request: Request, begin: float, status: Any, error_class: str, error: str) -> Record:
    """The record of a run that its process did not survive, with what it had recorded."""
    numbers = numbers_in(Path(request["runs"]) / request["id"])
    return Record(request["id"], request["settings"], status, error_class, error, perf_counter() - begin, numbers)
