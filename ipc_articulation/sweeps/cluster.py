"""A sweep on a Ray cluster: each run is a task with one CPU, on whichever node has one free.

On its node a task hands the run to a worker process of its own (`WorkerProcess`), so a run that crashes or
takes too long ends as it does on one machine. A task whose node is lost is given to another node. The nodes need this
package, and the scene's folder and that of the results at the same paths as here, on a file system that all nodes can
access.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from types import ModuleType
from typing import Any

from ipc_articulation.errors import SweepError
from ipc_articulation.extras import need
from ipc_articulation.sweeps.record import Record
from ipc_articulation.sweeps.worker_process import Request, WorkerProcess

_LOSSES = 3  # how often a node may be lost under one and the same run
_PER_CPU = 2  # tasks that are under way or wait at the cluster
_PATIENCE = 20.0  # seconds for a cluster to answer


def on_cluster(
    requests: Iterable[Request], address: str, time_limit: float | None, check: Callable[[], None]
) -> Generator[Record]:
    """Do all requests. Yields their records in the order in which they end.

    Args:
        requests: See `worker.perform`.
        address: "auto" for the cluster that this machine belongs to, HOST:PORT, or ray://HOST:PORT.
        time_limit: Time limit of one run [s].
        check: Called before each run; an error in it ends the sweep.

    Raises:
        SweepError: There is no cluster at the address.
        MissingPackageError: Ray is not installed.
    """
    ray = need("ray")
    with connected(ray, address):
        task = ray.remote(num_cpus=1, max_retries=_LOSSES)(_do)
        most = _PER_CPU * max(1, int(ray.cluster_resources().get("CPU", 1)))
        waiting = deque(requests)
        under_way: dict[Any, Request] = {}
        try:
            while waiting or under_way:
                while waiting and len(under_way) < most:
                    check()
                    request = waiting.popleft()
                    under_way[task.remote(request, time_limit)] = request
                ended, _ = ray.wait(list(under_way), timeout=0.5)
                for reference in ended:
                    yield _record(ray, reference, under_way.pop(reference))
        finally:
            for reference in under_way:
                ray.cancel(reference, force=True)


def require_cluster(address: str) -> None:
    """Raise an error quickly where no Ray cluster answers.

    Ray itself tries for minutes and then ends the whole process, so it is asked in a process of its own.

    Raises:
        SweepError: None does; says why.
    """
    host, colon, port = address.removeprefix("ray://").rpartition(":")
    if address != "auto":
        if not (colon and host and port.isdecimal()):
            raise SweepError(f"'{address}' is no address of a Ray cluster; valid: auto, HOST:PORT, ray://HOST:PORT")
        try:
            socket.create_connection((host, int(port)), timeout=5.0).close()
        except OSError as error:
            reason = error.strerror or error
            raise SweepError(f"no Ray cluster at '{address}': {reason}; `ray start --head` makes one") from error
    command = [sys.executable, "-c", "import sys, ray; ray.init(address=sys.argv[1], log_to_driver=False)", address]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_PATIENCE)
    except subprocess.TimeoutExpired as error:
        words = (error.stderr or b"").decode(errors="replace").strip().rpartition("\n")[2]
        reason = f"what is there does not answer as one in {_PATIENCE:.0f} s: {words}"
        raise SweepError(f"no Ray cluster at '{address}': {reason}") from error
    if done.returncode:
        lines = done.stderr.strip().splitlines() or [f"status {done.returncode}"]
        raise SweepError(f"no Ray cluster at '{address}': {lines[-1]}")


@contextmanager
def connected(ray: ModuleType, address: str) -> Iterator[None]:
    """While it is entered, Ray's calls go to the cluster; a connection that the caller has made is used and left."""
    if ray.is_initialized():
        yield
        return
    require_cluster(address)
    ray.init(address=address, log_to_driver=False, logging_level="ERROR")
    try:
        yield
    finally:
        ray.shutdown()


def _record(ray: ModuleType, reference: Any, request: Request) -> Record:
    try:
        return ray.get(reference)
    except ray.exceptions.RayError as error:
        text = str(error).strip().splitlines()[0]
        return Record(request["id"], request["settings"], "worker died", type(error).__name__, text)


def _do(request: Request, time_limit: float | None) -> Record:
    """A task, on the node that does it."""
    return _worker(os.getpid()).do(request, time_limit)


@cache
def _worker(pid: int) -> WorkerProcess:
    """The worker of a process of Ray."""
    return WorkerProcess()
