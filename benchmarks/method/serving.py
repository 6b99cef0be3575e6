"""A process that steps scenes with the package of one checkout, block by block, as it is told on its input.

`__main__` runs this file with the checkout on the path; benchmarks and scenes are always those beside this file. Each
line of the input is a work to start, `go` for a block of its steps, or `end`; each answer is a line of JSON.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))
import benchmarks  # noqa: F401

sys.path.pop(0)  # the package itself is that of the checkout
from benchmarks.method.works import Play, start

BLOCK = 5  # steps
CHECKED = 4  # blocks, after which surfaces are looked at
SAID = "judge: "  # before an answer: scripts and engines print, too
ENDS = ("converged", "semi-implicit")  # results of steps that are no failures


def say(**answer: Any) -> None:
    print(SAID + json.dumps(answer), flush=True)


def serve() -> None:
    """Answer until the input ends."""
    for line in sys.stdin:
        work, steps = json.loads(line)
        with tempfile.TemporaryDirectory() as folder:
            try:
                first = start(work, Path(folder) / "first")
                for index in range(min(3, first.steps)):  # compiles, and loads what is on disk
                    first.step(index)
                play = start(work, Path(folder) / "second")
                count = min(play.steps, steps)
                say(wanted=count)
                _play(play, count)
            except Exception as error:  # whatever a state of the code raises is a result
                say(error=f"{type(error).__name__}: {error}"[:300])


def _play(play: Play, count: int) -> None:
    for block, first in enumerate(range(0, count, BLOCK)):
        if sys.stdin.readline().strip() != "go":
            break
        iterations, failed, last = 0, 0, min(first + BLOCK, count)
        begun = process_time()
        for index in range(first, last):
            play.step(index)
            newton = play.engine.statistics.newton
            iterations += newton.iterations
            failed += newton.result.value not in ENDS
        seconds = process_time() - begun
        looked_at = (block + 1) % CHECKED == 0 or last == count
        intersecting = looked_at and play.intersects()
        say(seconds=seconds, steps=last - first, iterations=iterations, failed=failed, intersecting=intersecting)
    say(end=np.round(play.positions(), 15).ravel().tolist())


if __name__ == "__main__":
    serve()
