"""Time of a step of two states of the code, which take turns block by block in one run.

    python -m benchmarks.two_states FOLDER [--scenes NAME ...] [--environments N ...]

FOLDER is another checkout with an environment of its own in `.venv` (`git worktree add FOLDER COMMIT`). Each state
steps the same scene in a process of its own; the two take turns after every block of steps, so that a machine whose
speed changes slows both down alike. Times are the processor's, a step; the ratio is that of the medians over the
blocks. A first run of each, in which code is compiled and loaded, is left out.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from subprocess import PIPE
from time import process_time

import numpy as np

from benchmarks.harness import Row, print_table
from ipc_articulation.scenefile.reading import read_scene
from ipc_articulation.simulation.building import build

SCENES = ("hinge_pair", "pendulum", "panda_push", "go2_stand", "g1_fall")
ENVIRONMENTS = (1, 8)
BLOCK = 5  # steps
MANY = "environments/"
SAID = "two states: "  # before what a process says to the other
HERE = Path(__file__).parents[1]


def start(work: str, workspace: Path) -> tuple[int, Callable[[int], object]]:
    """How many steps a scene or N environments have, and what takes one."""
    if work.startswith(MANY):
        from benchmarks.environments import Pandas

        pandas = Pandas(int(work.removeprefix(MANY)), "mujoco", workspace)
        return pandas.steps, pandas.step
    scene, document = read_scene(Path("scenes") / f"{work}.yaml")
    return scene.steps, build(scene, document, "cpu", workspace, scene.steps).step


def serve(work: str) -> None:
    """Print the number of steps; then for every line of the input take a block of them, and print its time [s]."""
    with tempfile.TemporaryDirectory() as folder:
        count, step = start(work, Path(folder) / "first")
        for index in range(count):  # compiles what is not on disk, and loads the rest
            step(index)
        count, step = start(work, Path(folder) / "second")
        print(f"{SAID}{count}", flush=True)
        for begin, _ in zip(range(0, count - BLOCK + 1, BLOCK), sys.stdin, strict=False):
            begun = process_time()
            for index in range(begin, begin + BLOCK):
                step(index)
            print(f"{SAID}{process_time() - begun}", flush=True)


def blocks(folder: Path, work: str) -> Iterator[float]:
    """The time of each block of steps [s] of the state in a folder."""
    command = [folder / ".venv/bin/python", "-P", __file__, "--serve", work]
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    with subprocess.Popen(command, cwd=folder, env=environment, stdin=PIPE, stdout=PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        said = (line.removeprefix(SAID) for line in process.stdout if line.startswith(SAID))
        for _ in range(int(next(said)) // BLOCK):
            process.stdin.write("\n")
            process.stdin.flush()
            yield float(next(said))


def compare(work: str, other: Path) -> Row:
    """Both states at one piece of work."""
    ours, theirs = 1e3 / BLOCK * np.array([*zip(blocks(HERE, work), blocks(other, work), strict=True)]).T
    return Row(f"step/{work}", ours.tolist(), "ms", theirs.tolist(), "the other state")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, help="the other checkout")
    parser.add_argument("--scenes", nargs="*", default=SCENES, metavar="NAME", help=f"of scenes/: {' '.join(SCENES)}")
    parser.add_argument("--environments", nargs="*", type=int, default=ENVIRONMENTS, metavar="N", help="Pandas at once")
    parser.add_argument("--serve", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve(options.serve)
    elif options.folder is None:
        parser.error("which other checkout? git worktree add FOLDER COMMIT, with an environment in FOLDER/.venv")
    else:
        works = [*options.scenes, *(f"{MANY}{n}" for n in options.environments)]
        print_table([compare(work, options.folder.resolve()).as_json() for work in works])


if __name__ == "__main__":
    main()
