"""Time of a step of the CPU engine over the number of bodies: piles, tumbled piles, spheres, a hinge, a chain.

Piles of 1 to 1000 boxes fall 5 cm onto each other, 50 steps; tumbled piles, spheres and the rest take 100. A sample is
one step; the first five are left out. In `pile/10+990` a pile of ten has 990 more boxes at rest far away, from step 50
on; its peer is that pile alone, step by step in turn. `hinge` and `chain/8`, in which eight boxes
move, cannot touch. `benchmarks.stark` has STARK as the peer.
"""

from __future__ import annotations

import tempfile
from math import log
from resource import RUSAGE_SELF, getrusage
from time import perf_counter

import numpy as np
import uipc

from benchmarks import box_scenes
from benchmarks.harness import Row, main
from ipc_articulation import Engine

WARM_UP = 5


def measure(quick: bool) -> list[Row]:
    counts, tumbled = ((1, 10, 100), (10, 50)) if quick else ((1, 10, 100, 1000), (10, 50, 200))
    steps, box, sphere = (30 if quick else 100), box_scenes.box(), box_scenes.sphere()
    rows = []
    for n in counts:
        scene = box_scenes.make_scene(box, box_scenes.pile(n))
        rows.append(Row(f"pile/{n}", time_steps(scene, 50), "ms"))
    for n in tumbled:
        scene = box_scenes.make_scene(box, box_scenes.tumbled(n))
        rows.append(Row(f"tumbled/{n}", time_steps(scene, steps), "ms"))
    rows.append(measure_far(990))
    scene = box_scenes.make_scene(sphere, box_scenes.pile(10))
    rows.append(Row("spheres/10", time_steps(scene, steps), "ms"))
    rows.append(Row("hinge", time_steps(box_scenes.hinge(), steps), "ms"))
    rows.append(Row("chain/8", time_steps(box_scenes.chain(8), steps), "ms"))
    print_growth({row.work: float(np.median(row.ours)) for row in rows}, max(counts))
    return rows


def time_steps(scene: uipc.Scene, steps: int) -> list[float]:
    """Time of each step [ms]."""
    return time_in_turn([scene], steps)[0][WARM_UP:]


def measure_far(count: int) -> Row:
    """A pile of ten with others at rest far away, beside the pile alone."""
    pile, box = box_scenes.pile(10), box_scenes.box()
    crowd = np.concatenate([pile, box_scenes.resting(count)])
    ours, peer = time_in_turn([box_scenes.make_scene(box, transforms) for transforms in (crowd, pile)], 100)
    return Row(f"pile/10+{count}", ours[50:], "ms", peer[50:], "pile/10 alone")


def time_in_turn(scenes: list[uipc.Scene], steps: int) -> list[list[float]]:
    """Time of each step of each scene [ms], one step of each after the other."""
    with tempfile.TemporaryDirectory() as workspace:
        engines = [Engine("cpu", f"{workspace}/{k}") for k in range(len(scenes))]
        worlds = [uipc.World(engine) for engine in engines]
        for world, scene in zip(worlds, scenes, strict=True):
            world.init(scene)
        times: list[list[float]] = [[] for _ in worlds]
        for _ in range(steps):
            for world, kept in zip(worlds, times, strict=True):
                start = perf_counter()
                world.advance()
                kept.append(1e3 * (perf_counter() - start))
    return times


def print_growth(medians: dict[str, float], largest: int) -> None:
    exponent = log(medians[f"pile/{largest}"] / medians["pile/10"]) / log(largest / 10)
    print(f"piles of 10 to {largest} boxes: time of a step grows as the number to the power of {exponent:.2f}")
    print(f"largest memory of the process: {getrusage(RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB")


if __name__ == "__main__":
    main(__doc__, measure)
