"""Intersections and gaps of a fixture's surfaces, measured by ipctk alone: nothing of the engine is used."""

from __future__ import annotations

import ipctk
import numpy as np

from benchmarks.rigid_ipc.fixture import Fixture
from benchmarks.rigid_ipc.meshes import Mesh
from ipc_articulation.arrays import Array

FLAT = 1e-12  # twice the area of a face without one at most, in units of its longest side squared
RESTING = 0.01  # greatest change of a resting contact's gap in a step, over d̂

Gaps = dict[tuple[int, int], float]  # of pairs of bodies within d̂, over d̂


class Judge:
    """All surfaces of a fixture as one mesh of ipctk, without pairs that may not touch."""

    def __init__(self, fixture: Fixture) -> None:
        """Join the surfaces."""
        self.fixture = fixture
        meshes = [body.shape.mesh for body in fixture.bodies]
        counts = [len(mesh.points) for mesh in meshes]
        offsets = np.cumsum([0, *counts[:-1]])
        edges = np.concatenate([mesh.all_edges + o for mesh, o in zip(meshes, offsets, strict=True)]).astype(np.int32)
        faces = np.concatenate([_solid(mesh) + o for mesh, o in zip(meshes, offsets, strict=True)]).astype(np.int32)
        self.points, self.body = np.concatenate([mesh.points for mesh in meshes]), np.repeat(range(len(meshes)), counts)
        x = self.positions(np.tile(np.eye(4), (len(meshes), 1, 1)))
        self.mesh = ipctk.CollisionMesh(x, np.asfortranarray(edges), np.asfortranarray(faces))
        self.mesh.can_collide = ipctk.make_vertex_patches_filter(_patches(fixture)[self.body])

    def positions(self, transforms: Array) -> Array:
        """World positions (V, 3) of all vertices."""
        T = transforms[self.body]
        return np.asfortranarray(np.einsum("vij,vj->vi", T[:, :3, :3], self.points) + T[:, :3, 3])

    def intersect(self, transforms: Array) -> bool:
        """Whether surfaces that may touch intersect."""
        return bool(ipctk.has_intersections(self.mesh, self.positions(transforms)))

    def gaps(self, transforms: Array) -> Gaps:
        """The smallest gap of each pair of bodies within d̂, over d̂, without the fixture's separation."""
        x, found = self.positions(transforms), ipctk.NormalCollisions()
        d_hat, least = self.fixture.d_hat, self.fixture.separation
        found.build(self.mesh, x, d_hat, least)
        gaps: Gaps = {}
        edges, faces = self.mesh.edges, self.mesh.faces
        for collision in (found[k] for k in range(len(found))):
            vertices = np.array(collision.vertex_ids(edges, faces))[: collision.num_vertices()]
            i, j = sorted(self.body[vertices[[0, -1]]].tolist())
            d = np.sqrt(collision.compute_distance(x[vertices].ravel()))
            gaps[i, j] = min(gaps.get((i, j), np.inf), float(d - least) / d_hat)
        return gaps


def _solid(mesh: Mesh) -> Array:
    """The faces with an area: ipctk finds that others intersect what they are coplanar with."""
    corners = mesh.points[mesh.faces]
    sides = corners[:, 1:] - corners[:, :1]
    longest = np.maximum(*np.linalg.norm(sides, axis=2).T)
    return mesh.faces[np.linalg.norm(np.cross(*sides.transpose(1, 0, 2)), axis=1) > FLAT * longest**2]


def _patches(fixture: Fixture) -> Array:
    """A number for each body, equal where bodies do not touch each other."""
    groups = [body.group if body.group != -1 else ("own", number) for number, body in enumerate(fixture.bodies)]
    numbers = {group: number for number, group in enumerate(dict.fromkeys(groups))}
    return np.array([numbers[group] for group in groups], dtype=np.int32)


def resting(before: Gaps, after: Gaps) -> list[float]:
    """Gaps that a step has changed by less than 1 % of d̂."""
    return [gap for pair, gap in after.items() if abs(gap - before.get(pair, np.inf)) < RESTING]
