"""Closed surfaces from mesh files of any format that trimesh reads: STL, OBJ, PLY, OFF, glTF and others."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import trimesh

from ipc_articulation.coupling.adapter import ClosedMesh
from ipc_articulation.coupling.solids import oriented
from ipc_articulation.errors import MeshError


def closed_mesh(file: Path, scale: float = 1.0) -> ClosedMesh:
    """The surface in a mesh file; a file with several parts gives them together, where they stand in it.

    Args:
        file: The file.
        scale: Factor on its lengths, whatever their unit, to metres.

    Raises:
        MeshError: The file cannot be read, holds no triangles, its surface is not closed, or it has no volume.
    """
    mesh = _read(file)
    mesh.merge_vertices(merge_tex=True, merge_norm=True)
    if not mesh.is_watertight or not mesh.is_winding_consistent:
        raise MeshError(
            f"mesh '{file}' is not closed, so it has no volume and no mass: {_open_edges(mesh)} of its "
            f"{len(mesh.edges_unique)} edges do not have two triangles; close it, or give another shape"
        )
    mesh.apply_scale(scale)
    return oriented(mesh, f"mesh '{file}'")


def _read(file: Path) -> trimesh.Trimesh:
    try:
        mesh = trimesh.load_mesh(file)
        if isinstance(mesh, trimesh.Scene):
            mesh = mesh.to_mesh()
    except Exception as error:  # each reader of trimesh fails in its own way
        known = ", ".join(sorted(trimesh.available_formats()))
        raise MeshError(f"mesh '{file}' cannot be read: {error}; formats that can: {known}") from error
    if not len(getattr(mesh, "faces", ())):
        raise MeshError(f"mesh '{file}' holds no triangles")
    return mesh


def _open_edges(mesh: trimesh.Trimesh) -> int:
    _, counts = np.unique(mesh.edges_unique_inverse, return_counts=True)
    return int(np.sum(counts != 2))
