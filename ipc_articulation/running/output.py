"""The folder of a run: what it holds, and that nothing in it is overwritten by accident."""

from __future__ import annotations

import shutil
from pathlib import Path

from ipc_articulation.errors import OutputError
from ipc_articulation.recording.layout import STORE
from ipc_articulation.running.job import RUN_FILE

WORKSPACE, CHECKPOINTS, PLOT, END = "workspace", "checkpoints", "motion.png", "end.png"

_OURS = (RUN_FILE, STORE, CHECKPOINTS, WORKSPACE, PLOT, END)  # what a run writes; nothing else is ever removed


def claim(folder: Path, force: bool) -> None:
    """Make a folder ready for a new run.

    Args:
        folder: Made where it is missing.
        force: Remove the results of an earlier run that are in it, and nothing else.

    Raises:
        OutputError: There are such results and `force` is not given, or the folder cannot be made.
    """
    there = [name for name in _OURS if (folder / name).exists()]
    if there and not force:
        raise OutputError(
            f"{folder} holds a run already ({', '.join(there)}); replace it with --force, write elsewhere with --out "
            f"or --name, or go on with it: ipc-articulation resume {folder}"
        )
    for name in there:
        _remove(folder / name)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"folder {folder} cannot be made: {error.strerror}") from error


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink()
