"""The pairs of primitives that may come near each other, kept from step to step.

The broad phase costs more than everything after it. Its candidates are therefore made with a margin (a «skin», as in
molecular dynamics) and stay valid until some vertex has used the margin up: candidates made at x_ref hold every pair
nearer than reach + skin; while no vertex is farther than δ from x_ref, they hold every pair nearer than reach + skin
- 2δ. A motion that all vertices share changes no distance and is left out of δ: a pile that falls as a whole keeps its
candidates.
"""

from __future__ import annotations

from typing import Any

import ipctk
import numpy as np
from numba import njit
from numpy.typing import NDArray

from ipc_articulation.contact.broad_phase import find_pairs, make_ranges
from ipc_articulation.contact.surfaces import Surfaces

Array = NDArray[np.float64]

_AHEAD = 4.0  # how many displacements the skin is to last
_LARGEST_SKIN = 0.03  # of the size of a body; beyond, candidates become too many


class Proximity:
    """Candidates of the pairs of bodies that touch, for distances up to `reach`."""

    def __init__(self, surfaces: Surfaces, allowed: NDArray[np.bool_], reach: float) -> None:
        """Begin with no candidates.

        Args:
            surfaces: Surfaces of the n bodies.
            allowed: Which bodies touch, (n, n), symmetric; on the diagonal, which touch themselves.
            reach: Distance [m] up to which pairs must be found.
        """
        self.mesh, self.reach = _collision_mesh(surfaces), reach
        self.edge_pairs, self.face_pairs = np.zeros((2, 0, 2), dtype=np.int64)
        self._candidates: Any = None
        self.builds = 0
        self._surfaces, self._allowed = surfaces, allowed
        self._ranges = make_ranges(surfaces, len(allowed))
        self._largest_skin = max(reach, _LARGEST_SKIN * _typical_size(surfaces))
        self._x_ref: Array | None = None
        self._skin = 0.0

    def cover(self, start: Array, end: Array) -> None:
        """Make the candidates hold every pair that comes within reach on the way from start to end, (V, 3) each.

        The new skin is four times the greatest displacement, at least the reach: fast scenes look farther ahead. A
        skin larger than a share of the bodies' size would bring too many pairs; then the way itself must do.
        """
        if self._x_ref is not None and 2.0 * _farthest(self._x_ref, start, end) <= self._skin:
            return
        shared, step = _displacement(start, end)
        self._skin = max(self.reach, _AHEAD * step) if _AHEAD * step < self._largest_skin else self.reach
        self._x_ref = np.subtract(end, shared, order="F")
        distance = self.reach + self._skin
        edges, faces = find_pairs(self._surfaces, self._ranges, self._allowed, start, self._x_ref, distance)
        self.edge_pairs, self.face_pairs, self._candidates = edges, faces, None
        self.builds += 1

    @property
    def candidates(self) -> Any:
        """The pairs as ipctk.Candidates; made when first asked for, which costs more than finding them."""
        if self._candidates is None:
            self._candidates = ipctk.Candidates()
            self._candidates.ee_candidates = list(map(ipctk.EdgeEdgeCandidate, *self.edge_pairs.T.tolist()))
            self._candidates.fv_candidates = list(map(ipctk.FaceVertexCandidate, *self.face_pairs.T.tolist()))
        return self._candidates

    def collisions(self, x: Array, d_hat: float, thickness: float = 0.0) -> Any:
        """Pairs nearer than d_hat + thickness at positions that `cover` covered: ipctk.NormalCollisions."""
        collisions = ipctk.NormalCollisions()
        collisions.build(self.candidates, self.mesh, x, d_hat, thickness)
        return collisions

    def is_empty(self) -> bool:
        """Whether nothing is near anything."""
        return len(self.edge_pairs) + len(self.face_pairs) == 0


def _collision_mesh(surfaces: Surfaces) -> Any:
    """The surfaces as ipctk knows them; its rest positions serve the edge-edge mollifier, which takes lengths only."""
    return ipctk.CollisionMesh(
        np.asfortranarray(surfaces.points), np.asfortranarray(surfaces.edges), np.asfortranarray(surfaces.faces)
    )


def _typical_size(surfaces: Surfaces) -> float:
    """Median over the bodies of the diagonal of their local boxes [m]; 0 without surfaces."""
    groups = [surfaces.points[surfaces.body == b] for b in np.unique(surfaces.body)]
    return float(np.median([np.linalg.norm(np.ptp(points, axis=0)) for points in groups])) if groups else 0.0


def _farthest(reference: Array, start: Array, end: Array) -> float:
    """Greatest displacement of a vertex from its reference, at the start or the end, beyond what all vertices share."""
    return max(_displacement(reference, start)[1], _displacement(reference, end)[1])


@njit(cache=True)
def _displacement(a, b):
    """The displacement from a to b that all vertices share (the middle of its range), and the greatest beyond it."""
    low, high = np.full(3, np.inf), np.full(3, -np.inf)
    for v in range(len(a)):
        for k in range(3):
            d = b[v, k] - a[v, k]
            low[k], high[k] = min(low[k], d), max(high[k], d)
    shared = 0.5 * (low + high)
    if len(a) == 0:
        return np.zeros(3), 0.0
    worst = 0.0
    for v in range(len(a)):
        square = 0.0
        for k in range(3):
            square += (b[v, k] - a[v, k] - shared[k]) ** 2
        worst = max(worst, square)
    return shared, np.sqrt(worst)
