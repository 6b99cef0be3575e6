"""The judge of a change of Newton's method or of contact: two states of the code, which take turns on the same scenes.

    python -m benchmarks.method FOLDER [--quick] [--only PART ...] [--steps N] [--json FILE]

FOLDER is the state that ours is compared with, another checkout with an environment of its own in `.venv`
(`git worktree add FOLDER COMMIT`, and a link to this `.venv` if they need the same libraries). Each state steps the
same scene in a process of its own; the two take turns after every block of five steps, so that a machine whose speed
changes slows both down alike. Both use one core.

Scenes are robots, environments, STARK's rows, contact tests, random scenes, and those of rigid-ipc where
`python tools/fetch_rigid_ipc.py` has fetched them. Of each: the processor's time of a step [ms] and Newton's iterations
in it, ours and theirs; steps that did not converge; blocks after which ipctk finds surfaces that intersect; and by how
much any coordinate differs at the end. The geometric mean is that of the ratios of the times.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from subprocess import PIPE
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from benchmarks.method.serving import SAID
from benchmarks.method.works import is_quick, names

HERE = Path(__file__).parents[2]
LATE = 200  # steps of a scene at most: walls have fallen by then
SOON = 60  # of a quick judgement
COUNTED = ("seconds", "steps", "iterations", "failed", "intersecting")
SECONDS = 60.0  # of the slower state, after which a scene ends


@dataclass
class Run:
    """What the steps of a scene took in one state."""

    seconds: float = 0.0
    steps: int = 0
    iterations: int = 0
    failed: int = 0  # steps that did not converge
    intersecting: int = 0  # blocks
    wanted: int = 0  # steps
    end: list[float] = field(default_factory=list)  # coordinates
    error: str = ""

    def take(self, answer: dict[str, Any]) -> None:
        """Add what the process has answered: counts of a block, or what is known once."""
        for name, value in answer.items():
            known = getattr(self, name)
            setattr(self, name, known + value if name in COUNTED else value)

    @property
    def is_over(self) -> bool:
        return self.steps == self.wanted

    @property
    def milliseconds(self) -> float:
        """Of a step."""
        return 1e3 * self.seconds / max(self.steps, 1)

    @property
    def iterations_mean(self) -> float:
        return self.iterations / max(self.steps, 1)

    def faults(self) -> str:
        """What must not be."""
        counted = (
            f"{self.failed} failed" if self.failed else "",
            f"{self.intersecting} X" if self.intersecting else "",
        )
        return self.error or ", ".join(filter(None, counted))


@dataclass
class Row:
    """A scene in both states."""

    work: str
    ours: Run
    theirs: Run

    @property
    def ratio(self) -> float:
        """Of the times; NaN where one of them did not run."""
        return self.ours.seconds / self.theirs.seconds if self.ours.end and self.theirs.end else np.nan

    @property
    def difference(self) -> float:
        """Of the coordinates at the end, at most."""
        if not self.ours.end or len(self.ours.end) != len(self.theirs.end):
            return np.nan
        return float(np.abs(np.subtract(self.ours.end, self.theirs.end)).max())


class State:
    """The process that runs one state of the code."""

    def __init__(self, folder: Path) -> None:
        environment = {**os.environ, "PYTHONPATH": str(folder), "IPC_ARTICULATION_THREADS": "1"}
        self._process = subprocess.Popen(
            self.command(folder), cwd=folder, env=environment, stdin=PIPE, stdout=PIPE, text=True
        )

    @staticmethod
    def command(folder: Path) -> list[Any]:
        """What runs in that process."""
        return [folder / ".venv/bin/python", "-P", HERE / "benchmarks/method/serving.py"]

    def tell(self, line: str) -> None:
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):  # it has ended, which `answer` tells
            self._process.stdin.write(line + "\n")
            self._process.stdin.flush()

    def answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if line.startswith(SAID):
                return dict(json.loads(line.removeprefix(SAID)))
        return {"error": f"the process ended with {self._process.wait()}"}

    @property
    def has_ended(self) -> bool:
        return self._process.poll() is not None

    def stop(self) -> None:
        self._process.kill()
        self._process.wait()


def judge(works: Sequence[str], other: Path, steps: int, seconds: float) -> Iterator[Row]:
    """Both states at one work after the other."""
    folders = HERE, other
    with ExitStack() as stack:
        states = [State(folder) for folder in folders]
        stack.callback(lambda: [state.stop() for state in states])
        for work in works:
            yield compare(work, states, steps, seconds)
            states = [State(f) if s.has_ended else s for f, s in zip(folders, states, strict=True)]


def compare(work: str, states: Sequence[State], steps: int, seconds: float) -> Row:
    """Both states at one work, in turn."""
    runs = Run(), Run()
    both = list(zip(states, runs, strict=True))
    for state in states:
        state.tell(json.dumps([work, steps]))
    for state, run in both:
        run.take(state.answer())
    while not any(run.error or run.is_over for run in runs) and max(run.seconds for run in runs) < seconds:
        for state, run in both:
            state.tell("go")
            run.take(state.answer())
    for state, run in both:
        if not run.error:
            if not run.is_over:
                state.tell("end")
            run.take(state.answer())
    return Row(work, *runs)


def table(rows: Sequence[Row], title: str) -> Table:
    """Rows of a table for a terminal."""
    made = Table(
        "scene", "ms", "theirs", "ratio", "iterations", "theirs", "end differs by", "faults", "theirs", title=title
    )
    for column in made.columns[1:7]:
        column.justify = "right"
    for row in rows:
        times = (f"{run.milliseconds:.3g}" for run in (row.ours, row.theirs))
        counts = (f"{run.iterations_mean:.2f}" for run in (row.ours, row.theirs))
        faults = row.ours.faults(), row.theirs.faults()
        made.add_row(row.work, *times, f"{row.ratio:.2f}", *counts, f"{row.difference:.1g}", *faults)
    return made


def summary(rows: Sequence[Row]) -> Iterator[str]:
    """The geometric mean of the ratios, of all rows and of each corpus, and all failures."""
    corpora: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        corpora["all"].append(row)
        corpora[row.work.partition("/")[0]].append(row)
    for corpus, some in corpora.items():
        ratios = np.array([row.ratio for row in some])
        ratios = ratios[np.isfinite(ratios)]
        mean = np.exp(np.log(ratios).mean()) if len(ratios) else np.nan
        faults = ", ".join(
            f"{sum(row.ours.__dict__[name] for row in some)} {text} ({sum(row.theirs.__dict__[name] for row in some)})"
            for name, text in (("failed", "steps without convergence"), ("intersecting", "blocks with intersections"))
        )
        errors = [
            sum(bool(run.error) for run in runs) for runs in zip(*((r.ours, r.theirs) for r in some), strict=True)
        ]
        yield f"{corpus}: {mean:.3f} over {len(some)} scenes; {faults}, {errors[0]} errors ({errors[1]}); theirs in ()"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="the other checkout")
    parser.add_argument("--quick", action="store_true", help=f"some scenes, {SOON} steps: five minutes")
    parser.add_argument(
        "--only", nargs="+", default=[""], metavar="PART", help="scenes with one of these in their names"
    )
    parser.add_argument("--steps", type=int, metavar="N", help=f"at most so many of a scene ({LATE}; {SOON} if quick)")
    parser.add_argument(
        "--seconds", type=float, default=SECONDS, help=f"of the slower state, for a scene ({SECONDS:g})"
    )
    parser.add_argument("--worst", type=int, default=25, metavar="N", help="rows in the table of the slowest (25)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write all rows, scene by scene as they come")
    options = parser.parse_args()
    folder, steps = options.folder.resolve(), options.steps or (SOON if options.quick else LATE)
    if not (folder / ".venv/bin/python").exists():
        parser.error(f"{folder} has no .venv/bin/python; make a link to one that has what it needs")
    works = [name for name in names() if any(part in name for part in options.only)]
    if options.quick:
        works = [name for name in works if is_quick(name)]
    rows = []
    with Progress(console=Console(stderr=True)) as progress:
        task = progress.add_task("", total=len(works))
        for row in judge(works, folder, steps, options.seconds):
            rows.append(row)
            progress.update(task, advance=1, description=row.work)
            if options.json is not None:
                options.json.write_text(json.dumps([asdict(row) for row in rows]) + "\n")
    order = sorted(rows, key=lambda row: -np.nan_to_num(row.ratio, nan=np.inf))
    console = Console(width=170)
    console.print(table(order[: options.worst], "the slowest beside theirs"))
    console.print(table([row for row in order[options.worst :] if row.ours.faults()], "others with faults"))
    for line in summary(rows):
        console.print(line, highlight=False)


if __name__ == "__main__":
    main()
