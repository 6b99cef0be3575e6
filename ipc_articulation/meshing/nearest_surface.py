"""Distances of points from triangles."""

from __future__ import annotations

import numpy as np

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.compiled import compiled


@compiled
def nearest_triangles(points: Array, vertices: Array, faces: Ints) -> tuple[Array, Ints]:
    """Distance of each point from a surface and the triangle that is nearest, (k,) [m] and (k,).

    Args:
        points: (k, 3) [m].
        vertices: Of the surface, (V, 3) [m].
        faces: Its triangles, (F, 3), at least one.
    """
    centre, radius = np.empty((len(faces), 3)), np.empty(len(faces))
    for f in range(len(faces)):
        for axis in range(3):
            centre[f, axis] = (
                vertices[faces[f, 0], axis] + vertices[faces[f, 1], axis] + vertices[faces[f, 2], axis]
            ) / 3.0
        radius[f] = 0.0
        for v in faces[f]:
            radius[f] = max(radius[f], np.sqrt(np.sum((vertices[v] - centre[f]) ** 2)))
    distance, nearest = np.full(len(points), np.inf), np.zeros(len(points), dtype=np.int64)
    for p in range(len(points)):
        for f in range(len(faces)):
            dx, dy, dz = points[p, 0] - centre[f, 0], points[p, 1] - centre[f, 1], points[p, 2] - centre[f, 2]
            reach = distance[p] + radius[f]
            if dx * dx + dy * dy + dz * dz > reach * reach:
                continue
            d = _distance(points[p], vertices[faces[f, 0]], vertices[faces[f, 1]], vertices[faces[f, 2]])
            if d < distance[p]:
                distance[p], nearest[p] = d, f
    return distance, nearest


@compiled
def _distance(p, a, b, c):
    """Distance of a point from a triangle: from its plane where the foot is inside, else from the nearest edge."""
    u, v, w = b - a, c - a, p - a
    n = np.array([u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]])
    nn = n @ n
    if nn > 0.0:
        uw = np.array([u[1] * w[2] - u[2] * w[1], u[2] * w[0] - u[0] * w[2], u[0] * w[1] - u[1] * w[0]])
        wv = np.array([w[1] * v[2] - w[2] * v[1], w[2] * v[0] - w[0] * v[2], w[0] * v[1] - w[1] * v[0]])
        beta, gamma = (wv @ n) / nn, (uw @ n) / nn
        if beta >= 0.0 and gamma >= 0.0 and beta + gamma <= 1.0:
            return abs(w @ n) / np.sqrt(nn)
    return min(_from_edge(p, a, b), _from_edge(p, b, c), _from_edge(p, c, a))


@compiled
def _from_edge(p, a, b):
    u, w = b - a, p - a
    uu = u @ u
    t = 0.0 if uu == 0.0 else min(1.0, max(0.0, (u @ w) / uu))
    d = w - t * u
    return np.sqrt(d @ d)
