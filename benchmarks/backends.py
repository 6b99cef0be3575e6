"""Vector environments of the example tasks: all in one scene, beside a process for each.

Both take the same actions of their own scripted policy from the same starts, in turn; a sample is the mean over ten
steps of all environments, resets included. The first samples are left out, they compile and warm up.
"""

from __future__ import annotations

from time import perf_counter
from typing import Any

import numpy as np

from benchmarks.harness import Row, main
from benchmarks.tasks import POLICIES, SCENES
from ipc_articulation.gym import make_vec

BLOCK, WARM_UP = 10, 2


class Played:
    """One backend, played by the policy of the task."""

    def __init__(self, name: str, count: int, backend: str) -> None:
        self.envs = make_vec(SCENES / f"{name}.yaml", count, backend=backend, engine="cpu")
        self._policies = [POLICIES[name]() for _ in range(count)]
        self._observations, self.seconds = self.envs.reset(seed=0)[0], list[float]()

    def play(self) -> None:
        """Take a block of steps."""
        spent = 0.0
        for _ in range(BLOCK):
            actions = np.array([own(seen) for own, seen in zip(self._policies, self._observations, strict=True)])
            begin = perf_counter()
            self._observations, _, terminated, truncated, _ = self.envs.step(actions)
            spent += perf_counter() - begin
            for k in np.flatnonzero(terminated | truncated):
                self._policies[k].begin()
        self.seconds.append(spent / BLOCK)


def measure(quick: bool, only: str) -> list[Row]:
    rows: list[Row] = []
    for name in POLICIES:
        if only in name:
            for count in (2, 8) if quick else (2, 8, 32):
                rows.append(row(name, count, 8 if quick else 30))
    return rows


def row(name: str, count: int, blocks: int) -> Row:
    """Wall time of an action of one environment, both ways [ms]."""
    both = [Played(name, count, backend) for backend in ("scene", "processes")]
    for _ in range(WARM_UP + blocks):
        for played in both:
            played.play()
    scene, processes = (milliseconds(played, count) for played in both)
    for played in both:
        played.envs.close()
    return Row(f"{name}/{count}: an action of one", scene, "ms", processes, "processes", by_means=True)


def milliseconds(played: Any, count: int) -> list[float]:
    """Without the first blocks."""
    return (1e3 / count * np.array(played.seconds[WARM_UP:])).tolist()


if __name__ == "__main__":
    main(__doc__, measure, selects=True)
