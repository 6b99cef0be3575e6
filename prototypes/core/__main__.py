"""The core beside the engine as it is: the same scenes, in turn step by step, in one process.

Both start from the same state; friction is lagged, and resistance given. `ms` is the processor's time of a whole step,
libuipc's world, coupling and write-back included; only the engine's own step differs.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.method.works import start

WORKS = {
    "columns/10": 200,
    "columns/50": 100,
    "tumbled/10": 100,
    "tumbled/50": 60,
    "spheres/10": 60,
    "free box": 60,
    "chain/8": 60,
    "block/5000": 40,
    "cloth/50x50": 40,
}  # rows of `benchmarks.stark`, and their steps
ROBOTS = {"pendulum": 100, "panda_push": 360, "panda_grasp": 250, "go2_stand": 100, "g1_fall": 100}  # scene files
SETTLING = 5  # steps that are not counted
RESISTANCE = 1e9  # of robots' contacts [Pa]
COMPILING = 15  # steps after which all that a scene needs is compiled


@dataclass
class Comparison:
    """A scene by both."""

    work: str
    milliseconds: float = 0.0  # a step of the core
    iterations: float = 0.0
    of_engine: float = 0.0  # the same of the engine
    iterations_of_engine: float = 0.0
    apart: float = 0.0  # how far apart points are after the first ten steps [m]
    failed: int = 0  # steps of the core without convergence

    @property
    def ratio(self) -> float:
        return self.milliseconds / self.of_engine

    @property
    def by_iteration(self) -> float:
        return self.ratio * self.iterations_of_engine / self.iterations


def made(work: str, folder: Path) -> Any:
    """A scene that steps; of robots with settings that both have."""
    if work in WORKS:
        return start(f"stark/{work}", folder)
    from ipc_articulation.scenefile.reading import read_scene
    from ipc_articulation.simulation.building import build

    settings = {"contact.friction_law": "lagged", "contact.resistance": RESISTANCE}
    scene, document = read_scene(Path("scenes") / f"{work}.yaml", settings)
    return build(scene, document, "cpu", folder, scene.steps)


def points_of(cpu: Any) -> Any:
    """All points where an engine has them, (V, 3)."""
    return cpu.model.surfaces.positions(cpu.state.q)


def compare(work: str, steps: int) -> Comparison:
    """Step a scene by both."""
    from prototypes.core.switch import switch

    result, counted = Comparison(work), steps - SETTLING
    with tempfile.TemporaryDirectory() as folder:
        runs = [made(work, Path(folder) / str(number)) for number in range(4)]  # two that compile
        for number, run in enumerate(runs):
            if number % 2:
                switch(run.engine.cpu)
        for index in range(steps):
            for run in runs[: 2 if index < COMPILING else 0]:
                run.step(index)
            begun = process_time()
            runs[2].step(index)
            between = process_time()
            runs[3].step(index)
            ended = process_time()
            newton = [run.engine.statistics.newton for run in runs[2:]]
            result.failed += not newton[1].result.is_success
            if index == 9:
                one, other = (points_of(run.engine.cpu) for run in runs[2:])
                result.apart = float(np.abs(one - other).max())
            if index >= SETTLING:
                result.of_engine += 1e3 * (between - begun) / counted
                result.milliseconds += 1e3 * (ended - between) / counted
                result.iterations += newton[1].iterations / counted
                result.iterations_of_engine += newton[0].iterations / counted
    return result


def table(found: Sequence[Comparison]) -> Table:
    made = Table("scene", "ms", "iterations", "engine: ms", "iterations", "ratio", "an iteration", "apart, m")
    for row in found:
        numbers = f"{row.milliseconds:.2f}", f"{row.iterations:.2f}", f"{row.of_engine:.2f}"
        ratios = f"{row.iterations_of_engine:.2f}", f"{row.ratio:.2f}", f"{row.by_iteration:.2f}", f"{row.apart:.1e}"
        made.add_row(row.work, *numbers, *ratios)
    return made


def rows(only: Sequence[str], quick: bool) -> Iterator[Comparison]:
    for work, steps in {**WORKS, **ROBOTS}.items():
        if not only or any(part in work for part in only):
            yield compare(work, min(steps, 20) if quick else steps)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m prototypes.core", description=__doc__)
    parser.add_argument(
        "--only", nargs="*", default=[], metavar="PART", help="scenes with a part of these in their names"
    )
    parser.add_argument("--quick", action="store_true", help="twenty steps of each")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures to a file, too")
    arguments = parser.parse_args()
    found = list(rows(arguments.only, arguments.quick))
    Console().print(table(found))
    if len(found) > 1:
        mean = float(np.exp(np.mean(np.log([row.ratio for row in found]))))
        Console().print(
            f"geometric mean of the ratios: {mean:.2f}; steps without convergence: {sum(r.failed for r in found)}"
        )
    if arguments.json:
        arguments.json.write_text(json.dumps([asdict(row) for row in found], indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
