"""Meshes of rigid-ipc's fixtures: triangles, lines (`l` of OBJ), or points alone."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path

import ipctk
import numpy as np
import trimesh
from numpy.typing import NDArray

from ipc_articulation.arrays import Array
from ipc_articulation.errors import MeshError


@dataclass(frozen=True, eq=False)
class Mesh:
    """V points, F triangles, and E edges where there are no triangles."""

    points: Array  # (V, 3) [m]
    edges: NDArray[np.int32]  # (E, 2)
    faces: NDArray[np.int32]  # (F, 3)

    @cached_property
    def all_edges(self) -> NDArray[np.int32]:
        """The edges, also those of triangles."""
        return np.asarray(ipctk.edges(np.asfortranarray(self.faces))) if len(self.faces) else self.edges

    def placed(self, scale: Array, offset: Array) -> Mesh:
        """The mesh scaled along its axes, then shifted."""
        return Mesh(self.points * scale + offset, self.edges, self.faces)

    def components(self) -> list[Mesh]:
        """Its parts that share no vertex, without vertices that no triangle has."""
        from scipy.sparse import coo_matrix
        from scipy.sparse.csgraph import connected_components

        i, j = self.all_edges.T
        n = len(self.points)
        _, labels = connected_components(coo_matrix((np.ones(len(i)), (i, j)), (n, n)), directed=False)
        of_faces = labels[self.faces[:, 0]]
        return [_compact(self.points, self.faces[of_faces == label]) for label in np.unique(of_faces)]


def make_mesh(points: object, edges: object = (), faces: object = ()) -> Mesh:
    """A mesh of nested lists; edges beside triangles are theirs, as rigid-ipc assumes."""
    triangles = np.array(faces, dtype=np.int32).reshape(-1, 3)
    lines = np.array(edges, dtype=np.int32).reshape(-1, 2)
    return Mesh(np.array(points, dtype=float).reshape(-1, 3), lines[: 0 if len(triangles) else None], triangles)


def read_mesh(file: Path) -> Mesh:
    """Read OBJ, STL (equal corners become one) or OFF.

    Raises:
        MeshError: There is no such file.
    """
    if not file.exists():
        raise MeshError(f"there is no mesh {file.name}")
    if file.suffix == ".obj":
        return _read_obj(file)
    mesh = trimesh.load_mesh(file, process=file.suffix == ".stl")
    return make_mesh(mesh.vertices, (), mesh.faces)


def _read_obj(file: Path) -> Mesh:
    rows: dict[str, list[list[str]]] = {"v": [], "f": [], "l": []}
    for line in file.read_text(encoding="utf-8", errors="replace").splitlines():
        kind, *words = line.split() or [""]
        rows.get(kind, []).append(words)
    count = len(rows["v"])
    faces = [[_index(word, count) for word in words] for words in rows["f"]]
    lines = [[_index(word, count) for word in words] for words in rows["l"]]
    edges = [pair for line in lines for pair in pairwise(line)]
    return make_mesh([[float(word) for word in words[:3]] for words in rows["v"]], edges, faces)


def _index(word: str, count: int) -> int:
    """A vertex of OBJ: from 1, or from the end if it is negative."""
    i = int(word.partition("/")[0])
    return i + count if i < 0 else i - 1


def _compact(points: Array, faces: NDArray[np.int32]) -> Mesh:
    used, numbers = np.unique(faces, return_inverse=True)
    return make_mesh(points[used], (), numbers.reshape(faces.shape))
