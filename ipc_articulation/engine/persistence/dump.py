"""Content of a dump, and how a run resumes from it: `world.dump()` and `world.recover()`.

The future of a run depends only on its state, bit for bit. The candidates of collision detection remain from step to
step, but they are always in the order of the bodies, and superfluous ones do not change any sum. Values that callbacks
and scripts wrote into the scene belong to the scene: make the same scene before you recover a run.
"""

from __future__ import annotations

import logging
from pathlib import Path

from ipc_articulation.engine.persistence.dump_file import (
    Dump,
    dump_path,
    dumped_frames,
    folder_of_dumps,
    read_dump,
    write_dump,
)
from ipc_articulation.engine.persistence.scene_description import describe, difference
from ipc_articulation.engine.scene.model import EngineModel
from ipc_articulation.engine.state import EngineState
from ipc_articulation.engine.workspace import Workspace
from ipc_articulation.errors import DumpError

log = logging.getLogger("ipc_articulation")

NEWEST = 2**64 - 1  # what `world.recover()` without a frame asks for


def dump_state(
    folder: Path, frame: int, state: EngineState, model: EngineModel, workspace: Workspace, dt: float
) -> Path:
    """Write the state after a frame; `dt` [s] is only for information, because it may change at any step.

    Raises:
        DumpError: It cannot be written; names the file and why.
    """
    try:
        return write_dump(folder, Dump(frame, {**describe(model, workspace), "dt": dt}, state._asdict()))
    except OSError as error:
        what = f"dump {dump_path(folder, frame)}" if folder.is_dir() else folder_of_dumps(folder)
        raise DumpError(f"{what} cannot be written: {error.strerror}") from error


def recover_state(folder: Path, frame: int, model: EngineModel, workspace: Workspace) -> tuple[int, EngineState] | None:
    """The frame and state of a dump; None if there is no such dump.

    Args:
        folder: Where the dumps are.
        frame: Its frame; `NEWEST` for the newest complete one.
        model: The current scene.
        workspace: That of its steps.

    Raises:
        DumpError: The dump is damaged, or of another scene; names file and difference.
    """
    dump = _newest(folder) if frame == NEWEST else _of_frame(folder, frame)
    if dump is None:
        return None
    differs = difference(dump.scene, describe(model, workspace))
    if differs is not None:
        raise DumpError(f"dump {dump_path(folder, dump.frame)} is of another scene: {differs}")
    expected = set(EngineState._fields)
    if set(dump.arrays) != expected:
        raise DumpError(f"dump {dump_path(folder, dump.frame)} holds {sorted(dump.arrays)}, not {sorted(expected)}")
    return dump.frame, EngineState(**dump.arrays)


def _newest(folder: Path) -> Dump | None:
    """The newest complete dump. The log names damaged ones that were skipped; it is an error if all are damaged."""
    last: DumpError | None = None
    for frame in reversed(dumped_frames(folder)):
        try:
            return read_dump(dump_path(folder, frame))
        except DumpError as error:
            log.warning("%s; the next older one is tried", error)
            last = error
    if last is not None:
        raise last
    return None


def _of_frame(folder: Path, frame: int) -> Dump | None:
    return read_dump(dump_path(folder, frame)) if frame in dumped_frames(folder) else None
