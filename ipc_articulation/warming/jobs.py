"""Jobs that compile, each in a process of its own: `python -m ipc_articulation.warming.jobs NAME`.

numba compiles one function at a time in a process. `joints` and `bodies` have almost no function in common.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from tempfile import TemporaryDirectory

import numpy as np


def joints() -> None:
    """The articulation's energy and the angles of joints, which are half of what a robot needs."""
    from ipc_articulation.articulation.energy import ArticulationEnergy
    from ipc_articulation.articulation.joints import Joints
    from ipc_articulation.articulation.kinds import REVOLUTE, VECTORS
    from ipc_articulation.engine.joint_coordinates import JointCoordinates

    local = np.zeros((1, 2, VECTORS, 4))
    local[:, :, 0, 0] = local[:, :, 1, 1] = 1.0
    hinge = Joints(np.array([REVOLUTE]), np.array([[0, 1]]), local)
    q = np.tile(np.concatenate([np.zeros(3), np.eye(3).ravel()]), (2, 1))
    energy = ArticulationEnergy(hinge, 2, (1,))
    energy.set_step(np.eye(1), np.zeros(1), q)
    energy.energy(q)
    energy.linearize(q)
    JointCoordinates(hinge, np.zeros(1)).follow(np.zeros(1), q)


def scene(name: str, steps: int, adapter: str | None = None) -> None:
    """The first steps of an example."""
    from ipc_articulation.running import run
    from ipc_articulation.scenefile.examples import scene_file

    settings = {} if adapter is None else {"adapter": adapter}
    with TemporaryDirectory() as out:
        run(scene_file(f"example:{name}"), "cpu", steps, out, quiet=True, settings=settings, pictures=False)


# Of each kind: jobs that run at the same time, then others that find what those have compiled.
JOBS: dict[str, tuple[dict[str, Callable[[], None]], ...]] = {
    "affine": (
        {"joints": joints, "bodies": partial(scene, "random_drop", 60)},
        {"robot": partial(scene, "panda_push", 180), "hinges": partial(scene, "hinge_slider", 20)},
    ),
    "soft": ({"cloth": partial(scene, "cloth_over_arm", 100), "solid": partial(scene, "panda_sponge", 40)},),
    "dynamics": ({"arm": partial(scene, "panda_push", 20, "native"), "linkage": partial(scene, "four_bar_press", 20)},),
}


def work(name: str) -> int:
    """Do a job; returns how many functions it has compiled."""
    from numba.core import event

    jobs = {own: job for stages in JOBS.values() for stage in stages for own, job in stage.items()}
    with event.install_recorder("numba:compile") as recorder:
        jobs[name]()
    return sum(found.is_start for _, found in recorder.buffer)


if __name__ == "__main__":
    print(work(sys.argv[1]))
