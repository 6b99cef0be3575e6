"""A run in a process of its own, to be killed: `python -m tests.running.killed_run SCENE OUT [PLACE COUNT]`.

It says `begun` after its first step. With a place it kills itself there, the COUNT-th time that it comes by: `chunk`,
where a file of the recording, or a dump, is about to get its name; `dump`, where a dump is about to be brought to disk;
`named`, where it has just got its name; `between`, after the engine's dump and before the rest of the checkpoint;
`pruning`, where old checkpoints are about to be removed.
"""

import os
import signal
import sys
from pathlib import Path

import zarr.storage._local as zarr_files

import ipc_articulation
from ipc_articulation.engine.persistence import dump_file
from ipc_articulation.recording import writer
from ipc_articulation.running import checkpoints
from ipc_articulation.simulation.robot_simulation import RobotSimulation


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def die_at(owner, name: str, count: int, after: bool = False) -> None:
    """Replace a function by one that dies in its COUNT-th call, before or after it does its work."""
    original, left = getattr(owner, name), [count]

    def dying(*arguments, **options):
        left[0] -= 1
        if not left[0] and not after:
            die()
        result = original(*arguments, **options)
        if not left[0]:
            die()
        return result

    setattr(owner, name, dying)


PLACES = {
    "chunk": (zarr_files.Path, "replace", False),
    "dump": (dump_file.os, "fsync", False),
    "named": (dump_file, "_sync_folder", False),
    "between": (RobotSimulation, "dump", True),
    "pruning": (checkpoints.Checkpoints, "_prune", False),
}


def main(scene: str, out: str, place: str = "", count: str = "0") -> None:
    writer.FLUSH_INTERVAL = 0.0  # all the time something is being written
    if place:
        owner, name, after = PLACES[place]
        die_at(owner, name, int(count), after)
    step = RobotSimulation.step

    def tell(self: RobotSimulation, index: int) -> None:
        step(self, index)
        if index == 0:
            print("begun", flush=True)

    RobotSimulation.step = tell
    ipc_articulation.run(Path(scene), engine="cpu", out=out, quiet=True, pictures=False)


if __name__ == "__main__":
    main(*sys.argv[1:])
