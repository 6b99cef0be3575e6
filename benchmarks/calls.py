"""How much of a step Python takes: calls a step, and the wall time inside compiled functions.

Each scene is stepped twice: as it is, for the time of a step, and with a profile function (`sys.setprofile`), for calls
of Python functions, of functions in C, and of compiled ones with their time. What a step takes beyond these is Python
and NumPy: the most that one compiled step could save.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter
from types import FrameType

from rich.console import Console
from rich.table import Table

WORKS = (
    *(f"robots/{name}" for name in ("hinge_pair", "panda_push", "panda_grasp", "go2_stand", "g1_fall", "panda_towel")),
    "environments/8",
    *(f"stark/{name}" for name in ("free box", "columns/10", "columns/50", "tumbled/10", "block/5000", "cloth/50x50")),
)
SETTLING = 5  # steps that are not counted: they compile


@dataclass
class Calls:
    """What a step of a scene takes, on average."""

    work: str
    milliseconds: float = 0.0
    iterations: float = 0.0
    python: float = 0.0  # calls of Python functions
    in_c: float = 0.0  # of functions in C
    compiled: float = 0.0  # of compiled functions, from Python
    compiled_milliseconds: float = 0.0

    @property
    def share(self) -> float:
        """Of the time, in compiled functions."""
        return self.compiled_milliseconds / self.milliseconds


class Counter:
    """A profile function that counts; numba reports compiled functions with the code of their source, by its id."""

    def __init__(self, calls: Calls, compiled: set[int]) -> None:
        self._calls, self._compiled, self._since = calls, compiled, 0.0

    def __call__(self, frame: FrameType, event: str, _: object) -> None:
        calls = self._calls
        if event == "c_call":
            calls.in_c += 1
        elif id(frame.f_code) in self._compiled:
            if event == "call":
                calls.compiled += 1
                self._since = perf_counter()
            elif event == "return":
                calls.compiled_milliseconds += 1e3 * (perf_counter() - self._since)
        elif event == "call":
            calls.python += 1


def measure(works: Sequence[str], steps: int) -> Iterator[Calls]:
    """The calls of each scene, one after the other."""
    from benchmarks.method.works import start
    from ipc_articulation.compiled import BY_NAME

    for work in works:
        calls = Calls(work)
        with tempfile.TemporaryDirectory() as folder:
            for is_counted in (False, True):
                play = start(work, Path(folder) / str(is_counted))
                count = min(steps, play.steps - SETTLING)
                for index in range(SETTLING):
                    play.step(index)
                compiled = {id(dispatcher.py_func.__code__) for dispatcher in BY_NAME.values()}
                begun = perf_counter()
                for index in range(SETTLING, SETTLING + count):
                    if is_counted:
                        sys.setprofile(Counter(calls, compiled))
                    play.step(index)
                    sys.setprofile(None)
                    calls.iterations += 0.5 * play.engine.statistics.newton.iterations  # of both runs
                if not is_counted:
                    calls.milliseconds = 1e3 * (perf_counter() - begun)
        sums = {name: value / count for name, value in asdict(calls).items() if name != "work"}
        yield Calls(work, **sums)


def table(found: Sequence[Calls]) -> Table:
    """The rows for a terminal."""
    made = Table("scene", "ms a step", "iterations", "Python calls", "calls into C", "compiled", "ms", "share")
    for column in made.columns[1:]:
        column.justify = "right"
    for c in found:
        counts = (f"{count:.0f}" for count in (c.python, c.in_c, c.compiled))
        times = f"{c.milliseconds:.3g}", f"{c.iterations:.2f}"
        made.add_row(c.work, *times, *counts, f"{c.compiled_milliseconds:.3g}", f"{c.share:.0%}")
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="20 steps of a scene, not 100")
    parser.add_argument("--only", nargs="+", default=[""], metavar="PART", help="scenes with one of these in the name")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the rows as JSON")
    options = parser.parse_args()
    os.environ.setdefault("IPC_ARTICULATION_THREADS", "1")  # other threads are not counted
    works = [work for work in WORKS if any(part in work for part in options.only)]
    found = list(measure(works, 20 if options.quick else 100))
    Console(width=120).print(table(found))
    if options.json is not None:
        options.json.write_text(json.dumps([asdict(calls) for calls in found]) + "\n")


if __name__ == "__main__":
    main()
