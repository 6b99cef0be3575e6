"""Rate of a sweep with two workers beside that of one, on the same runs, in turn.

Each sample is a whole sweep, the start of its workers included: `scenes/hinge_slider.yaml` with so many starting places
of its slider. `ours` is the time with two workers, the peer is one worker: the ratio is 0.5 where two do twice as much.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from time import perf_counter

from benchmarks.harness import Row, main
from ipc_articulation import sweep
from ipc_articulation.cores import cores

SCENE = Path(__file__).parents[1] / "scenes" / "hinge_slider.yaml"
STEPS = 100


def measure(quick: bool) -> list[Row]:
    runs, repeats = (60, 2) if quick else (200, 3)
    swept(2, 2)  # what is not compiled yet is compiled now
    times: dict[int, list[float]] = {1: [], 2: []}
    for _ in range(repeats):
        for workers, kept in times.items():
            kept.append(swept(workers, runs))
    rate = {workers: runs / min(kept) for workers, kept in times.items()}
    print(f"{cores()} cores; one worker: {rate[1]:.2f} runs/s, two workers: {rate[2]:.2f} runs/s (best samples)")
    print(f"two workers do {rate[2] / rate[1]:.2f} times one worker's rate")
    return [Row(f"sweep/{runs} runs of {STEPS} steps", times[2], "s", times[1], "one worker")]


def swept(workers: int, runs: int) -> float:
    """Time of a sweep of so many runs [s]."""
    places = [0.9 + 0.01 * k for k in range(runs)]
    with tempfile.TemporaryDirectory() as out:
        start = perf_counter()
        table = sweep(
            SCENE, {"bodies.slider.pose.position[0]": places}, workers=workers, out=out, steps=STEPS, quiet=True
        )
        time = perf_counter() - start
    assert (table["status"] == "done").all(), table["error"].dropna().to_list()
    return time


if __name__ == "__main__":
    main(__doc__, measure)
