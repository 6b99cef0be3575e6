"""Time of the algorithms of our dynamics engine, beside other engines called from Python.

single: one call for one state, the robot and its arrays at hand. batch: time a state over 4,096 states, beside one call
of the peer for one state, because that is how the peer does many. floor: the same kernels on one thread without Python
and memory traffic between states, what a single call cannot fall below. The first call of a function compiles it; the
rows `compile` and `import` are fresh Python processes, the first without any compiled code on disk.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
from ipc_articulation.adapters.mujoco import find_package

from benchmarks.dynamics_peers import PEERS, Work
from benchmarks.harness import Row, main, samples_in_turn
from ipc_articulation import dynamics as dyn

STATES = 4096
ROBOTS = {
    "panda": ("panda_description/urdf/panda.urdf", False),
    "g1": ("g1_description/urdf/g1_29dof_with_hand_rev_1_0.urdf", True),
    "talos": ("talos_data/robots/talos_full_v2.urdf", True),
}
ALGORITHMS: dict[str, Callable] = {
    "crba": dyn.mass_matrix,
    "bias": dyn.bias_forces,
    "aba": dyn.forward_dynamics,
    "rnea": dyn.inverse_dynamics,
}
ARGUMENTS = {"crba": 1, "bias": 2, "aba": 3, "rnea": 3}  # of q, v, and τ or v̇

_COMPILE = """
from time import perf_counter
import numpy as np
from ipc_articulation import dynamics as dyn
start = perf_counter()
model = dyn.read_urdf({urdf!r}).build()
read = perf_counter()
q, x = model.neutral, np.zeros(model.nv)
dyn.mass_matrix(model, q), dyn.bias_forces(model, q, x)
dyn.forward_dynamics(model, q, x, x), dyn.inverse_dynamics(model, q, x, x)
print(read - start, perf_counter() - read)
"""


def measure(quick: bool) -> list[Row]:
    rows = []
    for robot in ROBOTS:
        rows += measure_robot(robot, quick)
    return rows + start_up()


def measure_robot(robot: str, quick: bool) -> list[Row]:
    path, floating = ROBOTS[robot]
    urdf = find_package("example-robot-data") / "robots" / path
    model = dyn.read_urdf(urdf, floating_base=floating).build()
    peers = _installed_peers(urdf, floating)
    rows = []
    for algorithm in ALGORITHMS:
        ours = our_work(model, algorithm, None)
        many = our_work(model, algorithm, STATES)
        for peer, (name, work) in peers.items():
            if algorithm in work:
                mine, theirs = samples_in_turn([ours, work[algorithm]], 500, 10 if quick else 40)
                label = "" if peer == "pinocchio" else f"/{peer}"
                rows.append(Row(f"{algorithm}/{robot}/single{label}", mine, "us", theirs, name))
                if peer == "pinocchio":
                    batch = [t / STATES for t in samples_in_turn([many], 1, 5 if quick else 20)[0]]
                    rows.append(Row(f"{algorithm}/{robot}/batch", batch, "us", theirs, name))
        rows.append(Row(f"{algorithm}/{robot}/floor", floor(model, algorithm, quick), "us"))
    return rows


def our_work(model: dyn.Model, algorithm: str, count: int | None) -> Callable[[], object]:
    """One call of our algorithm, on one state or on many."""
    f, (q, v, x) = ALGORITHMS[algorithm], random_states(model, count)
    if count is not None:
        out = f(model, *(q, v, x)[: ARGUMENTS[algorithm]])
        return lambda: f(model, *(q, v, x)[: ARGUMENTS[algorithm]], out=out)
    return {1: lambda: f(model, q), 2: lambda: f(model, q, v), 3: lambda: f(model, q, v, x)}[ARGUMENTS[algorithm]]


def random_states(model: dyn.Model, count: int | None) -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    shape = (model.nv,) if count is None else (count, model.nv)
    return [dyn.random_position(model, rng, count), rng.normal(size=shape), rng.normal(size=shape)]


def floor(model: dyn.Model, algorithm: str, quick: bool) -> list[float]:
    """Time a state on one thread, all states the same arrays, so that they stay in the cache."""
    states = [np.repeat(x[None], 128, axis=0) for x in random_states(model, None)[: ARGUMENTS[algorithm]]]
    work = lambda: ALGORITHMS[algorithm](model, *states)  # noqa: E731
    return [t / 128 for t in samples_in_turn([work], 10, 5 if quick else 20)[0]]


def start_up() -> list[Row]:
    """Times of fresh processes [s]."""
    urdf = find_package("example-robot-data") / "robots" / ROBOTS["panda"][0]
    with tempfile.TemporaryDirectory() as cache:
        environment = os.environ | {"NUMBA_CACHE_DIR": cache}
        reads, cold, warm = [], [], []
        for times in (cold, warm):
            read, first = _python(_COMPILE.format(urdf=str(urdf)), environment).split()
            reads.append(float(read))
            times.append(float(first))
    imports = [float(_python(_IMPORT.format(what="ipc_articulation"))) for _ in range(5)]
    room = [float(_python(_IMPORT.format(what="ipc_articulation.dynamics"))) for _ in range(5)]
    return [
        Row("import/ipc_articulation", imports, "s"),
        Row("import/ipc_articulation.dynamics", room, "s"),
        Row("read/panda", reads, "s"),
        Row("compile/four algorithms", cold, "s"),
        Row("compile/from disk", warm, "s"),
    ]


_IMPORT = "from time import perf_counter; s = perf_counter(); import {what}; print(perf_counter() - s)"


def _python(code: str, environment: dict[str, str] | None = None) -> str:
    root = Path(__file__).parents[1]
    return subprocess.run(
        [sys.executable, "-c", code], env=environment, cwd=root, check=True, capture_output=True, text=True
    ).stdout


def _installed_peers(urdf: Path, floating: bool) -> dict[str, tuple[str, Work]]:
    found = {}
    for name, make in PEERS.items():
        try:
            found[name] = make(urdf, floating)
        except ImportError:
            print(f"{name} is not installed and left out")
    return found


if __name__ == "__main__":
    main(__doc__, measure)
