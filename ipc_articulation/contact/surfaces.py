"""The surfaces of all bodies as one mesh whose vertices follow the bodies' affine coordinates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Surfaces:
    """V vertices, E edges and F faces of n bodies."""

    points: Array  # (V, 3) local positions x̄ [m]
    body: NDArray[np.int64]  # (V,) the body that a vertex belongs to
    edges: NDArray[np.int32]  # (E, 2)
    faces: NDArray[np.int32]  # (F, 3)
    thickness: Array  # (V,) radius about each vertex [m]

    def positions(self, q: Array) -> Array:
        """World positions x = A x̄ + p of all vertices: q (n, 12) -> (V, 3) [m], column-major as ipctk wants it."""
        x = np.empty((len(self.points), 3), order="F")
        _positions(self.points, self.body, q, x)
        return x

    def largest_motion(self, dq: Array) -> float:
        """Greatest displacement [m] of a vertex under a change dq (n, 12) of the coordinates."""
        return _largest_motion(self.points, self.body, dq)


def join_surfaces(meshes: Sequence[tuple[Array, NDArray[np.int32], NDArray[np.int32], Array]]) -> Surfaces:
    """Join one (points, edges, faces, thickness) a body, in the order of the bodies."""
    counts = np.array([len(points) for points, *_ in meshes], dtype=np.int64)
    offsets = np.concatenate([[0], np.cumsum(counts)])[:-1].astype(np.int32)
    return Surfaces(
        points=_concatenate([m[0] for m in meshes], 3, np.float64),
        body=np.repeat(np.arange(len(meshes)), counts),
        edges=_concatenate([m[1] + o for m, o in zip(meshes, offsets, strict=True)], 2, np.int32),
        faces=_concatenate([m[2] + o for m, o in zip(meshes, offsets, strict=True)], 3, np.int32),
        thickness=np.concatenate([np.zeros(0), *(m[3] for m in meshes)]),
    )


def _concatenate(parts: list[NDArray], width: int, dtype: type) -> NDArray:
    return np.concatenate([np.zeros((0, width), dtype=dtype), *parts]).astype(dtype)


@njit(cache=True)
def _positions(points, body, q, x):
    for v in range(len(points)):
        b = body[v]
        for k in range(3):
            a = 3 + 3 * k
            x[v, k] = q[b, k] + q[b, a] * points[v, 0] + q[b, a + 1] * points[v, 1] + q[b, a + 2] * points[v, 2]


@njit(cache=True)
def _largest_motion(points, body, dq):
    worst = 0.0
    for v in range(len(points)):
        d = dq[body[v]]
        square = 0.0
        for k in range(3):
            a = 3 + 3 * k
            u = d[k] + d[a] * points[v, 0] + d[a + 1] * points[v, 1] + d[a + 2] * points[v, 2]
            square += u * u
        worst = max(worst, square)
    return np.sqrt(worst)


@njit(cache=True)
def add_entry(h, k, m, left, right, H):
    """H += Jᵀ h J for one entry h: the second derivative by axis k of a vertex at x̄ = left and axis m of one at right.

    Axis k of a vertex depends on the coordinates k and 3+3k..5+3k of its body, with weights 1 and x̄; H is (12, 12).
    """
    H[k, m] += h
    for a in range(3):
        H[3 + 3 * k + a, m] += h * left[a]
        H[k, 3 + 3 * m + a] += h * right[a]
        for b in range(3):
            H[3 + 3 * k + a, 3 + 3 * m + b] += h * left[a] * right[b]
