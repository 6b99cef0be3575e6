"""One writer at a time: a folder is locked while its results are written."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ipc_articulation.errors import IpcArticulationError, OutputError


@contextmanager
def claimed(
    folder: Path, refused: type[IpcArticulationError] = OutputError, others: str = "--out or --name"
) -> Iterator[None]:
    """Work in a folder, which is made where it is missing.

    Args:
        folder: To work in; other processes are locked out.
        refused: Class of the errors raised.
        others: Options that choose another folder.

    Raises:
        OutputError: Another process works there, or the folder cannot be made.
    """
    from filelock import FileLock, Timeout

    lock = FileLock(folder / ".lock", blocking=False)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock.acquire()
    except Timeout as error:
        raise refused(f"another process runs in {folder}; wait for it, or choose {others}") from error
    except (OSError, ValueError) as error:  # ValueError: no folder can have such a name
        reason = getattr(error, "strerror", None) or error
        raise refused(f"folder {folder} cannot be made or written to: {reason}; choose {others}") from error
    try:
        yield
    finally:
        lock.release()
