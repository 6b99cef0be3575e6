"""Meshes of soft bodies from files: tetrahedra through meshio, triangles through trimesh."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.coupling.mesh_files import read_mesh
from ipc_articulation.errors import MeshError
from ipc_articulation.extras import need
from ipc_articulation.meshing.boundary import volumes

_FLAT = 1e-9  # volume or area of an element relative to the cube or square of its longest edge
_SAME = 1e-7  # distance of equal vertices relative to the size


def read_tetrahedra(file: Path, scale: float) -> tuple[Array, Ints, Ints]:
    """Vertices, (V, 3) [m], tetrahedra of positive volume, (T, 4), and the vertex of each of the file, -1 if unused.

    Raises:
        MeshError: The file is none of meshio's, or has no tetrahedra, a flat one, one twice, or other solid cells.
        MissingPackageError: meshio is not installed.
    """
    name, mesh = f"mesh '{file}'", _read(file)
    if others := {block.type: len(block.data) for block in mesh.cells if block.dim == 3 and block.type != "tetra"}:
        found = ", ".join(f"{count} cells '{kind}'" for kind, count in others.items())
        raise MeshError(f"{name} holds {found}; give tetrahedra of four corners alone, elements of order 1")
    blocks = [np.asarray(block.data, dtype=np.int64) for block in mesh.cells if block.type == "tetra"]
    if not sum(map(len, blocks)):
        found = ", ".join(sorted({block.type for block in mesh.cells})) or "nothing"
        raise MeshError(f"{name} holds no tetrahedra, but {found}; give a surface as `type: mesh` to fill it")
    tetrahedra, points = np.concatenate(blocks), scale * np.asarray(mesh.points, dtype=float)
    _require_finite(points, name)
    if tetrahedra.min() < 0 or tetrahedra.max() >= len(points):
        raise MeshError(f"{name}: a tetrahedron has vertex {tetrahedra.max()} of {len(points)}")
    v = volumes(points, tetrahedra)
    longest = np.ptp(points[tetrahedra], axis=1).max(axis=1)
    _require_solid(np.abs(v), _FLAT * longest**3, name, "tetrahedron", "volume")
    _, at, counts = np.unique(np.sort(tetrahedra, axis=1), axis=0, return_index=True, return_counts=True)
    if counts.max() > 1:
        k = int(at[np.argmax(counts)])
        raise MeshError(f"{name}: tetrahedron {k} is there {counts.max()} times; give each once")
    tetrahedra[v < 0.0] = tetrahedra[v < 0.0][:, [0, 2, 1, 3]]
    used, inverse = np.unique(tetrahedra, return_inverse=True)
    of_file = np.full(len(points), -1)
    of_file[used] = np.arange(len(used))
    return points[used], inverse.reshape(tetrahedra.shape), of_file


def read_triangles(file: Path, scale: float) -> tuple[Array, Ints, Ints | None]:
    """Vertices, (V, 3) [m], and triangles, (F, 3), of a surface that may be open, and what `read_tetrahedra` says.

    Equal vertices are one; the numbers of the file are those of an OBJ file.

    Raises:
        MeshError: The file cannot be read or has no triangles, a vertex is not finite, a triangle has no area, or an
            edge has more than two.
    """
    name = f"mesh '{file}'"
    mesh = read_mesh(file, scale, name, finite=True)
    points, triangles = np.array(mesh.vertices, dtype=float), np.array(mesh.faces, dtype=np.int64)
    corners = points[triangles]
    area = 0.5 * np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    _require_solid(area, _FLAT * np.ptp(corners, axis=1).max(axis=1) ** 2, name, "triangle", "area")
    sides = np.sort(triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
    edges, counts = np.unique(sides, axis=0, return_counts=True)
    if counts.max() > 2:
        a, b = edges[int(np.argmax(counts))]
        raise MeshError(f"{name}: {counts.max()} triangles share the edge of vertices {a} and {b}; cloth has at most 2")
    return points, triangles, _of_obj(file, scale, points) if file.suffix.lower() == ".obj" else None


def _of_obj(file: Path, scale: float, points: Array) -> Ints:
    """The vertex of each of an OBJ file, -1 if no triangle has it."""
    from scipy.spatial import cKDTree

    lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
    given = np.array([line.split()[1:4] for line in lines if line.split()[:1] == ["v"]], dtype=float)
    away, nearest = cKDTree(points).query(scale * given)
    return np.where(away <= _SAME * np.ptp(points, axis=0).max(), nearest, -1)


def _read(file: Path) -> Any:
    meshio = need("meshio")
    try:
        return meshio.read(file)
    except (Exception, SystemExit) as error:  # its readers raise many kinds, and leave the interpreter
        reason = "" if isinstance(error, SystemExit) else f": {error}".rstrip()
        advice = "give an unstructured grid as .msh, .vtu or .vtk file, of text if it was binary"
        raise MeshError(f"mesh '{file}' cannot be read by meshio{reason}; {advice}") from error


def _require_finite(points: Array, name: str) -> None:
    if points.ndim != 2 or points.shape[1] != 3:
        raise MeshError(f"{name} has vertices of {points.shape[-1]} numbers; give three")
    bad = ~np.isfinite(points).all(axis=1)
    if bad.any():
        vertex = int(np.argmax(bad))
        x, y, z = points[vertex]
        raise MeshError(f"{name}: vertex {vertex} is ({x:g}, {y:g}, {z:g}); give three finite numbers")


def _require_solid(sizes: Array, least: Array, name: str, element: str, size: str) -> None:
    flat = np.flatnonzero(~(sizes > least))
    if len(flat):
        raise MeshError(f"{name}: {element} {flat[0]} has no {size}; {len(flat)} of {len(sizes)} are like that")
