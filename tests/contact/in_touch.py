"""Two or three bodies in touch in every way, for contact's derivatives: surfaces, coordinates, thickness."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ipc_articulation.contact.closest_points import EDGES, closest_points
from ipc_articulation.contact.primitive_stencils import VERTEX_OF_FIRST, VERTEX_OF_SECOND
from ipc_articulation.contact.surfaces import join_surfaces
from tests.contact.worlds import D_HAT, World, box_mesh, ipctk_collisions, pose, stack


class Touching(NamedTuple):
    surfaces: object
    q: np.ndarray  # (n, 12)
    xi: float  # both radii together [m]
    itself: bool  # whether bodies touch themselves

    def world(self, soft=0, **options):
        """Their contact, the last ones being soft, and nodes (N, 3)."""
        options = {"friction": 0.0, "xi": self.xi, "itself": self.itself, "others": not self.itself} | options
        world = World(self.surfaces, soft, **options)
        return world, world.nodes(self.q)

    def collisions(self, x):
        """With vertices at x (V, 3)."""
        return ipctk_collisions(self.surfaces, x, D_HAT, self.xi, self.itself)


def near_pose(seed, xi=0.0):
    """Two boxes turned at random at a gap of 0.1 to 0.9 d̂; seed modulo 4 says which way: face to corner, corner to
    face, edge to edge, or corner to corner.
    """
    rng = np.random.default_rng(seed)
    surfaces = join_surfaces([box_mesh(), box_mesh(0.1, 0.25, 0.15)])
    q = np.stack([pose(*rng.uniform(-1, 1, 3), angles=rng.uniform(-3, 3, 3)) for _ in range(2)])
    A, B = q[:, 3:].reshape(2, 3, 3)
    n = [A[:, 0], B[:, 1], np.cross(A[:, 0], B[:, 1]), rng.normal(size=3)][seed % 4]
    n /= np.linalg.norm(n)
    (below, above), jitter = (surfaces.positions(q)[surfaces.body == b] for b in range(2)), 0.01 * rng.normal(size=3)
    q[1, :3] += _farthest(below, n) - _farthest(above, -n) + (xi + rng.uniform(0.1, 0.9) * D_HAT) * n
    q[1, :3] += (jitter - (jitter @ n) * n) * (seed % 4 != 3)
    return Touching(surfaces, q, xi, False)


def _farthest(x, n):
    """The middle of the points (k, 3) that are farthest along n."""
    height = x @ n
    return x[height > height.max() - 1e-9].mean(axis=0)


def parallel_stack(seed, xi=0.0):
    """Boxes on each other, turned about the vertical by less than the mollifier's 1.8 degrees."""
    rng = np.random.default_rng(seed)
    q = stack(0.4 * D_HAT)
    for k in range(3):
        position = q[k, :3] * [0.5, 0.5, 1.0] + [0, 0, k * xi]
        q[k] = pose(*position, angles=(*rng.uniform(-0.003, 0.003, 2), rng.uniform(-0.02, 0.02)))
    return Touching(join_surfaces([box_mesh()] * 3), q, xi, False)


def folded(seed):
    """One body that touches itself: a plate 6 mm thick, bent and strained at random."""
    rng = np.random.default_rng(seed)
    q = pose(*rng.uniform(-1, 1, 3), angles=rng.uniform(-3, 3, 3))[None]
    q[:, 3:] += 0.05 * rng.normal(size=9)
    return Touching(join_surfaces([box_mesh(0.2, 0.1, 0.006)]), q, 0.0, True)


SIDES = {EDGES: 2, VERTEX_OF_FIRST: 1, VERTEX_OF_SECOND: 3}  # how many points the first body has


def one_stencil(kind, gap, rng, zeros=0):
    """Two edges, or a vertex and a face, of two bodies at a gap [m]; and the normal.

    The closest points are inside, or with one of the weights zero: at an end of an edge, or on a side of the face.
    """
    w, c = np.empty(4), np.empty(3)
    while True:
        points = rng.normal(size=(4, 3))
        d = np.sqrt(closest_points(kind, points, np.arange(4), w, c))
        inside = np.count_nonzero(w) == 4 - zeros and np.abs(w[w != 0.0]).min() > 0.05
        if inside and np.linalg.norm(np.cross(*_edge_directions(points))) > 0.3:
            break
    points[: 1 if kind != EDGES else 2] -= (d - gap) * c / d
    return two_primitives(kind, points), c / d


def two_primitives(kind, points):
    """Two bodies that have the points (4, 3) of a stencil between them, nothing else: their surfaces."""
    if kind == VERTEX_OF_SECOND:
        points = points[[1, 2, 3, 0]]
    surfaces = join_surfaces([_primitive(part) for part in np.split(points, [SIDES[kind]])])
    if kind == EDGES:  # as if they were sides of faces, which a vertex is paired with
        vars(surfaces)["dimension"] = np.full(4, 2)
    return surfaces


def _primitive(points):
    """A face without edges, an edge, or a point."""
    sides = np.array([[0, 1]] if len(points) == 2 else np.zeros((0, 2)), dtype=np.int32)
    faces = np.array([[0, 1, 2]] if len(points) == 3 else np.zeros((0, 3)), dtype=np.int32)
    return points, sides, faces, np.zeros(len(points))


def at_rest(surfaces):
    """Coordinates of bodies where their points are at rest."""
    return np.stack([pose(0, 0, 0)] * (len(surfaces.first) - 1))


def _edge_directions(points):
    e = points[[1, 3]] - points[[0, 2]]
    return e / np.linalg.norm(e, axis=1, keepdims=True)
