"""Volume, centre of mass and inertia of homogeneous solids: the rule by which shapes get their masses.

Boxes, spheres, ellipsoids, cylinders and capsules are true solids, not the polyhedra that contact uses; a triangle mesh
is the polyhedron that it bounds. With ρ the density, a body's mass is m = ρ V and its inertia m times the inertia per
mass I below. With half axes or edges (x, y, z), radius r and length l (any table of moments of inertia):

    box         V = x y z           I_x = (y² + z²)/12
    ellipsoid   V = 4/3 π x y z     I_x = (y² + z²)/5
    cylinder    V = π r² l          I_x = (3 r² + l²)/12,              I_z = ½ r²
    both half spheres of a capsule
                V = 4/3 π r³        I_x = ⅖ r² + ¼ l² + ⅜ r l,         I_z = ⅖ r²
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.dynamics.model.shapes import Box, Capsule, Cylinder, Ellipsoid, Geometry, Sphere, Triangles


@dataclass(frozen=True)
class Solid:
    """Mass properties that do not depend on the density."""

    volume: float  # V [m³]
    centre: Array  # (3,) [m]
    inertia: Array  # (3, 3) about the centre, divided by the mass [m²]


def solid(geometry: Geometry) -> Solid:
    """The homogeneous solid that a geometry encloses.

    Args:
        geometry: A shape, or a closed and outward oriented triangle mesh.

    Raises:
        TypeError: The geometry is a mesh file, which must be read first.
    """
    match geometry:
        case Box():
            return _block(geometry.size, 1.0, 12.0)
        case Ellipsoid():
            return _block(geometry.radii, 4.0 / 3.0 * np.pi, 5.0)
        case Sphere():
            return _block([geometry.radius] * 3, 4.0 / 3.0 * np.pi, 5.0)
        case Cylinder():
            return _round(geometry.radius, geometry.length, caps=0.0)
        case Capsule():
            return _round(geometry.radius, geometry.length, caps=1.0)
        case Triangles():
            return _polyhedron(geometry)
    raise TypeError(f"the mass of {geometry!r} is not known before the file is read; give its Triangles")


def _block(lengths: Sequence[float], factor: float, divisor: float) -> Solid:
    x, y, z = np.square(lengths)
    volume = factor * math.prod(lengths)
    return Solid(volume, np.zeros(3), np.diag([y + z, x + z, x + y]) / divisor)


def _round(r: float, l: float, caps: float) -> Solid:  # noqa: E741
    """A cylinder, with half spheres on its ends if `caps` is 1."""
    V = np.array([np.pi * r**2 * l, caps * 4.0 / 3.0 * np.pi * r**3])
    across = np.array([(3.0 * r**2 + l**2) / 12.0, 0.4 * r**2 + 0.25 * l**2 + 0.375 * r * l])
    along = np.array([0.5 * r**2, 0.4 * r**2])
    x, z = V @ across / V.sum(), V @ along / V.sum()
    return Solid(float(V.sum()), np.zeros(3), np.diag([x, x, z]))


def _polyhedron(mesh: Triangles) -> Solid:
    """Sums over the tetrahedra of the triangles (a, b, c) and a point o, with o as the origin.

    V = Σ det(a, b, c)/6, centre Σ V_i s_i/(4 V), second moment Σ V_i (a aᵀ + b bᵀ + c cᵀ + s sᵀ)/20 with s = a + b + c
    (Tonon 2004, «Explicit exact formulas for the 3-D tetrahedron inertia tensor»).
    """
    o = mesh.vertices.mean(axis=0)
    corners = (mesh.vertices - o)[mesh.faces]  # (F, 3, 3)
    V = np.linalg.det(corners) / 6.0
    s = corners.sum(axis=1)
    centre = V @ s / (4.0 * V.sum())
    points = np.concatenate([corners, s[:, None]], axis=1)
    second = np.einsum("f,fpi,fpj->ij", V, points, points) / (20.0 * V.sum()) - np.outer(centre, centre)
    return Solid(float(V.sum()), o + centre, np.trace(second) * np.eye(3) - second)
