"""The example tasks for learning, solved by their scripted policies: success, intersections, steps a second.

Every episode starts at random, by the seeds 0, 1, 2 …; distances are checked after every step. The peg and the hole
are shown beside MuJoCo's own contact: the same robot, servos, policy and starts, and the depth to which the peg goes
into the block, the largest over each episode. The first episode is left out of the rates, it compiles and warms up.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks.harness import Row, main
from benchmarks.peg_in_mujoco import PegInMujoco
from ipc_articulation.gym import Env
from scenes.policies.peg_in_hole import PegInHole
from scenes.policies.push_crate import PushCrate

SCENES = Path(__file__).parents[1] / "scenes"
POLICIES: dict[str, Callable[[], Any]] = {"push_crate": PushCrate, "peg_in_hole": PegInHole}
STARTS, FEW = 200, 10


class Episodes:
    """What came out of the episodes of one task; one number for each of them."""

    def __init__(self) -> None:
        self.success: list[float] = []
        self.actions: list[float] = []
        self.distance: list[float] = []  # smallest [um]
        self.rate: list[float] = []  # actions a second, without the check of distances
        self.reset: list[float] = []  # time of a reset, in steps of the scene
        self.drawn: list[dict[str, float]] = []


class Watch:
    """Looks at the distance after every step of the scene, and takes the time that this costs."""

    def __init__(self, env: Env) -> None:
        self._env = env
        env.coupling.observers.append(self._look)
        self.begin()

    def begin(self) -> None:
        self.nearest, self.seconds = np.inf, 0.0

    def _look(self) -> None:
        begin = perf_counter()
        self.nearest = min(self.nearest, self._env.minimum_distance)
        self.seconds += perf_counter() - begin


def play(name: str, starts: int) -> Episodes:
    """Play the episodes of a task with its policy."""
    env, policy, played = Env(SCENES / f"{name}.yaml", engine="cpu"), POLICIES[name](), Episodes()
    watch = Watch(env)
    for seed in range(starts):
        begin = perf_counter()
        observation, info = env.reset(seed=seed)
        reset, seconds, count, is_over = perf_counter() - begin, 0.0, 0, False
        policy.begin()
        watch.begin()
        while not is_over:
            action = policy(observation)
            begin = perf_counter()
            observation, _, terminated, truncated, last = env.step(action)
            seconds += perf_counter() - begin
            count, is_over = count + 1, terminated or truncated
        seconds -= watch.seconds
        played.success.append(float(last["success"]))
        played.actions.append(count)
        played.distance.append(1e6 * watch.nearest)
        played.drawn.append(info["drawn"])
        if seed:
            played.rate.append(count / seconds)
            played.reset.append(reset / (seconds / (count * env.every)))
    env.close()
    return played


def play_in_mujoco(drawn: list[dict[str, float]], most: int, substeps: int) -> tuple[list[float], list[float]]:
    """Success, and the depth of the deepest contact [um], of each start."""
    task, policy, success, depths = PegInMujoco(substeps), PegInHole(), [], []
    for values in drawn:
        policy.begin()
        observation, is_in = task.reset(values), False
        for _ in range(most):
            observation, is_in = task.step(policy(observation))
            if is_in:
                break
        success.append(float(is_in))
        depths.append(1e6 * task.depth)
    return success, depths


def measure(quick: bool, only: str) -> list[Row]:
    starts, rows = FEW if quick else STARTS, []
    for name in POLICIES:
        if only not in name:
            continue
        played = play(name, starts)
        rows += [
            Row(f"{name}: solved, of {starts} random starts", played.success, "share", by_means=True),
            Row(f"{name}: actions of an episode", played.actions, "actions"),
            Row(f"{name}: smallest distance of an episode", played.distance, "um"),
            Row(f"{name}: rate", played.rate, "actions/s"),
            Row(f"{name}: a reset", played.reset, "steps"),
        ]
        if name == "peg_in_hole":
            rows += beside_mujoco(played)
    return rows


def beside_mujoco(played: Episodes) -> list[Row]:
    """The peg and the hole from the same starts with MuJoCo, in steps like ours and in shorter ones."""
    rows, ours = [], [max(0.0, -distance) for distance in played.distance]
    for substeps, which in ((1, "MuJoCo, dt 10 ms"), (5, "MuJoCo, dt 2 ms")):
        success, depths = play_in_mujoco(played.drawn, 500, substeps)
        rows += [
            Row("peg_in_hole: solved", played.success, "share", success, which, by_means=True),
            Row("peg_in_hole: deepest penetration of an episode", ours, "um", depths, which),
        ]
    return rows


if __name__ == "__main__":
    main(__doc__, measure, selects=True)
