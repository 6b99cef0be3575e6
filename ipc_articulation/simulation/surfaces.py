"""Closed triangle surfaces of the shapes of a scene file, for scenes without an outside engine."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ipc_articulation.scenefile import schema

Array = NDArray[np.float64]


def triangles(shape: schema.Shape) -> tuple[Array, NDArray[np.int32]]:
    """Vertices (V, 3) [m] and outward oriented faces (F, 3) of a shape.

    Raises:
        MeshError: A mesh file does not hold one closed surface.
    """
    from ipc_articulation.coupling import mesh_files, solids

    match shape:
        case schema.Box():
            mesh = solids.box(shape.size)
        case schema.Sphere():
            mesh = solids.sphere(shape.radius)
        case schema.Cylinder():
            mesh = solids.cylinder(shape.radius, shape.length)
        case schema.Capsule():
            mesh = solids.capsule(shape.radius, shape.length)
        case schema.Ellipsoid():
            mesh = solids.ellipsoid(shape.radii)
        case schema.Mesh():
            mesh = mesh_files.closed_mesh(shape.file, shape.scale)
    vertices, faces = np.asarray(mesh.vertices, dtype=float), np.asarray(mesh.faces, dtype=np.int32)
    return np.ascontiguousarray(vertices), np.ascontiguousarray(faces)  # libuipc misreads any other order


def transform(pose: schema.Pose) -> Array:
    """The (4, 4) transform of a pose."""
    from scipy.spatial.transform import Rotation

    T = np.eye(4)
    T[:3, :3] = Rotation.from_quat(pose.wxyz, scalar_first=True).as_matrix()
    T[:3, 3] = pose.position
    return T


def up(gravity: schema.Vector3) -> Array:
    """Unit vector against gravity, z where there is none, (3,)."""
    g = np.array(gravity)
    return -g / np.linalg.norm(g) if g.any() else np.array([0.0, 0.0, 1.0])


def volume(vertices: Array, faces: NDArray[np.int32]) -> float:
    """Volume inside a closed surface by the divergence theorem: Σ a·(b x c)/6 over its triangles [m³]."""
    a, b, c = (vertices[faces[:, corner]] for corner in range(3))
    return float(np.sum(a * np.cross(b, c)) / 6.0)
