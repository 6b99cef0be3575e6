"""Polyhedra of round shapes: inscribed by default, or with a number of flat sides and the size that rolls as the shape.

A prism of n sides with corners at the radius R is R cos(π/n) to R high as it rolls, and goes n 2R sin(π/n) in a turn.
The mean height of a convex outline over a turn is its perimeter over 2π (Cauchy), so height and way are both those of
the circle of radius r with R = r (π/n)/sin(π/n). Likewise the mean height of a convex polyhedron over all directions
is Σ l θ/8π, over edges of length l across which the surface turns by θ (Minkowski's mean width).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ipc_articulation.coupling.mesh_files import meshes

if TYPE_CHECKING:
    import trimesh

CYLINDER, CAPSULE, BALL = 32, 16, 20  # sides around each by default


def cylinder(radius: float, length: float, sections: int | None) -> trimesh.Trimesh:
    """A prism along z about the origin, radius and length [m]."""
    corner = _corner_radius(radius, sections)
    return meshes().creation.cylinder(corner, length, sections=sections or CYLINDER)


def capsule(radius: float, length: float, sections: int | None) -> trimesh.Trimesh:
    """A capsule along z about the origin, `length` [m] between the centres of its ends."""
    count = [CAPSULE, CAPSULE] if sections is None else [sections // 2, sections]  # latitudes, longitudes; made even
    mesh = meshes().creation.capsule(radius=_corner_radius(radius, sections), height=length, count=count)
    mesh.apply_translation(-mesh.bounds.mean(axis=0))
    return mesh


def ball(radii: ArrayLike, sections: int | None) -> trimesh.Trimesh:
    """An ellipsoid with semi-axes (3,) [m]: the icosahedron, its edges halved until it has as many sides around."""
    halvings = int(np.ceil(np.log2((sections or BALL) / 5.0)))
    mesh = meshes().creation.icosphere(subdivisions=halvings)
    size = 1.0 if sections is None else _mean_height(mesh)
    mesh.vertices *= np.asarray(radii) / size
    return mesh


def _corner_radius(radius: float, sections: int | None) -> float:
    return radius if sections is None else radius / float(np.sinc(1.0 / sections))


def _mean_height(mesh: trimesh.Trimesh) -> float:
    """Of a convex polyhedron that encloses the origin, over all directions [m]."""
    ends = mesh.vertices[mesh.face_adjacency_edges]
    lengths = np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1)
    return float(lengths @ mesh.face_adjacency_angles / (8.0 * np.pi))
