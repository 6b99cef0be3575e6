"""Random scenes of soft, thin and rigid bodies that fall onto each other and the ground.

`python -m tests.engine.soft.random_soft_scenes SEED` runs one of them and reports each step.
"""

from __future__ import annotations

import sys
import tempfile

import ipctk
import numpy as np
import trimesh

from ipc_articulation.engine.newton.newton_report import NewtonResult
from tests.engine.soft.soft_scenes import SoftScene, block, cloth, moved, particles, rod

SPACING = 0.3  # [m] of the places; each body fits into a ball of half of it


def rotation(rng):
    return trimesh.transformations.random_rotation_matrix(rng.uniform(size=3))[:3, :3]


def soft_body(rng):
    kind = rng.integers(4)
    if kind == 0:
        return block(int(rng.integers(1, 3)), 0.14, young=10 ** rng.uniform(4, 6), poisson=rng.uniform(0.2, 0.45))
    if kind == 1:
        return cloth(int(rng.integers(2, 6)), 0.18, young=10 ** rng.uniform(4, 6), bending=10 ** rng.uniform(-5, -3))
    if kind == 2:
        t = np.linspace(-0.12, 0.12, int(rng.integers(3, 10)))
        line = np.stack([t, 0.02 * np.sin(20 * t), 0 * t], axis=1)
        return rod(line, young=10 ** rng.uniform(5, 7), radius=0.003, bending=10 ** rng.uniform(4, 7))
    points = np.stack(np.meshgrid(*[[-0.05, 0.0, 0.05]] * 3), axis=-1).reshape(-1, 3)
    return particles(points[rng.choice(27, 5, replace=False)], radius=0.005)


def make(seed, workspace):
    rng = np.random.default_rng(seed)
    by_load = bool(rng.integers(2))
    scene = SoftScene(workspace, friction=rng.uniform(0, 0.8), resistance=None if by_load else 10 ** rng.uniform(7, 9))
    scene.add_ground()
    places = np.array([[i, j, k] for k in range(3) for i in range(2) for j in range(2)])
    for number, place in enumerate(places[: int(rng.integers(4, 9))]):
        at = (place + np.array([-0.5, -0.5, 0.7])) * SPACING + rng.uniform(-0.04, 0.04, 3)
        if rng.random() < 0.3:
            transform = np.eye(4)
            transform[:3, :3], transform[:3, 3] = rotation(rng), at
            scene.add_box(transform, size=rng.uniform(0.06, 0.14, 3), velocity=_velocity(rng))
        else:
            scene.add_soft(moved(soft_body(rng), *at, turn=rotation(rng)), f"soft {number}")
    return scene.start(resistance="load" if by_load else "table")


def _velocity(rng):
    rate = np.zeros((4, 4))
    rate[:3, 3] = rng.normal(size=3)
    return rate


def intersects(scene):
    """Whether any surfaces of soft bodies and boxes intersect, themselves included, by ipctk."""
    x, faces, edges, count = [], [], [], 0
    for which, slot in enumerate(scene.soft):
        geometry = slot.geometry()
        for collection, parts, width in ((geometry.edges(), edges, 2), (geometry.triangles(), faces, 3)):
            surface = collection.find("is_surf")
            if surface is not None and collection.size():
                parts.append(collection.topo().view()[:, :, 0][surface.view() != 0].reshape(-1, width) + count)
        x.append(scene.x(which))
        count += len(x[-1])
    for slot, q in zip(scene.slots, scene.q if scene.slots else (), strict=True):
        geometry = slot.geometry()
        points = geometry.positions().view()[:, :, 0]
        x.append(points @ q[3:].reshape(3, 3).T + q[:3])
        faces.append(geometry.triangles().topo().view()[:, :, 0] + count)
        count += len(points)
    triangles = np.concatenate([np.zeros((0, 3), dtype=np.int32), *faces]).astype(np.int32)
    sides = np.concatenate([ipctk.edges(triangles) if len(triangles) else np.zeros((0, 2), dtype=np.int32), *edges])
    sides = np.unique(np.sort(sides, axis=1), axis=0).astype(np.int32)
    at = np.asfortranarray(np.concatenate(x))
    mesh = ipctk.CollisionMesh(at, np.asfortranarray(sides), np.asfortranarray(triangles))
    return ipctk.has_intersections(mesh, at)


def run(seed, workspace, steps=40, report=False):
    """Run a scene; returns the iterations of its steps."""
    scene, iterations = make(seed, workspace), []
    for step in range(steps):
        scene.run()
        newton = scene.report.newton
        iterations.append(newton.iterations)
        if report:
            print(step, newton.result.value, newton.iterations, newton.ccd_step, scene.report.collisions)
        assert newton.result in (NewtonResult.CONVERGED, NewtonResult.SEMI_IMPLICIT), f"step {step}: {newton.result}"
        assert all(np.isfinite(scene.x(which)).all() for which in range(len(scene.soft))), f"step {step}"
        assert scene.report.minimum_distance > 0.0, f"step {step}"
        assert not intersects(scene), f"step {step}"
    return iterations


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        print("iterations:", np.mean(run(int(sys.argv[1]), folder, report=True)))
