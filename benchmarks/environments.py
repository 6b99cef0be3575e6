"""A step of N Pandas that push N crates in one scene, beside MuJoCo's bare step of the same N states.

Robot, crate, ground and trajectory are those of `scenes/panda_push.yaml`; each crate stands up to 3 cm off, at random.
`step` is the wall time of a step over N, `cpu` the time of the process over N, which counts both cores. They are means
over the whole run, so that steps with and without contact count as they come. MuJoCo's step is taken in turn with
ours, from the same positions and velocities, by the same targets, of the robot without the crate; the ratio is
that of the means. `reset` is a reset of one environment and the step after it, in turn with a plain step. `memory` is
the largest one of a process that does nothing else.
"""

from __future__ import annotations

import multiprocessing
import re
import tempfile
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path
from time import perf_counter, process_time

import mujoco
import numpy as np

from benchmarks.harness import Row, main
from ipc_articulation import couple_many
from ipc_articulation.coupling.adapter import CoupledRobot
from ipc_articulation.scenefile.reading import read_scene
from ipc_articulation.simulation.controls import ControllerSet
from ipc_articulation.simulation.robot_model import RobotMaker, make_model
from ipc_articulation.simulation.surroundings import complete
from ipc_articulation.simulation.world import make_uipc_scene, start_world

SCENE = Path(__file__).parents[1] / "scenes" / "panda_push.yaml"
ADAPTERS = ("native", "mujoco")
OFFSET = 0.03  # [m] largest one of a crate along x and y
WARM_UP, BLOCK, RESETS = 10, 10, 10


class Pandas:
    """N of them, ready to run."""

    def __init__(self, number: int, adapter: str, workspace: Path) -> None:
        scene, self.document = read_scene(SCENE)
        self.scene, self.steps = scene.model_copy(update={"adapter": adapter}), scene.steps
        self._offsets = np.random.default_rng(0).uniform(-OFFSET, OFFSET, (number, 2))
        world_of = make_uipc_scene(self.scene, self.document)
        maker = RobotMaker(self.scene, self.document)  # of one model
        driven = [maker.make(self.scene, self.document) for _ in range(number)]
        self.environments = couple_many(
            world_of,
            [one.adapter for one in driven],
            complete=self._completed,
            restraints=scene.robot.restraints,
            settings="scene",
        )
        couplings = self.environments.couplings
        self.controllers = [
            ControllerSet(self.scene, self.document, one, coupling, self.steps)
            for one, coupling in zip(driven, couplings, strict=True)
        ]
        self._begun = [0] * number  # the step in which the trajectory of each begins
        self.engine, self.world = start_world(world_of, self.scene, self.document, "cpu", workspace)

    def _completed(self, robot: CoupledRobot, number: int) -> CoupledRobot:
        known = complete(robot, self.scene, self.document)
        (crate,) = known.free
        pose = crate.pose.copy()
        pose[:2, 3] += self._offsets[number]
        return replace(known, free=(replace(crate, pose=pose),))

    def step(self, index: int) -> None:
        for controller, begun in zip(self.controllers, self._begun, strict=True):
            controller.command(min(index - begun, self.steps - 1))
        self.environments.step(self.world)

    def reset(self, number: int, index: int) -> None:
        """Put one back to its start, also that of its trajectory."""
        self.environments.reset(self.world, [number])
        self._begun[number] = index


class Bare:
    """MuJoCo's own step of the states of Pandas."""

    def __init__(self, pandas: Pandas) -> None:
        scene = pandas.scene.model_copy(update={"adapter": "mujoco"})
        self._of, driven = pandas, make_model(scene, pandas.document)
        self._driven, first = driven, pandas.environments.couplings[0]
        self._targets = ControllerSet(scene, pandas.document, driven, first, pandas.steps)
        self._model = driven.adapter.model
        assert tuple(self._model.joint(k).name for k in range(self._model.njnt)) == tuple(first.joint_names)
        self._all = [mujoco.MjData(self._model) for _ in pandas.controllers]

    def take_states(self, index: int) -> None:
        self._targets.command(index)
        many = self._of.environments
        for data, theta, rate in zip(self._all, many.theta, many.theta_dot, strict=True):
            data.qpos[:], data.qvel[:], data.ctrl[:] = theta, rate, self._driven.adapter.data.ctrl

    def step(self) -> None:
        for data in self._all:
            mujoco.mj_step(self._model, data)


def measure(quick: bool) -> list[Row]:
    rows = []
    for number in (1, 8, 64) if quick else (1, 8, 64, 256):
        for adapter in ADAPTERS:
            with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as process:
                rows += process.submit(measure_one, number, adapter).result()
    return rows


def measure_one(number: int, adapter: str) -> list[Row]:
    """The rows of N environments, in a process that does nothing else."""
    with tempfile.TemporaryDirectory() as folder:
        compile_all(adapter, Path(folder) / "first")
        start = perf_counter()
        pandas = Pandas(number, adapter, Path(folder) / "all")
        build = perf_counter() - start
        wall, cpu, bare = run(pandas)
        steps, resets = resetting(pandas)
        name = f"{number}/{adapter}"
        print(f"{name}: {1e3 / np.mean(wall):.0f} environment steps a second")
        return [
            Row(f"step/{name}", wall, "ms", bare, f"mujoco {mujoco.__version__}", by_means=True),
            Row(f"cpu/{name}", cpu, "ms"),
            Row(f"reset/{name}", resets, "ms", steps, "a plain step"),
            Row(f"build/{name}", [build], "s"),
            Row(f"memory/{name}", [peak_memory()], "MiB"),
        ]


def compile_all(adapter: str, folder: Path) -> None:
    """Compile what is not compiled yet: one environment up to its contact with the crate."""
    first = Pandas(1, adapter, folder)
    for index in range(first.steps // 2):
        first.step(index)


def run(pandas: Pandas) -> tuple[list[float], list[float], list[float]]:
    """Wall time and CPU time of an environment's step, and MuJoCo's, means of blocks [ms]."""
    bare, times, places = Bare(pandas), [], pandas.environments.body_poses[:, -1, 0, 3]
    for index in range(pandas.steps):
        bare.take_states(index)
        begin = perf_counter()
        bare.step()
        start, before = perf_counter(), process_time()
        pandas.step(index)
        times.append((perf_counter() - start, process_time() - before, start - begin))
    assert (pandas.environments.body_poses[:, -1, 0, 3] > places + 0.01).all(), "a crate was not pushed"
    blocks = np.array(times[WARM_UP:]).reshape(-1, BLOCK, 3).mean(axis=1)
    wall, cpu, mujocos = (1e3 / len(pandas.controllers) * blocks.T).tolist()
    return wall, cpu, mujocos


def resetting(pandas: Pandas) -> tuple[list[float], list[float]]:
    """Time of a plain step, and of a reset with the step after it [ms]."""
    times: tuple[list[float], list[float]] = ([], [])
    for index in range(pandas.steps, pandas.steps + 2 * RESETS):
        start = perf_counter()
        if index % 2:
            pandas.reset(index // 2 % len(pandas.controllers), index)
        pandas.step(index)
        times[index % 2].append(1e3 * (perf_counter() - start))
    return times


def peak_memory() -> float:
    """Largest memory that this process has had [MiB]; `getrusage` would count that of its parent too."""
    found = re.search(r"VmHWM:\s*(\d+) kB", Path("/proc/self/status").read_text())
    assert found is not None
    return int(found[1]) / 1024


if __name__ == "__main__":
    main(__doc__, measure)
