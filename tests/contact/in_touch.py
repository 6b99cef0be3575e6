"""Two or three bodies in touch in every way, for contact's derivatives: surfaces, coordinates, thickness."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ipc_articulation.contact.allowed import Allowed
from ipc_articulation.contact.barrier import MOLLIFIED
from ipc_articulation.contact.broad_phase import find_stencils
from ipc_articulation.contact.closest_points import EDGES, closest_points
from ipc_articulation.contact.primitive_stencils import VERTEX_OF_FIRST, VERTEX_OF_SECOND, Stencils
from ipc_articulation.contact.surfaces import join_surfaces
from tests.contact.worlds import D_HAT, box_mesh, ipctk_collisions, pose, stack


class Touching(NamedTuple):
    surfaces: object
    q: np.ndarray  # (n, 12)
    xi: float  # both radii together [m]
    itself: bool  # whether bodies touch themselves

    @property
    def x(self):
        return self.surfaces.positions(self.q)

    def at(self, q):
        return self._replace(q=q.reshape(self.q.shape))

    def stencils(self):
        """Ours, for positions within a hundredth of d̂ of these."""
        n = len(self.q)
        allowed = np.eye(n, dtype=bool) if self.itself else ~np.eye(n, dtype=bool)
        return find_stencils(self.surfaces, Allowed.of(allowed), self.q, self.q, 1.02 * (D_HAT + self.xi))

    def collisions(self):
        return ipctk_collisions(self.surfaces, self.x, D_HAT, self.xi, self.itself)


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


_OWNERS = {EDGES: [0, 0, 1, 1], VERTEX_OF_FIRST: [0, 1, 1, 1], VERTEX_OF_SECOND: [1, 0, 0, 0]}


def one_stencil(kind, gap, rng, zeros=0):
    """Two edges, or a vertex and a face, of two bodies at a gap [m]; the stencil and the normal.

    The closest points are inside, or with one of the weights zero: at an end of an edge, or on a side of the face.
    """
    w, c = np.empty(4), np.empty(3)
    while True:
        points = rng.normal(size=(4, 3))
        d = np.sqrt(closest_points(kind, points, np.arange(4), w, c))
        inside = np.count_nonzero(w) == 4 - zeros and np.abs(w[w != 0.0]).min() > 0.05
        if inside and np.linalg.norm(np.cross(*_edge_directions(points))) > 0.3:
            break
    q = np.stack([pose(0, 0, 0)] * 2)
    q[_OWNERS[kind][0], :3] -= (d - gap) * c / d
    return *two_primitives(kind, points, q), c / d


def two_primitives(kind, points, q):
    """Two bodies that have the points (4, 3) of a stencil between them, nothing else; and that stencil."""
    owner, none = np.array(_OWNERS[kind]), [np.zeros((0, width), dtype=np.int32) for width in (2, 3)]
    surfaces = join_surfaces([(points[owner == b], *none, np.zeros(np.sum(owner == b))) for b in range(2)])
    lengths = np.linalg.norm(points[[1, 3]] - points[[0, 2]], axis=1)
    eps = MOLLIFIED * np.prod(lengths**2) if kind == EDGES else 0.0
    vertices = np.argsort(np.argsort(owner, kind="stable"), kind="stable")
    stencil = Stencils(np.array([[0, 1]]), np.array([0]), np.array([kind]), vertices[None], np.array([eps]))
    return Touching(surfaces, q, 0.0, False), stencil


def _edge_directions(points):
    e = points[[1, 3]] - points[[0, 2]]
    return e / np.linalg.norm(e, axis=1, keepdims=True)
