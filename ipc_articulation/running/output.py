"""The folder of a run: one process at a time, nothing overwritten by accident, nothing removed that is not ours."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain, count
from pathlib import Path

from ipc_articulation.errors import OutputError
from ipc_articulation.recording.claim import claimed, first_claimed
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


@contextmanager
def claimed_for_run(out: Path, name: str, to_replace: bool, is_default: bool) -> Iterator[Path]:
    """Work in the folder of a new run; other processes are locked out.

    Args:
        out: Folder of all results.
        name: Of the run.
        to_replace: The folder may hold a run.
        is_default: Nobody chose the name: the first of NAME, NAME_2, NAME_3, … that holds no run is taken.

    Raises:
        OutputError: It holds a run, another process works in it, or it cannot be made; says what can be done.
    """
    folder = folder_below(out, name)
    if is_default and not to_replace:
        later = (out / f"{name}_{number}" for number in count(2))
        with first_claimed(chain((folder,), later), lambda candidate: not _results_in(candidate)) as free:
            yield free
        return
    with claimed(folder):
        if not to_replace:
            _refuse_results(folder)
        yield folder


def _refuse_results(folder: Path) -> None:
    if there := _results_in(folder):
        raise OutputError(
            f"{folder} holds a run already ({', '.join(there)}); replace it with --force, write elsewhere with --out "
            f"or --name, or resume it: ipc-articulation resume {folder}"
        )


def _results_in(folder: Path) -> list[str]:
    return [name for name in _RESULTS if (folder / name).exists()]


def remove_results(folder: Path) -> None:
    """Remove the files of a run from a folder, and nothing else."""
    for path in (folder / name for name in _RESULTS):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        elif path.exists():
            path.unlink()
