"""Time from a command to its first step: the first run of all, later ones, and imports; each in a process of its own.

`first/SCENE` compiles everything into an empty folder (NUMBA_CACHE_DIR), `later/SCENE` finds it there, `import` is the
module alone. The peer is MuJoCo's import, model and first step of the same robot, which is the floor of a later run.
Each process says when it has taken its first step. Python's own cache of modules is in the same folder.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from time import time

from benchmarks.harness import Row, main

SCENES = Path(__file__).parents[1] / "scenes"
ROBOTS = {"pendulum": "pendulum.xml", "hinge_pair": None, "panda_push": "panda/panda.urdf"}  # by scene; None: boxes

FIRST_STEP = """
import sys, time
from ipc_articulation.cli import entry
begin = entry.strict

def watched(on):  # when everything is imported
    from ipc_articulation.running.steps import Steps
    taken = Steps._step

    def step(self, index):
        taken(self, index)
        if index == 0:
            print(time.time(), flush=True)

    Steps._step = step
    return begin(on)

entry.strict = watched
scene, out, count = sys.argv[1:]
sys.exit(entry.main(["run", scene, "--out", out, "--steps", count, "--force", "--quiet", "--no-pictures"]))
"""
MUJOCO = """
import sys, time
import mujoco
model = mujoco.MjModel.from_xml_path(sys.argv[1])
mujoco.mj_step(model, mujoco.MjData(model))
print(time.time())
"""
IMPORT = "import time, ipc_articulation.running; print(time.time())"


def measure(quick: bool) -> list[Row]:
    rows = []
    for scene, robot in ROBOTS.items():
        with tempfile.TemporaryDirectory() as folder:
            run = FIRST_STEP, str(SCENES / f"{scene}.yaml"), folder
            until(folder, IMPORT)  # Python compiles the modules of all packages
            first = until(folder, *run, "150")
            later, bare = [], []
            for _ in range(5 if quick else 15):
                later.append(until(folder, *run, "1"))
                if robot is not None:
                    bare.append(until(folder, MUJOCO, str(SCENES / robot)))
            peer = (bare, "mujoco") if bare else ()
            rows += [Row(f"first/{scene}", [first], "s"), Row(f"later/{scene}", later, "s", *peer)]
            if scene == "pendulum":
                rows.append(Row("import", [until(folder, IMPORT) for _ in later], "s"))
        if quick:
            break
    return rows


def until(folder: str, code: str, *arguments: str) -> float:
    """Time from the start of a process until the time that it prints [s]."""
    places = {"NUMBA_CACHE_DIR": f"{folder}/numba", "PYTHONPYCACHEPREFIX": f"{folder}/python"}
    environment = {**os.environ, **places}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    start = time()
    command = [sys.executable, "-c", code, *arguments]
    said = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True).stdout
    return float(said.split()[-1]) - start


if __name__ == "__main__":
    main(__doc__, measure)
