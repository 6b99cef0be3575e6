"""The folder of a run: one process at a time, nothing overwritten by accident, nothing removed that is not ours."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ipc_articulation.errors import IpcArticulationError, OutputError
from ipc_articulation.recording.layout import STORE
from ipc_articulation.running.job import RUN_FILE

WORKSPACE, CHECKPOINTS, PLOT, END = "workspace", "checkpoints", "motion.png", "end.png"
DUMPS = f"{WORKSPACE}/dumps"  # of the engine

_RESULTS = (RUN_FILE, STORE, CHECKPOINTS, DUMPS, PLOT, END)  # what a run leaves; nothing else is ever removed


def folder_below(out: Path, name: str) -> Path:
    """The folder of a run by its name.

    Raises:
        OutputError: It is not below the folder of all results.
    """
    parts = Path(name).parts
    if not parts or ".." in parts or Path(name).is_absolute():
        raise OutputError(f"the name '{name}' is no folder below {out}; give a plain name, and the folder by --out")
    return out / name


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


def refuse_results(folder: Path) -> None:
    """Check that a folder contains no run.

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
    """Remove the files of a run from a folder, and nothing else."""
    for path in (folder / name for name in _RESULTS):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        elif path.exists():
            path.unlink()
