"""Which points of a regular lattice are inside a closed surface: parity of crossings along vertical lines.

A line that crosses the surface an odd number of times below a point has its point inside. Edge functions are evaluated
for both triangles of an edge with the same operands, and a line that meets an edge or a vertex counts as if it were
moved by (ε, ε²) with an infinitesimal ε («simulation of simplicity», Edelsbrunner and Mücke, 1990): so it crosses
exactly one of the triangles there.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.compiled import compiled


@compiled
def inside(vertices: Array, faces: Ints, origin: Array, spacing: float, counts: Ints) -> Array:
    """Whether the points origin + spacing (i, j, k) are inside, booleans (counts,).

    Args:
        vertices: Of the closed surface, (V, 3) [m].
        faces: Its triangles, (F, 3).
        origin: Of the lattice, (3,) [m].
        spacing: Between points [m].
        counts: Number of points along x, y and z, (3,).
    """
    nx, ny, nz = counts
    result = np.zeros((nx, ny, nz), dtype=np.bool_)
    for face in faces:
        low_x = high_x = vertices[face[0], 0]
        low_y = high_y = vertices[face[0], 1]
        for v in face[1:]:
            low_x, high_x = min(low_x, vertices[v, 0]), max(high_x, vertices[v, 0])
            low_y, high_y = min(low_y, vertices[v, 1]), max(high_y, vertices[v, 1])
        for i in range(
            max(0, int(np.floor((low_x - origin[0]) / spacing))),
            min(nx, int(np.ceil((high_x - origin[0]) / spacing)) + 1),
        ):
            for j in range(
                max(0, int(np.floor((low_y - origin[1]) / spacing))),
                min(ny, int(np.ceil((high_y - origin[1]) / spacing)) + 1),
            ):
                x, y = origin[0] + spacing * i, origin[1] + spacing * j
                a, is_left_a = _edge(vertices, face[1], face[2], x, y)
                b, is_left_b = _edge(vertices, face[2], face[0], x, y)
                c, is_left_c = _edge(vertices, face[0], face[1], x, y)
                if is_left_a != is_left_b or is_left_b != is_left_c or a + b + c == 0.0:
                    continue
                z = (a * vertices[face[0], 2] + b * vertices[face[1], 2] + c * vertices[face[2], 2]) / (a + b + c)
                for k in range(max(0, int(np.ceil((z - origin[2]) / spacing))), nz):
                    result[i, j, k] = not result[i, j, k]
    return result


@compiled
def _edge(vertices, p, q, x, y):
    """Twice the signed area of (p, q, (x, y)) seen from above, and whether the moved point is left of p to q."""
    first, second = min(p, q), max(p, q)
    ux, uy = vertices[second, 0] - vertices[first, 0], vertices[second, 1] - vertices[first, 1]
    area = ux * (y - vertices[first, 1]) - uy * (x - vertices[first, 0])
    is_left = area > 0.0 or (area == 0.0 and (uy < 0.0 or (uy == 0.0 and ux > 0.0)))
    return (area, is_left) if p < q else (-area, not is_left)
