"""Vertices of soft bodies that links or bodies hold, by libuipc's SoftVertexTriangleStitch (constitution 30).

A held vertex x and the nearest triangle of the body, of area A and at the distance h from its plane, are a tetrahedron
whose shape is kept. If the triangle does not deform, F - 1 = (u/h) nᵀ for a displacement u of the vertex, so the energy
of a material with Lamé's G and λ = 0, in the volume V = A h/3, is to second order

    E = V (G |ε|²),   ε = sym(u nᵀ)/h:   E = ½ k |u_t|² + ½ 2k u_n²,   k = G A/(3h)

along the triangle (t) and normal to it (n): it is a spring in all directions, and its force acts on the body. With a
wanted k, G = 3 k h/A. libuipc's parameters of such a material are μ = 4G/3 and λ = 10G/9. A vertex in the plane itself
has no tetrahedron; its place at rest is then a small distance off the plane.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import uipc
from uipc import constitution

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.errors import MeshError
from ipc_articulation.meshing.nearest_surface import nearest_triangles

OFF_PLANE = 1e-3  # least distance of a vertex from the plane at rest, in units of its body's edges


def held_vertices(candidates: Ints, vertices: Array, holder: Any, name: str, within: float | None) -> tuple[Ints, Ints]:
    """The vertices that are held and their triangles, (k,) each.

    Args:
        candidates: Numbers of vertices.
        vertices: Of the soft body, (V, 3) [m] in the world.
        holder: Geometry of the body that holds them.
        name: Name of that body.
        within: Largest distance from its surface [m]; None: any.

    Raises:
        MeshError: The body has no surface, or no vertex is so near.
    """
    points, triangles = world_surface(holder)
    if not len(triangles):
        raise MeshError(f"'{name}' has no surface that anything could be attached to; attach to another link or body")
    distance, nearest = nearest_triangles(np.ascontiguousarray(vertices[candidates]), points, triangles)
    near = np.ones(len(candidates), dtype=bool) if within is None else distance <= within
    if not near.any():
        raise MeshError(f"no vertex is within {within:g} m of '{name}'; the nearest is {distance.min():.3g} m away")
    return candidates[near], nearest[near]


def stitch(soft: Any, holder: Any, pairs: tuple[Ints, Ints], stiffness: float, edge: float) -> Any:
    """The geometry that holds vertices.

    Args:
        soft: The soft body's geometry slots, the present one and that at rest.
        holder: Those of the body that holds.
        pairs: Vertices and triangles, (k,) each.
        stiffness: k of each vertex [N/m].
        edge: Mean length of the soft body's edges [m].
    """
    off = OFF_PLANE * edge
    made = constitution.SoftVertexTriangleStitch().create_geometry(
        (soft[0], holder[0]),
        (soft[1], holder[1]),
        np.ascontiguousarray(np.stack(pairs, axis=1), dtype=np.int32),
        min_separate_distance=off,
    )
    x = soft[0].geometry().positions().view().reshape(-1, 3)[pairs[0]]
    points, triangles = world_surface(holder[0].geometry())
    a, b, c = np.swapaxes(points[triangles[pairs[1]]], 0, 1)
    normal = np.cross(b - a, c - a)
    twice_area = np.linalg.norm(normal, axis=1)
    height = np.maximum(np.abs(np.sum((x - a) * normal, axis=1)) / twice_area, off)
    G = 6.0 * stiffness * height / twice_area
    uipc.view(made.instances().find("mu"))[:] = 4.0 * G / 3.0
    uipc.view(made.instances().find("lambda"))[:] = 10.0 * G / 9.0
    return made


def world_surface(geometry: Any) -> tuple[Array, Ints]:
    """Vertices (V, 3) [m] in the world and triangles (F, 3) of a rigid body's geometry; none where it has no mesh."""
    if geometry.positions() is None or geometry.triangles().topo() is None:  # a body of given mass without shape
        return np.zeros((0, 3)), np.zeros((0, 3), dtype=np.int64)
    points = np.asarray(geometry.positions().view(), dtype=float).reshape(-1, 3)
    triangles = np.asarray(geometry.triangles().topo().view(), dtype=np.int64).reshape(-1, 3)
    T = geometry.transforms().view()[0]
    return np.ascontiguousarray(points @ T[:3, :3].T + T[:3, 3]), np.ascontiguousarray(triangles)
