"""Random scenes for the CPU engine, each made and checked from one seed.

`python -m tests.engine.random_scenes SEED [STEPS]` runs one and prints a line a step.
"""

from __future__ import annotations

import sys
import tempfile
import time

import ipctk
import numpy as np
import trimesh

from ipc_articulation.engine.newton.newton_report import NewtonResult
from tests.engine.joints import add_ball, add_hinge, add_slider, add_weld
from tests.engine.scenes import BoxScene, translation, twist_rate

STEPS = 50
_ROOM = 1.0  # half width of the space in which bodies are placed [m]
_WALL = 0.02  # thickness of a cage's walls [m]
_GAP = 1e-3  # between the walls of a cage: nothing gets through


class RandomScene(BoxScene):
    """A scene that is a function of its seed alone."""

    def __init__(self, seed, workspace):
        self.seed, self.rng, self.meshes = seed, np.random.default_rng(seed), []
        rng = self.rng
        self.dt, self.d_hat = _log_uniform(rng, 1e-3, 5e-2), _log_uniform(rng, 1e-4, 1e-2)
        force = _log_uniform(rng, 1e2, 1e5)  # [N], what contact makes of half its range
        self.resistance = rng.choice([-1.0, 1e9, force / self.d_hat**3], p=[0.3, 0.1, 0.6])
        super().__init__(
            workspace,
            gravity=(0.0, 0.0, -9.8) if rng.random() < 0.8 else (0.0, 0.0, 0.0),
            friction=rng.choice([0.0, 1.0, rng.random()]),
            resistance=self.resistance,
            dt=self.dt,
            contact__d_hat=self.d_hat,
            integrator__type=str(rng.choice(["bdf1", "bdf2"])),
            newton__max_iter=100,  # some collisions need more, and then say so; this keeps the time of a scene down
            newton__semi_implicit__enable=int(rng.random() < 0.7),
        )
        self._add_surroundings()
        self._speed = rng.choice([0.0, _log_uniform(rng, 0.1, 100.0)])  # [m/s], the greatest of the scene
        self._spin = rng.choice([0.0, _log_uniform(rng, 0.1, 100.0)])  # [rad/s]
        for _ in range(rng.integers(2, 21)):
            self._place()
        self._join()

    def add_mesh(self, mesh, transform, **properties):
        """Add a body, and remember its mesh."""
        self.meshes.append(mesh)
        return super().add_mesh(mesh, transform, **properties)

    def _add_surroundings(self):
        """Nothing, a ground, a room of six half-planes, or a cage of six fixed plates."""
        self.surroundings = str(self.rng.choice(["none", "ground", "room", "cage"]))
        if self.surroundings == "ground":
            self.add_ground(-_ROOM)
        for axis in range(3):
            for side in (-1.0, 1.0):
                n = side * np.eye(3)[axis]
                if self.surroundings == "room":
                    self.scene.objects().create("wall").geometries().create(half_plane(_ROOM * n, -n))
                if self.surroundings == "cage":
                    # Each pair of opposite walls stands within the ones before it, so that no two intersect.
                    size = 2.0 * (_ROOM + (_WALL + _GAP) * np.where(np.arange(3) < axis, 0.0, 1.0) - 0.5 * _GAP)
                    size[axis] = _WALL
                    center = (_ROOM + 0.5 * _WALL) * n
                    self.add_mesh(trimesh.creation.box(size), translation(*center), is_fixed=1)
        self.walls = len(self.meshes)

    def _place(self):
        """Add a body where it intersects nothing; after ten attempts there is no room for it."""
        rng, mesh = self.rng, random_mesh(self.rng)
        kappa, density = _log_uniform(rng, 1e6, 1e9), _log_uniform(rng, 100.0, 8000.0)
        speed, spin = self._speed * rng.random(), self._spin * rng.random()
        is_fixed = int(rng.random() < 0.1)
        for _ in range(10):
            T = trimesh.transformations.random_rotation_matrix(rng.random(3))
            T[:3, 3] = rng.uniform(-1.0, 1.0, 3) * rng.choice([0.3, 0.6, 0.9]) * _ROOM
            if self._is_free(mesh, T):
                velocity = twist_rate(T, speed * _direction(rng), spin * _direction(rng))
                self.add_mesh(mesh, T, density=density, kappa=kappa, velocity=velocity, is_fixed=is_fixed)
                return

    def _is_free(self, mesh, transform):
        x = trimesh.transform_points(mesh.vertices, transform)
        if np.abs(x).max() >= _ROOM - 1e-3:
            return False
        others = [
            (other, y)
            for other, y in zip(self.meshes, self.positions(), strict=True)
            if np.all(x.min(axis=0) < y.max(axis=0)) and np.all(y.min(axis=0) < x.max(axis=0))
        ]
        return not any(intersect([mesh, other], [x, y]) for other, y in others)

    def _join(self):
        """Joints between some bodies and the body placed before them."""
        rng, x = self.rng, self.positions()
        share = rng.choice([0.0, 0.3, 0.9])
        for row in range(self.walls + 1, len(self.slots)):
            if rng.random() >= share:
                continue
            pair = self.slots[row - 1], self.slots[row]
            anchor = 0.5 * (x[row - 1].mean(axis=0) + x[row].mean(axis=0))
            ends = [anchor, anchor + 0.1 * _direction(rng)]
            kind, strength = rng.integers(4), _log_uniform(rng, 10.0, 1e4)
            if kind == 0:
                add_hinge(self, *pair, ends, strength=strength)
            elif kind == 1:
                add_slider(self, *pair, ends, strength=strength)
            elif kind == 2:
                add_ball(self, *pair, anchor, strength=strength)
            else:
                add_weld(self, *pair, strength=strength)

    def positions(self):
        """Vertices of each body in the world, now."""
        transforms = [slot.geometry().transforms().view()[0] for slot in self.slots]
        return [
            trimesh.transform_points(mesh.vertices, np.array(T))
            for mesh, T in zip(self.meshes, transforms, strict=True)
        ]

    def check_step(self):
        """What must hold after a step; a text that says what does not, or None.

        Intersections are looked for without any of the engine's own detection. Bodies in a cage or room stay there,
        or they have passed a wall; a sharp corner may stick in the slit between two walls of a cage.
        """
        result = self.engine.statistics.result
        if not isinstance(result, NewtonResult):
            return f"the result is {result!r}"
        if not (np.isfinite(self.q).all() and np.isfinite(self.qdot).all()):
            return "a coordinate or velocity is not finite"
        distance = self.engine.statistics.minimum_distance
        if not distance > 0.0:
            return f"the minimum distance is {distance:g} m"
        x, is_fixed = self.positions(), self.engine.cpu.model.context.bodies.is_fixed
        if intersect(self.meshes, x, is_fixed):
            return "surfaces intersect"
        moving = np.concatenate([x[row] for row in np.flatnonzero(~is_fixed)] + [np.zeros((0, 3))])
        if self.surroundings in ("room", "cage") and np.abs(moving).max(initial=0.0) >= _ROOM + 0.5 * _WALL:
            return "a body has left through a wall"
        return None

    def run_checked(self, steps=STEPS, report=lambda line: None):
        """Start, and take the steps; what failed, with the command that shows it again, or None."""
        again = f"(again: python -m tests.engine.random_scenes {self.seed})"
        step = 0
        try:
            self.start()
            for step in range(1, steps + 1):
                began = time.perf_counter()
                self.run()
                seconds = time.perf_counter() - began
                failure = self.check_step()
                report(f"{step} {1e3 * seconds:.0f} ms {self.engine.statistics.newton}")
                if failure is not None:
                    return f"seed {self.seed}, step {step}: {failure} {again}"
        except Exception as error:
            return f"seed {self.seed}, step {step}: {type(error).__name__}: {error} {again}"
        return None

    def __str__(self):
        return (
            f"seed {self.seed}: {len(self.slots) - self.walls} bodies, surroundings {self.surroundings}, "
            f"dt {self.dt:.3g}, d_hat {self.d_hat:.3g}, resistance {self.resistance:.3g}, "
            f"speed to {self._speed:.3g}, spin to {self._spin:.3g}"
        )


def random_mesh(rng):
    """A closed convex mesh of 0.03 to 0.5 m."""
    size, kind = _log_uniform(rng, 0.03, 0.5), rng.integers(5)
    if kind == 0:
        return trimesh.creation.box(size * rng.uniform(0.3, 1.0, 3))
    if kind == 1:
        return trimesh.creation.icosphere(int(rng.integers(1, 3)), 0.5 * size)
    if kind == 2:
        return trimesh.convex.convex_hull(size * rng.uniform(-0.5, 0.5, (rng.integers(6, 30), 3)))
    if kind == 3:
        return trimesh.creation.box([size, size * rng.uniform(0.3, 1.0), rng.uniform(0.002, 0.01)])
    corners = np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]]) + rng.uniform(-0.5, 0.5, (4, 3))
    return trimesh.convex.convex_hull(0.3 * size * corners)


def intersect(meshes, positions, is_fixed=None):
    """Whether surfaces of different bodies intersect; those of two fixed ones may."""
    counts = [len(x) for x in positions]
    offsets = np.concatenate([[0], np.cumsum(counts)[:-1]])
    faces = np.concatenate([mesh.faces + offset for mesh, offset in zip(meshes, offsets, strict=True)])
    edges = np.concatenate([mesh.edges_unique + offset for mesh, offset in zip(meshes, offsets, strict=True)])
    x = np.asfortranarray(np.concatenate(positions))
    owner = np.arange(len(meshes)) if is_fixed is None else np.where(is_fixed, -1, np.arange(len(meshes)))
    patches = np.repeat(np.unique(owner, return_inverse=True)[1], counts).astype(np.int32)
    mesh = ipctk.CollisionMesh(x, np.asfortranarray(edges.astype(np.int32)), np.asfortranarray(faces.astype(np.int32)))
    mesh.can_collide = ipctk.make_vertex_patches_filter(patches)
    return bool(ipctk.has_intersections(mesh, x))


def half_plane(point, normal):
    from uipc.geometry import halfplane

    return halfplane(np.array(point), np.array(normal))


def _log_uniform(rng, low, high):
    return float(np.exp(rng.uniform(np.log(low), np.log(high))))


def _direction(rng):
    v = rng.normal(size=3)
    return v / np.linalg.norm(v)


def main(seed, steps=STEPS):
    with tempfile.TemporaryDirectory() as workspace:
        scene = RandomScene(int(seed), workspace)
        print(scene)
        print(scene.run_checked(int(steps), print) or "all is well")


if __name__ == "__main__":
    main(*sys.argv[1:])
