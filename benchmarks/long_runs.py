"""Long runs: whether steps slow down, memory grows or anything drifts in hours of simulated time.

`asleep`: a stack and a box on a slope, at rest as users have them. `awake`: the same, computed anew in every step.
`pendulum`: the example scene, moved by MuJoCo, which swings out beside the box that it has struck. Each prints a line
now and then: hours simulated, processor time of a step, memory, and by how much bodies that IPC moves have moved since
they came to rest.
"""

from __future__ import annotations

import argparse
import re
import tempfile
from pathlib import Path
from time import monotonic, process_time

import numpy as np

from benchmarks.stark.running import wake
from ipc_articulation.arrays import Array
from ipc_articulation.scenefile.reading import read_scene
from ipc_articulation.simulation.building import build
from ipc_articulation.simulation.simulation import Simulation

SCENES = Path(__file__).parents[1] / "scenes"
STACK = """
adapter: none
dt: 0.01
steps: 100
contact: {d_hat: 0.002, friction: 0.5}
ground: {}
bodies:
  - {name: a, shape: {type: box, size: [0.3, 0.2, 0.2]}, pose: {position: [0, 0, 0.102]}}
  - {name: b, shape: {type: box, size: [0.3, 0.2, 0.2]}, pose: {position: [0.05, 0, 0.304], rpy: [0, 0, 0.5]}}
  - {name: c, shape: {type: box, size: [0.2, 0.2, 0.2]}, pose: {position: [0.05, 0.02, 0.506], rpy: [0, 0, 1.0]}}
  - {name: d, shape: {type: box, size: [0.2, 0.1, 0.2]}, pose: {position: [0.05, 0.02, 0.708]}}
  - {name: e, shape: {type: box, size: [0.1, 0.1, 0.1]}, pose: {position: [1.0394, 0, 0.3932], rpy: [0, 0.4, 0]}}
  - {name: slope, shape: {type: box, size: [0.6, 0.4, 0.1]}, pose: {position: [1.0, 0, 0.3], rpy: [0, 0.4, 0]}, fixed: true}
"""  # noqa: E501
AT_REST = 10.0  # simulated time in which everything comes to rest [s]
LINES = 24  # of a run
AT_ONCE = 1000  # steps, after which the clock is looked at


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scene", choices=("asleep", "awake", "pendulum"))
    parser.add_argument("--hours", type=float, default=24.0, help="of simulated time (default: 24)")
    parser.add_argument("--minutes", type=float, default=120.0, help="of the clock at most (default: 120)")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        run(arguments.scene, arguments.hours, arguments.minutes, Path(folder))


def run(name: str, hours: float, minutes: float, folder: Path) -> None:
    """Run a scene and print its lines."""
    stack = folder / "stack.yaml"
    stack.write_text(STACK, encoding="utf-8")
    scene, document = read_scene(SCENES / "pendulum.yaml" if name == "pendulum" else stack)
    steps, end = round(hours * 3600.0 / scene.dt), monotonic() + 60.0 * minutes
    simulation, is_awake = build(scene, document, "cpu", folder / "workspace", steps), name == "awake"
    done = round(AT_REST / scene.dt)
    _advance(simulation, 0, done, is_awake)
    start = _places(simulation)
    for last in np.linspace(done, steps, LINES + 1, dtype=int)[1:]:
        begun, began = done, process_time()
        while done < last and monotonic() < end:
            count = min(int(last) - done, AT_ONCE)
            _advance(simulation, done, count, is_awake)
            done += count
        if done > begun:
            moved = np.abs(_places(simulation) - start).max()
            time = 1e3 * (process_time() - began) / (done - begun)
            hours = done * scene.dt / 3600.0
            print(
                f"{hours:8.3f} h  {done:9d} steps  {time:.4f} ms/step  {_memory():.1f} MiB  moved {moved:.3g} m",
                flush=True,
            )


def _advance(simulation: Simulation, first: int, count: int, is_awake: bool) -> None:
    for index in range(first, first + count):
        if is_awake:
            wake(simulation.engine)
        simulation.step(index)


def _places(simulation: Simulation) -> Array:
    """Transforms of the bodies that IPC moves, (n, 4, 4)."""
    names, poses = list(simulation.body_names), simulation.measure(is_start=False)["body_poses"]
    return np.asarray(poses)[[names.index(name) for name in simulation.free_names]]


def _memory() -> float:
    """Of this process [MiB]."""
    found = re.search(r"VmRSS:\s*(\d+) kB", Path("/proc/self/status").read_text())
    assert found is not None
    return int(found[1]) / 1024


if __name__ == "__main__":
    main()
