"""A run in a process of its own: `python -m tests.engine.dumping_run WORKSPACE STEPS` (dumps every ten steps).

It goes on from the newest dump, prints every step's number, and at the end writes the final state to WORKSPACE/end.npz.
"""

import sys
from pathlib import Path

import numpy as np

from tests.engine.joints import add_hinge
from tests.engine.scenes import BoxScene, translation, twist_rate


def make(workspace, **config):
    """Boxes that fall on each other and overtake each other, two of them on a hinge; BDF2, so that the past counts."""
    scene = BoxScene(workspace, integrator__type="bdf2", **config)
    scene.add_ground()
    base = scene.add_box(translation(0, 0, 0.13), velocity=twist_rate(translation(0, 0, 0.13), linear=(0.7, 0, 0)))
    lid = scene.add_box(translation(0, 0.05, 0.36))
    top = translation(-0.05, 0, 0.575)
    scene.add_box(top, velocity=twist_rate(top, linear=(2.0, 0, -0.5), angular=(1, 2, 3)))
    scene.add_box(translation(0.35, 0.1, 0.14))
    add_hinge(scene, base, lid, [[-0.1, -0.1, 0.245], [0.1, -0.1, 0.245]])
    return scene.start()


def run(scene, steps, every=10):
    while scene.world.frame() < steps:
        scene.run(1)
        if every and scene.world.frame() % every == 0:
            assert scene.world.dump()
        yield scene.world.frame()


if __name__ == "__main__":
    workspace, steps = Path(sys.argv[1]), int(sys.argv[2])
    scene = make(workspace)
    print("recovered", scene.world.recover(), scene.world.frame(), flush=True)
    for frame in run(scene, steps):
        print(frame, flush=True)
    state = scene.engine.cpu.state
    np.savez(workspace / "end.npz", q=state.q, qdot=state.qdot, theta=state.theta)
