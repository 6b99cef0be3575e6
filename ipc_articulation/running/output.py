"""The folder of a run: one process at a time, nothing overwritten by accident, nothing removed that is not ours."""

from __future__ import annotations

import shutil
from pathlib import Path

from ipc_articulation.errors import OutputError
from ipc_articulation.recording.layout import STORE
from ipc_articulation.running.job import RUN_FILE

WORKSPACE, CHECKPOINTS, PLOT, END = "workspace", "checkpoints", "motion.png", "end.png"
DUMPS = f"{WORKSPACE}/dumps"  # of the engine

_RESULTS = (RUN_FILE, STORE, CHECKPOINTS, DUMPS, PLOT, END)  # what a run leaves; nothing else is ever removed


def folder_below(out: Path, name: str) -> Path:
    """The folder of a run by its name.

    Raises:
        OutputError: It is empty, has line breaks, or is not below the folder of all results.
    """
    parts = Path(name).parts
    if not parts or ".." in parts or Path(name).is_absolute() or name.splitlines() != [name]:
        raise OutputError(f"the name {name!r} is no folder below {out}; give a plain name, and the folder by --out")
    return out / name


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
