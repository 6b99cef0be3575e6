"""Rest shapes of triangles, with their material directions.

The rotation that turns the normal n onto z by the shortest way maps the directions

    a = (1 - n_x²/(1+n_z), -n_x n_y/(1+n_z), -n_x),   b = (-n_x n_y/(1+n_z), 1 - n_y²/(1+n_z), -n_y)

onto x and y. They are the columns of F: F â = F₀ is the image of a. Where n = -z they are -x and -y.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.elasticity.deformation import shape_gradients
from ipc_articulation.errors import MeshError


def shape_and_area(X: Array, triangles: Ints) -> tuple[Array, Array]:
    """Shape gradients along a and b, (k, 6) [1/m], and areas, (k,) [m²], of triangles (k, 3) at X (n, 3) [m].

    Raises:
        MeshError: An area is 0.
    """
    edges = X[triangles[:, 1:]] - X[triangles[:, :1]]  # (k, 2, 3)
    normal = np.cross(edges[:, 0], edges[:, 1])
    twice = np.linalg.norm(normal, axis=1)
    if not np.all(twice > 0.0):
        raise MeshError(f"triangle {int(np.argmin(twice > 0.0))} has no area at rest")
    D = _directions(normal / twice[:, None]) @ np.swapaxes(edges, 1, 2)
    return shape_gradients(D).reshape(-1, 6), 0.5 * twice


def _directions(n: Array) -> Array:
    """Directions a and b, (k, 2, 3), of normals (k, 3)."""
    below = n[:, 2] == -1.0
    x, y, z = n.T
    over = 1.0 / np.where(below, 1.0, 1.0 + z)
    a = np.stack([1.0 - x * x * over, -x * y * over, -x], axis=1)
    b = np.stack([-x * y * over, 1.0 - y * y * over, -y], axis=1)
    return np.stack([np.where(below[:, None], -a, a), np.where(below[:, None], -b, b)], axis=1)
