"""Time of a step of our CPU engine beside libuipc's CUDA engine, scene by scene: boxes, joints, soft bodies, a robot.

`boxes/n` are columns of n boxes of 8 kg that fall 5 cm onto each other, `tumbled/50` a tumbled pile, `chain/8` eight
hinged boxes that swing, `cloth`, `block` and `rods` the soft bodies of `benchmarks.stark`, larger ones too. Both end a
step where a Newton step is below 1e-3 m/s, without `newton/semi_implicit`, and no body of ours sleeps. `panda_push` is
the scene file: MuJoCo's prediction and commit are in both.

Both engines take their steps in turn, in one process; a sample is one step with what it writes back, `world.advance`
and `world.retrieve`, the first five left out. The ratio is that of the means; `iterations` are Newton's, ours and
CUDA's. A line for each scene has the mean height of all vertices at the end by both. At last the number of boxes is
named beyond which CUDA's step is the faster one. Without an NVIDIA GPU the rows have no peer.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from math import exp, log, nan
from pathlib import Path
from statistics import fmean
from time import perf_counter

import numpy as np
import uipc

from benchmarks import box_scenes
from benchmarks.coupled_step import SCENES
from benchmarks.harness import Row, main
from benchmarks.stark.cases import RESISTANCE, converging
from benchmarks.stark.running import WARM_UP, wake
from benchmarks.stark.soft_cases import block_case, cloth_case, rods_case
from ipc_articulation import Engine
from ipc_articulation.engine.engine import has_gpu
from ipc_articulation.frontend.attributes import object_names
from ipc_articulation.scenefile.reading import read_scene
from ipc_articulation.simulation.building import build


class Stepper:
    """One engine with its copy of a scene."""

    def __init__(self, backend: str, workspace: Path, make: Callable[[], uipc.Scene]) -> None:
        self.scene, self.engine = make(), Engine(backend, workspace)
        self.world = uipc.World(self.engine)
        self.world.init(converging(self.scene))

    def prepare(self) -> None:
        """What is not measured before a step: nobody sleeps."""
        if self.engine.cpu is not None:
            wake(self.engine)

    def step(self) -> None:
        self.world.advance()
        self.world.retrieve()

    def height(self) -> float:
        """Mean of all vertices [m]."""
        heights = []
        for geometry_id in object_names(self.scene):
            mesh = self.scene.geometries().find(geometry_id)[0].geometry()
            if mesh.type() == "SimplicialComplex":
                x = mesh.positions().view()[..., 0]
                heights += [x @ T[2, :3] + T[2, 3] for T in mesh.transforms().view()]
        return float(np.concatenate(heights).mean())


class CoupledStepper:
    """One engine with its simulation of a scene file."""

    def __init__(self, name: str, backend: str, workspace: Path) -> None:
        scene, document = read_scene(SCENES / f"{name}.yaml")
        self.simulation = build(scene, document, backend, workspace, scene.steps)
        self.engine, self.index = self.simulation.engine, 0

    def prepare(self) -> None:
        """Bodies sleep or not, as the scene file says."""

    def step(self) -> None:
        self.simulation.step(self.index)
        self.index += 1

    def height(self) -> float:
        """Mean of all links and bodies [m]."""
        return float(self.simulation.measure(is_start=False)["body_poses"][:, 2, 3].mean())


@dataclass(frozen=True)
class Case:
    """A scene, and how many steps both take."""

    name: str
    start: Callable[[str, Path], Stepper | CoupledStepper]  # from the engine's name and a workspace
    steps: int


def measure(quick: bool, only: str) -> list[Row]:
    backends = ("cpu", "cuda") if has_gpu() else ("cpu",)
    if len(backends) == 1:
        print("no NVIDIA GPU; rows have no peer")
    rows = [measure_case(case, backends) for case in cases(quick) if only in case.name]
    print_crossing([row for row in rows if row.work.startswith("boxes/") and row.peer])
    return rows


def cases(quick: bool) -> list[Case]:
    """All of them; small ones if quick."""
    box, steps = box_scenes.box(), 30 if quick else 60
    counts, cells, of_block = ((1, 10, 100), (20,), (4,)) if quick else ((1, 10, 50, 200, 1000), (50, 100), (10, 20))
    soft = [*(cloth_case(n, steps) for n in cells), *(block_case(n, steps) for n in of_block), rods_case(10, steps)]
    makes = {
        **{f"boxes/{n}": partial(box_scenes.make_scene, box, box_scenes.pile(n), 1e-3, RESISTANCE) for n in counts},
        "tumbled/50": partial(box_scenes.make_scene, box, box_scenes.tumbled(50), 1e-3, RESISTANCE),
        "chain/8": partial(box_scenes.chain, 8),
        **{case.name: case.make for case in soft},
    }
    free = [Case(name, partial(Stepper, make=make), steps) for name, make in makes.items()]
    return [*free, Case("panda_push", partial(CoupledStepper, "panda_push"), 3 * steps)]


def measure_case(case: Case, backends: Sequence[str]) -> Row:
    """A scene by each engine, in turn."""
    with tempfile.TemporaryDirectory() as workspace:
        steppers = [case.start(backend, Path(workspace) / backend) for backend in backends]
        times: list[list[float]] = [[] for _ in steppers]
        iterations: list[list[float]] = [[] for _ in steppers]
        for _ in range(case.steps):
            for stepper, kept, counts in zip(steppers, times, iterations, strict=True):
                stepper.prepare()
                start = perf_counter()
                stepper.step()
                kept.append(1e3 * (perf_counter() - start))
                counts.append(stepper.engine.frame_stats().get("newton_iterations", nan))
        ends = ", ".join(f"{stepper.height():.6f} m" for stepper in steppers)
    print(f"{case.name}: mean height at the end {ends}", flush=True)
    ours, *peer = [kept[WARM_UP:] for kept in times]
    ours_count, *peer_count = [counts[WARM_UP:] for counts in iterations]
    compared = {"peer": peer[0], "peer_name": "libuipc, CUDA", "peer_iterations": peer_count[0]} if peer else {}
    return Row(case.name, ours, "ms", **compared, by_means=True, iterations=ours_count)


def print_crossing(rows: list[Row]) -> None:
    """The number of boxes from which on CUDA's step takes less time, by the mean times of two neighbouring rows."""
    counts = [int(row.work.split("/")[1]) for row in rows]
    ratios = [fmean(row.ours) / fmean(row.peer) for row in rows]
    for (n, low), (m, high) in pairwise(zip(counts, ratios, strict=True)):
        if low < 1.0 <= high:
            at = exp(log(n) + log(m / n) * log(1.0 / low) / log(high / low))
            print(f"both take as long for about {at:.0f} boxes; with more, CUDA is faster")
            return
    if rows:
        print(f"{'CUDA' if min(ratios) >= 1.0 else 'the CPU'} is faster for all numbers of boxes measured")


if __name__ == "__main__":
    main(__doc__, measure, selects=True)
