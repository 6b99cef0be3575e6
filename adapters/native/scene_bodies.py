"""Bodies of a scene file, one homogeneous solid each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import trimesh
from ipc_articulation.adapters.native.shapes import geometry_mesh
from numpy.typing import ArrayLike, NDArray

from ipc_articulation.coupling import solids
from ipc_articulation.coupling.adapter import Body, Mesh
from ipc_articulation.coupling.mesh_files import closed_mesh
from ipc_articulation.dynamics.model.shapes import Box, Capsule, Cylinder, Geometry, Sphere, Triangles

Array = NDArray[np.float64]
Solid = tuple[float, Array, Array]  # volume [m³], centre of mass (3,) [m], inertia about it divided by mass (3, 3) [m²]


def scene_body(
    name: str, shape: Mapping[str, Any], pose: Array, mass: float | None, density: float, friction: float
) -> Body:
    """A body of one shape.

    Args:
        name: Of the body.
        shape: `type` and lengths [m] as in a scene file.
        pose: (4, 4).
        mass: [kg], or None.
        density: [kg/m³], used where mass is None.
        friction: Coulomb coefficient.

    Raises:
        MeshError: A mesh file cannot be read, or is not closed.
    """
    mesh, (volume, centre, inertia) = (
        _ellipsoid(shape["radii"]) if shape["type"] == "ellipsoid" else _other(name, shape)
    )
    mass = density * volume if mass is None else mass
    return Body(name, pose, mesh, mass, centre, mass * inertia, friction)


def _other(name: str, shape: Mapping[str, Any]) -> tuple[Mesh, Solid]:
    geometry = _geometry(shape)
    mesh = geometry_mesh(geometry, name)
    return mesh, _solid(geometry, mesh)


def _ellipsoid(radii: ArrayLike) -> tuple[Mesh, Solid]:
    """I_x = (y² + z²)/5 with half axes x, y, z."""
    x, y, z = np.square(radii)
    volume = float(4.0 / 3.0 * np.pi * np.prod(radii))
    return solids.ellipsoid(radii), (volume, np.zeros(3), np.diag([y + z, x + z, x + y]) / 5.0)


def _geometry(shape: Mapping[str, Any]) -> Geometry:
    match shape["type"]:
        case "box":
            return Box(shape["size"])
        case "sphere":
            return Sphere(shape["radius"])
        case "cylinder":
            return Cylinder(shape["radius"], shape["length"])
        case "capsule":
            return Capsule(shape["radius"], shape["length"])
    mesh = closed_mesh(shape["file"], shape["scale"])
    return Triangles(mesh.vertices, mesh.faces)


def _solid(geometry: Geometry, mesh: Mesh) -> Solid:
    """Of round shapes those of the true solid, not of the polyhedron that stands for it. With radius r and length l:

    cylinder   I_x = (3 r² + l²)/12,   I_z = ½ r²
    half balls of a capsule together   I_x = ⅖ r² + ¼ l² + ⅜ r l,   I_z = ⅖ r²
    """
    match geometry:
        case Box():
            x, y, z = np.square(geometry.size)
            return float(np.prod(geometry.size)), np.zeros(3), np.diag([y + z, x + z, x + y]) / 12.0
        case Sphere():
            return _round(0.0, 1.0, geometry.radius, 0.0)
        case Cylinder():
            return _round(1.0, 0.0, geometry.radius, geometry.length)
        case Capsule():
            return _round(1.0, 1.0, geometry.radius, geometry.length)
    solid = trimesh.Trimesh(mesh.vertices, mesh.faces, process=False)
    return float(solid.volume), np.array(solid.center_mass), np.array(solid.moment_inertia) / solid.volume


def _round(barrel: float, caps: float, r: float, l: float) -> tuple[float, Array, Array]:  # noqa: E741
    """`_solid` of a cylinder (if barrel is 1) with half balls on its ends (if caps is 1)."""
    V = np.array([barrel * np.pi * r**2 * l, caps * 4.0 / 3.0 * np.pi * r**3])
    across = np.array([(3.0 * r**2 + l**2) / 12.0, 0.4 * r**2 + 0.25 * l**2 + 0.375 * r * l])
    along = np.array([0.5 * r**2, 0.4 * r**2])
    x, z = V @ across / V.sum(), V @ along / V.sum()
    return float(V.sum()), np.zeros(3), np.diag([x, x, z])
