"""Erleben's shapes as rigid-ipc has them, from formulas: z up, metres."""

from __future__ import annotations

import numpy as np
import trimesh
from scipy.spatial import Delaunay

from ipc_articulation.arrays import Array


def spike(half: float = 0.5, height: float = 3.0) -> trimesh.Trimesh:
    """A pyramid on a square base, its tip down at 0."""
    base = [(x, y, height) for x, y in ((-half, -half), (half, -half), (half, half), (-half, half))]
    return _solid([*base, (0, 0, 0)])


def wedge(half: float = 0.5, height: float = 3.0, length: float = 2.0) -> trimesh.Trimesh:
    """A prism on its edge, which is along y at z = 0."""
    return _solid([(x, y, z) for y in (-length / 2, length / 2) for x, z in ((-half, height), (half, height), (0, 0))])


def cliff(top: float = 0.5, bottom: float = 0.75) -> trimesh.Trimesh:
    """A frustum of height 1 whose square top of side 2 `top` is at z = 0."""
    return _solid([(x * w, y * w, z) for w, z in ((bottom, -1), (top, 0)) for x in (-1, 1) for y in (-1, 1)])


def box(x: float, y: float, z: float) -> trimesh.Trimesh:
    """About its centre."""
    return trimesh.creation.box((x, y, z))


def slab(side: float, height: float = 1.0) -> trimesh.Trimesh:
    """A box whose top is at z = 0: two triangles."""
    mesh = trimesh.creation.box((side, side, height))
    mesh.apply_translation((0, 0, -height / 2))
    return mesh


def crack(half: float = 0.5, depth: float = 0.5, length: float = 4.0) -> trimesh.Trimesh:
    """A block with a groove along y whose bottom is at z = 0: its faces are fans about that bottom."""
    profile = np.array([(0, 0), (-half, depth), (-1, depth), (-1, -0.5), (1, -0.5), (1, depth), (half, depth)])
    k = len(profile)
    points = [(x, y, z) for y in (-length / 2, length / 2) for x, z in profile]
    fan = [(0, i, i + 1) for i in range(1, k - 1)]
    sides = [t for i in range(k) for j in [(i + 1) % k] for t in ((i, j, k + j), (i, k + j, k + i))]
    faces = [*fan, *[(k + a, k + c, k + b) for a, b, c in fan], *[(a, c, b) for a, b, c in sides]]
    return _outward(np.array(points), np.array(faces))


def hole(half: float = 0.5, depth: float = 0.5) -> trimesh.Trimesh:
    """A block with a hole like a pyramid whose bottom is at z = 0."""
    corners = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)])
    rings = [(corners * w, z) for w, z in ((1, -0.5), (1, depth), (half, depth))]
    points = np.array([*((x, y, z) for ring, z in rings for x, y in ring), (0, 0, 0)])
    faces = [(0, 2, 1), (0, 3, 2)]
    for i in range(4):
        j = (i + 1) % 4
        for low in (0, 4):
            faces += [(low + i, low + j, low + 4 + j), (low + i, low + 4 + j, low + 4 + i)]
        faces.append((8 + i, 8 + j, 12))
    return _outward(points, np.array(faces))


def internal_edges(side: float, count: int, seed: int = 0) -> trimesh.Trimesh:
    """A slab whose flat top at z = 0 has irregular triangles: a grid of points, those inside moved at random."""
    rng, t = np.random.default_rng(seed), np.linspace(-side / 2, side / 2, count)
    x, y = (grid.ravel() for grid in np.meshgrid(t, t))
    inside = (np.abs(x) < 0.499 * side) & (np.abs(y) < 0.499 * side)
    moved = np.column_stack([x, y]) + 0.3 * (t[1] - t[0]) * inside[:, None] * rng.uniform(-1, 1, (len(x), 2))
    top = np.column_stack([moved, np.zeros(len(x))])
    rim = np.flatnonzero(~inside)
    rim = rim[np.argsort(np.arctan2(y[rim], x[rim]))]
    following, low = np.roll(rim, -1), len(top)
    faces = [*Delaunay(moved).simplices, *np.column_stack([rim, following, np.full(len(rim), low)])]
    return _outward(np.vstack([top, (0.0, 0.0, -0.5 * side)]), np.array(faces))  # its bottom is one point


def _solid(points: list) -> trimesh.Trimesh:
    """The convex hull."""
    return trimesh.convex.convex_hull(np.array(points, dtype=float))


def _outward(points: Array, faces: Array) -> trimesh.Trimesh:
    """All faces turned away from a point below the origin, which sees each of them from inside."""
    points, faces = points.astype(float), np.array(faces)
    a, b, c = points[faces].swapaxes(0, 1)
    is_turned = np.einsum("fi,fi->f", np.cross(b - a, c - a), a - (0.0, 0.0, -0.25)) < 0.0
    faces[is_turned] = faces[is_turned][:, ::-1]
    return trimesh.Trimesh(points, faces, process=False)
