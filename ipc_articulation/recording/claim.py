"""One writer at a time: a folder is locked while its results are written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from ipc_articulation.errors import IpcArticulationError, OutputError

if TYPE_CHECKING:
    from filelock import BaseFileLock

_OTHERS = "--out or --name"


@contextmanager
def claimed(folder: Path, refused: type[IpcArticulationError] = OutputError, others: str = _OTHERS) -> Iterator[None]:
    """Work in a folder, which is made where it is missing.

    Args:
        folder: To work in; other processes are locked out.
        refused: Class of the errors raised.
        others: Options that choose another folder.

    Raises:
        OutputError: Another process works there, or the folder cannot be made.
    """
    lock = _acquired(folder, refused, others)
    if lock is None:
        raise refused(f"another process runs in {folder}; wait for it, or choose {others}")
    try:
        yield
    finally:
        lock.release()


@contextmanager
def first_claimed(folders: Iterable[Path], is_free: Callable[[Path], bool]) -> Iterator[Path]:
    """Work in the first of some folders that is free and in which no other process works.

    Args:
        folders: To choose from, in order; without end, or the last one is always free.
        is_free: Whether a folder may be written to.

    Raises:
        OutputError: A folder cannot be made.
    """
    lock, free = None, (folder for folder in folders if is_free(folder))
    while lock is None:
        folder = next(free)
        lock = _acquired(folder, OutputError, _OTHERS)
        if lock is not None and not is_free(folder):  # any more: another process was faster
            lock.release()
            lock = None
    try:
        yield folder
    finally:
        lock.release()


def _acquired(folder: Path, refused: type[IpcArticulationError], others: str) -> BaseFileLock | None:
    """The lock of a folder, which is made where it is missing; None: another process has it."""
    from filelock import FileLock, Timeout

    lock = FileLock(folder / ".lock", blocking=False)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock.acquire()
    except Timeout:
        return None
    except (OSError, ValueError) as error:  # ValueError: no folder can have such a name
        reason = getattr(error, "strerror", None) or error
        raise refused(f"folder {folder} cannot be made or written to: {reason}; choose {others}") from error
    return lock
