"""The folder of a run: one process at a time, nothing overwritten by accident, nothing removed that is not ours."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ipc_articulation.errors import OutputError
from ipc_articulation.recording.layout import STORE
from ipc_articulation.running.job import RUN_FILE

WORKSPACE, CHECKPOINTS, PLOT, END = "workspace", "checkpoints", "motion.png", "end.png"
DUMPS = f"{WORKSPACE}/dumps"  # of the engine

_RESULTS = (RUN_FILE, STORE, CHECKPOINTS, DUMPS, PLOT, END)  # what a run leaves; nothing else is ever removed


@contextmanager
def claimed(folder: Path) -> Iterator[None]:
    """Work in a folder, which is made where it is missing.

    Raises:
        OutputError: Another process does, or the folder cannot be made.
    """
    from filelock import FileLock, Timeout

    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = FileLock(folder / ".lock", blocking=False)
        lock.acquire()
    except Timeout as error:
        raise OutputError(f"another process runs in {folder}; wait for it, or choose --out or --name") from error
    except OSError as error:
        raise OutputError(f"folder {folder} cannot be made or written to: {error.strerror}") from error
    try:
        yield
    finally:
        lock.release()


def refuse_results(folder: Path) -> None:
    """See that a folder holds no run.

    Raises:
        OutputError: It does; says what can be done.
    """
    there = [name for name in _RESULTS if (folder / name).exists()]
    if there:
        raise OutputError(
            f"{folder} holds a run already ({', '.join(there)}); replace it with --force, write elsewhere with --out "
            f"or --name, or resume it: ipc-articulation resume {folder}"
        )


def remove_results(folder: Path) -> None:
    """Remove what a run left in a folder, and nothing else."""
    for path in (folder / name for name in _RESULTS):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        elif path.exists():
            path.unlink()
