"""Checkpoints: the complete state after a step, from which a run resumes bit for bit.

A checkpoint is two files, the engine's dump (`workspace/dumps/frame_000120.dump`) and all other state
(`checkpoints/frame_000120.dump`, of the same kind of file). The second is written when the first is on disk, and the
recording has its row before; so whichever checkpoint has its second file is complete. The last two are kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from ipc_articulation.engine.persistence.dump_file import Dump, dump_path, dumped_frames, read_dump, write_dump
from ipc_articulation.errors import DumpError, OutputError
from ipc_articulation.running.output import CHECKPOINTS, DUMPS
from ipc_articulation.simulation.simulation import Simulation

_KEPT = 2
_FORMAT = {"format": "checkpoint of a run"}


class Checkpoints:
    """The checkpoints in the folder of a run."""

    def __init__(self, folder: Path) -> None:
        self._states, self._dumps = folder / CHECKPOINTS, folder / DUMPS

    @property
    def newest(self) -> int | None:
        """Number of steps taken at the newest one; None where there is none yet."""
        frames = dumped_frames(self._states)
        return frames[-1] if frames else None

    def write(self, simulation: Simulation, frame: int) -> None:
        """Keep the present state of a simulation that has taken so many steps, all of them in the recording.

        Raises:
            OutputError: It cannot be written; earlier ones are still there.
        """
        try:
            state = simulation.dump()
            write_dump(self._states, Dump(frame, _FORMAT, state))
        except (DumpError, OSError) as error:
            reason = f"{getattr(error, 'strerror', error)}; earlier ones are kept"
            raise OutputError(f"the checkpoint of step {frame} cannot be written: {reason}") from error
        self._prune()

    def read(self, frame: int) -> Mapping[str, NDArray[Any]]:
        """The state for `simulation.recover`, besides the engine's dump.

        Raises:
            DumpError: The file is damaged; names it.
        """
        path = self.path(frame)
        dump = read_dump(path)
        if dump.scene != _FORMAT:
            raise DumpError(f"{path} is not the checkpoint of step {frame}")
        return dump.arrays

    def path(self, frame: int) -> Path:
        """The file without which a checkpoint does not count."""
        return dump_path(self._states, frame)

    def _prune(self) -> None:
        kept = dumped_frames(self._states)[-_KEPT:]
        for folder in (self._states, self._dumps):  # in this order: never a state without its dump
            for frame in dumped_frames(folder):
                if frame < kept[0]:
                    dump_path(folder, frame).unlink()
