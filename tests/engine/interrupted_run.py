"""A script that goes on after every Ctrl-C: `python -m tests.engine.interrupted_run SEED FOLDER`.

It says «ready» when it steps, steps until SIGUSR1 has come, and ends with 0 if no surfaces have intersected; a scene of
an odd seed is a random one (see `random_scenes`), else bodies fall onto a thin plate.
"""

from __future__ import annotations

import signal
import sys

import numpy as np
import trimesh
from scipy.spatial.transform import Rotation

from tests.engine.random_scenes import RandomScene, intersect, random_mesh
from tests.engine.scenes import BoxScene, translation, twist_rate

_AT_LEAST, _AT_MOST = 10, 20_000  # steps
_HALF = 2.0  # of the width of the plate [m]


class FallingBodies(BoxScene):
    """Five random bodies above a plate of 2 mm, one after the other, so that something always falls."""

    def __init__(self, seed, workspace):
        rng = np.random.default_rng(seed)
        super().__init__(workspace, dt=float(rng.choice([0.002, 0.01])), newton__max_iter=200)
        self.meshes = []
        self.add_mesh(trimesh.creation.box((2 * _HALF, 2 * _HALF, 0.002)), translation(0, 0, -0.001), is_fixed=1)
        for k in range(5):
            T = translation(*rng.uniform(-0.1, 0.1, 2), 0.4 + 0.6 * k)
            T[:3, :3] = Rotation.random(random_state=rng).as_matrix()
            velocity = twist_rate(T, linear=(0, 0, -4.0 * rng.random()), angular=rng.uniform(-5, 5, 3))
            self.add_mesh(random_mesh(rng), T, velocity=velocity, density=1000.0)

    def add_mesh(self, mesh, transform, **properties):
        self.meshes.append(mesh)
        return super().add_mesh(mesh, transform, **properties)

    def check_step(self):
        """What is wrong after a step, or None; without any of the engine's own collision detection."""
        x = [
            trimesh.transform_points(mesh.vertices, np.array(slot.geometry().transforms().view()[0]))
            for mesh, slot in zip(self.meshes, self.slots, strict=True)
        ]
        above = np.concatenate(x[1:])
        below = (above[:, 2] < 0.0) & (np.abs(above[:, :2]) < _HALF).all(axis=1)
        if not np.isfinite(above).all() or below.any():
            return "a body is below the plate"
        return "surfaces intersect" if intersect(self.meshes, x) else None


class Run:
    """Steps a scene on and on, whatever comes in between."""

    def __init__(self, scene):
        self.scene, self.is_last, self.steps, self.interrupts, self.failure = scene, False, 0, 0, None
        signal.signal(signal.SIGUSR1, self._end)

    def _end(self, number, frame):
        self.is_last = True

    def go_on(self, work):
        """Do some work until it comes to its end."""
        while True:
            try:
                return work()
            except KeyboardInterrupt:
                self.interrupts += 1

    def take_steps(self):
        while not (self.is_last and self.steps >= _AT_LEAST) and self.steps < _AT_MOST and self.failure is None:
            self.scene.world.advance()
            self.scene.world.retrieve()
            self.steps += 1
            if self.steps % 5 == 0:
                assert self.scene.engine.statistics.minimum_distance > 0.0
            if self.steps % 20 == 0:
                self.scene.world.dump()
                self.failure = self.scene.check_step()


def main():
    seed, folder = int(sys.argv[1]), sys.argv[2]
    scene = (RandomScene if seed % 2 else FallingBodies)(seed, folder).start().run(2)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # programs started in the background ignore it
    run = Run(scene)
    print("ready", flush=True)
    run.go_on(lambda: run.go_on(run.take_steps))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    scene.run(1)  # the last one may have been abandoned
    failure = run.failure or scene.check_step()
    print(f"seed {seed}: {run.steps} steps, {run.interrupts} interrupts, {failure or 'all well'}", flush=True)
    sys.exit(failure is not None)


if __name__ == "__main__":
    main()
