"""The cores of the machine that this process may use, and work that is shared among them.

Work is shared in parts of a fixed size, whatever the number of cores, and the results of the parts are joined in their
order: so they are the same, bit for bit, on one core and on many.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from functools import lru_cache
from itertools import pairwise
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Result = TypeVar("Result")

THREADS = "IPC_ARTICULATION_THREADS"  # environment variable: the most cores that a process takes


def cores() -> int:
    """Number of cores that this process may use: those it is bound to, and at most what `THREADS` says."""
    bound = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    wanted = os.environ.get(THREADS, "")
    return min(bound, int(wanted)) if wanted.isdecimal() and int(wanted) > 0 else bound


def parts(count: int, size: int) -> list[slice]:
    """Parts of range(count) of at most a size, the same on every machine; one part at least."""
    return [slice(first, min(first + size, count)) for first in range(0, max(count, 1), size)]


def parts_of_sizes(sizes: NDArray[np.int64], size: int) -> list[slice]:
    """Parts of range(len(sizes)) whose sizes (n,) sum to about a size, at least one each; one part at least."""
    ends = np.cumsum(sizes)
    last = np.searchsorted(ends, np.arange(size, int(ends[-1]) if len(ends) else 0, size)) + 1
    bounds = [0, *sorted(set(last.tolist()) - {0, len(sizes)}), len(sizes)]
    return [slice(first, after) for first, after in pairwise(bounds)]


def share(work: Callable[[slice], Result], pieces: Sequence[slice]) -> list[Result]:
    """The results of work on each piece, in order; machine code that releases Python's lock runs on all cores."""
    return list(in_turn(work, pieces))


def in_turn(work: Callable[[slice], Result], pieces: Sequence[slice]) -> Iterator[Result]:
    """The results of `share`, one after the other, each as soon as it and those before it are there.

    The calling thread works through the pieces from the first on, and others from the last, until they meet: so it
    waits at the end alone, and only for pieces that have been begun. To wake a thread can take as long as a piece.
    """
    threads = min(cores(), len(pieces)) if len(pieces) > 1 else 1
    return map(work, pieces) if threads == 1 else _taken(work, pieces, threads - 1)


def _taken(work: Callable[[slice], Result], pieces: Sequence[slice], others: int) -> Iterator[Result]:
    left, found = deque(range(len(pieces))), dict[int, Future[Result]]()

    def do(taken: Callable[[], int]) -> bool:
        try:
            k = taken()
        except IndexError:
            return False
        piece = Future[Result]()
        try:
            piece.set_result(work(pieces[k]))
        except BaseException as error:  # raised in its turn, in the calling thread
            piece.set_exception(error)
        found[k] = piece
        return True

    def help_out() -> None:
        while do(left.pop):
            pass

    helpers = _begun(help_out, others)
    try:
        for k in range(len(pieces)):
            while k not in found and do(left.popleft):
                pass
            if k not in found:
                _end(helpers)
            yield found.pop(k).result()
    finally:  # pieces that have been begun end, so that nobody writes what the caller may change
        left.clear()
        _end(helpers)


def _end(helpers: list[Future[None]]) -> None:
    """Wait for those that have begun; the others do not begin."""
    wait([helper for helper in helpers if not helper.cancel()])


def _begun(work: Callable[[], None], threads: int) -> list[Future[None]]:
    """Begin work in threads; in fewer where the system, or Python because it ends, starts no more."""
    pool, begun = _pool(os.getpid(), threads), list[Future[None]]()
    with suppress(RuntimeError):
        while len(begun) < threads:
            begun.append(pool.submit(work))
    return begun


@lru_cache(1)
def _pool(process: int, threads: int) -> ThreadPoolExecutor:
    """The threads of a process; a forked one does not have its parent's."""
    return ThreadPoolExecutor(threads, thread_name_prefix=f"ipc_articulation-{process}")
