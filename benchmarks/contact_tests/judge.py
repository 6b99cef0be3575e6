"""Intersections of a case's surfaces, measured by ipctk alone: nothing of the engine is used."""

from __future__ import annotations

from collections.abc import Sequence

import ipctk
import numpy as np

from benchmarks.contact_tests.bodies import Body
from ipc_articulation.arrays import Array

MANY = 5000  # faces, of which ipctk takes too long to look at them after each step


class Judge:
    """The surfaces of all solids as one mesh of ipctk, and the balls by their centres."""

    def __init__(self, bodies: Sequence[Body], has_ground: bool) -> None:
        self.has_ground = has_ground
        self.solids = [k for k, body in enumerate(bodies) if not body.radius]
        self.balls = [k for k, body in enumerate(bodies) if body.radius]
        self.radii = np.array([bodies[k].radius for k in self.balls])
        meshes = [bodies[k].mesh for k in self.solids]
        self.every = 20 if sum(len(mesh.faces) for mesh in meshes) > MANY else 1  # steps
        if not meshes:
            return
        counts = [len(mesh.vertices) for mesh in meshes]
        offsets = np.cumsum([0, *counts[:-1]])
        edges = np.concatenate([mesh.edges_unique + o for mesh, o in zip(meshes, offsets, strict=True)])
        faces = np.concatenate([mesh.faces + o for mesh, o in zip(meshes, offsets, strict=True)])
        self.points = np.concatenate([mesh.vertices for mesh in meshes])
        self.body = np.repeat(self.solids, counts)
        whole = np.asfortranarray(edges.astype(np.int32)), np.asfortranarray(faces.astype(np.int32))
        self.mesh = ipctk.CollisionMesh(np.asfortranarray(self.points), *whole)
        self.mesh.can_collide = ipctk.make_vertex_patches_filter(self.body.astype(np.int32))

    def intersect(self, transforms: Array) -> bool:
        """Whether surfaces intersect each other or the ground, at transforms (n, 4, 4)."""
        if self.balls and penetration(transforms[self.balls, :3, 3], self.radii) > 0.0:
            return True
        if not self.solids:
            return False
        T = transforms[self.body]
        x = np.einsum("vij,vj->vi", T[:, :3, :3], self.points) + T[:, :3, 3]
        if self.has_ground and x[:, 2].min() <= 0.0:
            return True
        return bool(ipctk.has_intersections(self.mesh, np.asfortranarray(x)))


def penetration(x: Array, r: Array) -> float:
    """SimBenchmark's measure for balls at x (n, 3) with radii r (n,) above the ground z = 0 [m²],

    Σ max(0, rᵢ + rⱼ - |xᵢ - xⱼ|)² + Σ max(0, rᵢ - zᵢ)².
    """
    i, j = np.triu_indices(len(x), 1)
    between = np.maximum(0.0, r[i] + r[j] - np.linalg.norm(x[i] - x[j], axis=1))
    return float((between**2).sum() + (np.maximum(0.0, r - x[:, 2]) ** 2).sum())
