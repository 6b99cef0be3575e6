"""The program of a worker process: it imports the package once, then runs what it is asked for, one run at a time.

    python -m ipc_articulation.sweeps.worker

Each line of its standard input is a request, each line of its standard output an answer, both JSON; the first line it
writes is `{}`, when it is ready. It ends, whatever it is doing, when its standard input ends: so no worker outlives the
process that started it.
"""

from __future__ import annotations

import faulthandler
import json
import os
import sys
import threading
from dataclasses import asdict
from pathlib import Path
from queue import SimpleQueue
from time import perf_counter
from traceback import extract_tb
from typing import Any

from ipc_articulation.errors import IpcArticulationError
from ipc_articulation.sweeps.record import Record, numbers_in, numbers_of
from ipc_articulation.sweeps.run_name import run_name


def main() -> None:
    """Answer requests until there are no more."""
    faulthandler.enable()
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what libraries print is no answer
    requests: SimpleQueue[str] = SimpleQueue()
    threading.Thread(target=_read_requests, args=(requests,), daemon=True).start()
    _import_heavy_packages()
    _send(answers, {})
    while True:
        _send(answers, asdict(perform(json.loads(requests.get()))))


def perform(request: dict[str, Any]) -> Record:
    """Run one case; its errors are in the record.

    Args:
        request: `id` and `settings` of the case, `file`, `engine` and `steps` of the sweep's basis, and `runs`, the
            folder below which the run gets one of its own.
    """
    from ipc_articulation.running import run

    id, settings, folder = request["id"], request["settings"], Path(request["runs"])
    name = run_name(id, settings)
    begin = perf_counter()
    try:
        result = run(
            request["file"],
            engine=request["engine"],
            steps=request["steps"],
            out=folder,
            name=name,
            settings=settings,
            quiet=True,
            force=True,
            pictures=False,
        )
    except BaseException as error:  # also what a controller of a scene raises
        return Record(
            id,
            settings,
            "failed",
            type(error).__name__,
            _text(error),
            perf_counter() - begin,
            numbers_in(folder / name),
        )
    wall_time, recording = perf_counter() - begin, result.recording
    return Record(id, settings, "done", None, None, wall_time, numbers_of(recording), recording.extra["drawn"])


def _text(error: BaseException) -> str:
    """The message of an error; for an error that is not of this package also its origin."""
    if isinstance(error, IpcArticulationError) or not error.__traceback__:
        text = str(error)
    else:
        last = extract_tb(error.__traceback__)[-1]
        text = f"{error} ({last.filename}:{last.lineno})"
    return text.encode(errors="backslashreplace").decode()  # names of files need not be Unicode


def _read_requests(requests: SimpleQueue[str]) -> None:
    for line in sys.stdin:
        requests.put(line)
    os._exit(0)


def _import_heavy_packages() -> None:
    """Import them now, so that no run's time includes it; with one thread each, as every core has its own worker."""
    import ipctk

    import ipc_articulation.running  # noqa: F401

    ipctk.set_num_threads(1)


def _send(stream: Any, answer: dict[str, Any]) -> None:
    stream.write(json.dumps(answer) + "\n")
    stream.flush()


if __name__ == "__main__":
    main()
