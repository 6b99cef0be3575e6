"""A worker process seen from the process that hands out the work."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from shutil import rmtree
from threading import TIMEOUT_MAX, Event, Timer
from time import perf_counter
from typing import Any

from ipc_articulation.cores import THREADS
from ipc_articulation.errors import SweepError, TimeLimitError
from ipc_articulation.sweeps.record import Record, Status, numbers_in
from ipc_articulation.sweeps.run_name import run_name

Request = dict[str, Any]  # see `worker.perform`

_THREADS = (
    THREADS,
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)
_SIGNALS = {number.value: number.name for number in signal.Signals}  # real-time signals have numbers only
_MESSAGE_LENGTH = 300  # characters
_WARM_UP = 300.0  # seconds for the first step of a process, which may compile


class WorkerDied(Exception):  # noqa: N818
    """A worker process ended before it gave an answer."""


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
        folder = Path(request["runs"]) / run_name(request["id"], request["settings"])
        self._start()
        begin = perf_counter()
        try:
            if time_limit is not None and self._is_fresh:
                self._warm_up(request, time_limit + _WARM_UP)
                begin = perf_counter()
            record = Record(**self._answer(request, time_limit))
        except (TimeLimitError, WorkerDied) as error:
            status: Status = "timed out" if isinstance(error, TimeLimitError) else "worker died"
            known = request["id"], request["settings"], status, type(error).__name__, str(error)
            record = Record(*known, perf_counter() - begin, numbers_in(folder))
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

    def _start(self) -> None:
        """Start the process, unless it is running."""
        self._is_fresh = self._process is None or self._process.poll() is not None
        if not self._is_fresh:
            return
        if self._closed:
            raise SweepError("the sweep has ended")
        try:
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
        except OSError as error:
            raise SweepError(f"a worker process cannot start: {error}") from error
        assert process.stdout is not None
        if not process.stdout.readline() and not self._closed:
            raise SweepError(f"a worker process cannot start: {self._cause(_reaped(process))}")

    def _warm_up(self, request: Request, seconds: float) -> None:
        """Take the first step of a run, whatever its result: a time limit is not for imports and compilation."""
        with tempfile.TemporaryDirectory() as folder:
            self._answer({**request, "steps": 1, "runs": folder}, seconds)

    def _answer(self, request: Request, seconds: float | None) -> dict[str, Any]:
        """Ask the process, and wait for its answer.

        Raises:
            TimeLimitError: It took longer than so many seconds, and was ended.
            WorkerDied: It ended by itself.
        """
        process, answer, late = self._process, None, Event()
        assert process is not None
        assert process.stdin is not None
        assert process.stdout is not None

        def end() -> None:
            late.set()
            process.kill()

        timer = Timer(TIMEOUT_MAX if seconds is None else seconds, end)
        timer.start()
        with suppress(OSError, ValueError):  # ValueError: closed meanwhile, or an answer cut off
            process.stdin.write(json.dumps(request) + "\n")
            process.stdin.flush()
            answer = json.loads(process.stdout.readline())
        timer.cancel()
        timer.join()
        if late.is_set() or answer is None:
            self._process, cause = None, self._cause(_reaped(process))
        if answer is not None:
            return answer
        raise TimeLimitError(f"it took longer than {seconds:g} s") if late.is_set() else WorkerDied(cause)

    def _cause(self, code: int) -> str:
        """How a process ended, and its final message."""
        how = f"it ended by signal {_SIGNALS.get(-code, -code)}" if code < 0 else f"it ended with status {code}"
        self._log.seek(0)
        message = final_message(self._log.read().decode(errors="replace"))
        return f"{how}; its final message: {message}" if message else how


def final_message(log: str) -> str:
    """The last line that a process wrote; of a crash, its name and the innermost line of Python."""
    crash = log.rfind("Fatal Python error")
    if crash < 0:
        return log.strip().rpartition("\n")[2][-_MESSAGE_LENGTH:]
    report = log[crash:]
    place = re.search(r"^Current thread.*\n\s*(File .*)$", report, re.MULTILINE)
    return report.partition("\n")[0] + (f", {place[1]}" if place else "")


def _reaped(process: subprocess.Popen[str]) -> int:
    """The status of a process that ends, with its pipes closed."""
    code = process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with suppress(OSError):
                pipe.close()
    return code
