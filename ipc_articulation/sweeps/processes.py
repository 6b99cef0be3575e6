"""A sweep on this machine, by several worker processes."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from queue import Empty, SimpleQueue

from ipc_articulation.sweeps.record import Record
from ipc_articulation.sweeps.worker_process import Request, WorkerProcess


def in_processes(
    requests: Iterable[Request], workers: int, time_limit: float | None, check: Callable[[], None]
) -> Generator[Record]:
    """Do all requests, several at a time. Yields their records in the order in which they end.

    Args:
        requests: See `worker.perform`.
        workers: Number of processes.
        time_limit: Time limit of one run [s].
        check: Called before each run; an error in it ends the sweep.

    Raises:
        SweepError: No worker can be started.
    """
    pool = [WorkerProcess() for _ in range(workers)]
    idle: SimpleQueue[WorkerProcess] = SimpleQueue()
    for worker in pool:
        idle.put(worker)

    def do(request: Request) -> Record:
        worker = idle.get()
        try:
            check()
            return worker.do(request, time_limit)
        finally:
            idle.put(worker)

    ended: SimpleQueue[Future[Record]] = SimpleQueue()
    threads = ThreadPoolExecutor(workers)  # each waits for one process
    try:
        futures = [threads.submit(do, request) for request in requests]
        for future in futures:
            future.add_done_callback(ended.put)
        for _ in futures:
            yield _next(ended).result()
    finally:
        threads.shutdown(wait=False, cancel_futures=True)
        for worker in pool:
            worker.close()


def _next(ended: SimpleQueue[Future[Record]]) -> Future[Record]:
    """The next future that ends; wakes up now and then, as some systems cannot interrupt a waiting thread."""
    while True:
        try:
            return ended.get(timeout=0.5)
        except Empty:
            continue
