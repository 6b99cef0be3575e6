"""Vertices of a soft body that a region of a scene file means."""

from __future__ import annotations

import numpy as np

from ipc_articulation.arrays import Ints
from ipc_articulation.errors import MeshError
from ipc_articulation.scenefile import schema
from ipc_articulation.scenefile.schema.soft import Side
from ipc_articulation.simulation.soft.meshes import SoftMesh

_LAYER = 0.25  # thickness of a side in units of the mean edge: filled shapes have no flat sides


def vertices_in(region: schema.RegionEntry, mesh: SoftMesh, name: str) -> Ints:
    """Numbers of the vertices, rising; all where the region says nothing.

    Raises:
        MeshError: There are none, or a number is none of a vertex; says what there is.
    """
    X = mesh.vertices
    if region.box is not None:
        low, high = np.sort(np.array(region.box), axis=0)
        found = np.flatnonzero(((low <= X) & (high >= X)).all(axis=1))
        if not len(found):
            reach = " to ".join(f"[{', '.join(f'{x:.4g}' for x in end)}]" for end in (X.min(axis=0), X.max(axis=0)))
            raise MeshError(f"no vertex of '{name}' is in the box; in its own frame they are in {reach}")
        return found
    if region.nearest is not None:
        away = np.linalg.norm(X[None] - np.array(region.nearest).reshape(-1, 1, 3), axis=2)
        return np.unique(away.argmin(axis=1))
    if region.vertices is not None:
        of_file = np.arange(len(X)) if mesh.of_file is None else mesh.of_file
        numbers = np.flatnonzero(of_file >= 0)
        if missing := sorted(set(region.vertices) - set(numbers.tolist())):
            gaps = ", without those of no element" if len(numbers) < len(of_file) else ""
            raise MeshError(f"'{name}' has no vertex {missing[0]}; it has {numbers[0]} to {numbers[-1]}{gaps}")
        return np.unique(of_file[list(region.vertices)])
    if region.side is not None:
        return _side(region.side, mesh, name)
    return np.arange(len(X))


def _side(side: Side, mesh: SoftMesh, name: str) -> Ints:
    if side in ("start", "end"):
        if mesh.cells.shape[1] != 2:
            raise MeshError(f"'{name}' is no rod, so it has no {side}; its sides are -x, +x, -y, +y, -z, +z")
        return np.array([0 if side == "start" else len(mesh.vertices) - 1])
    along = mesh.vertices[:, "xyz".index(side[1])] * (1.0 if side[0] == "+" else -1.0)
    return np.flatnonzero(along >= along.max() - _LAYER * mesh.mean_edge)
