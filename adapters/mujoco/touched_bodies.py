"""Which body of the model feels a touch of IPC, where several are welded together and are one body of the scene."""

from __future__ import annotations

from collections.abc import Sequence

import mujoco
import numpy as np
from ipc_articulation.adapters.mujoco.kinematics import JointMap, geom_poses, rigid_group
from ipc_articulation.adapters.mujoco.selection import Selection, mocap_group
from ipc_articulation.adapters.mujoco.shapes import geom_mesh
from ipc_articulation.adapters.mujoco.touching import colliding_geoms

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.coupling.bodies import WORLD
from ipc_articulation.coupling.solids import Facets
from ipc_articulation.dynamics.reading.mujoco.names import name_of


class TouchedBodies:
    """The bodies of a model behind those of the scene.

    Args:
        model: The model.
        selection: What takes part.
        joints: Those of its links.
        facets: How surfaces become triangles.
    """

    def __init__(self, model: mujoco.MjModel, selection: Selection, joints: JointMap, facets: Facets) -> None:
        self._model, self._facets = model, facets
        groups = {body: rigid_group(model, body) for body in (*joints.bodies.tolist(), *selection.free)}
        groups |= {body: mocap_group(model, body) for body in selection.mocap}
        groups |= {body: [body] for body in selection.static if body}
        self._roots = {name_of(model, "body", body): body for body in groups}
        self._geoms = {name_of(model, "body", body): colliding_geoms(model, group) for body, group in groups.items()}
        self._triangles: dict[int, Array] = {}  # of geoms, in their frames, (F, 3, 3)

    def of(self, data: mujoco.MjData, names: Sequence[str], points: Array) -> Ints:
        """Numbers of the bodies that are touched at points (k, 3) of bodies of the scene, (k,)."""
        return np.array([self._body(data, name, x) for name, x in zip(names, points, strict=True)], dtype=np.int64)

    def root(self, name: str) -> int:
        """Number of the body that gives a body of the scene its name; 0 for parts of the world."""
        return self._roots.get(name, 0)

    def _body(self, data: mujoco.MjData, name: str, point: Array) -> int:
        if name.startswith(f"{WORLD}/"):
            return 0
        geoms = self._geoms.get(name, [])
        owners = self._model.geom_bodyid[geoms]
        if not len(geoms) or (owners == owners[0]).all():
            return int(owners[0]) if len(geoms) else self.root(name)
        return int(owners[np.argmin([self._distance(data, geom, point) for geom in geoms])])

    def _distance(self, data: mujoco.MjData, geom: int, point: Array) -> float:
        """Distance of a point from the surface of a geom [m]."""
        if geom not in self._triangles:
            mesh = geom_mesh(self._model, geom, self._facets)
            self._triangles[geom] = np.full((1, 3, 3), np.inf) if mesh is None else mesh.vertices[mesh.faces]
        pose = geom_poses(data)[geom]
        return float(_distances(pose[:3, :3].T @ (point - pose[:3, 3]), self._triangles[geom]).min())


def _distances(p: Array, triangles: Array) -> Array:
    """Distances of a point p (3,) from triangles (F, 3, 3), (F,): to the plane above the inside, else to an edge."""
    edges, to_p = np.roll(triangles, -1, axis=1) - triangles, p - triangles
    along = np.einsum("fei,fei->fe", to_p, edges) / np.einsum("fei,fei->fe", edges, edges)
    to_edges = np.linalg.norm(to_p - np.clip(along, 0.0, 1.0)[..., None] * edges, axis=-1).min(axis=1)
    normals = np.cross(edges[:, 0], edges[:, 1])
    inside = (np.einsum("fei,fi->fe", np.cross(edges, to_p), normals) >= 0.0).all(axis=1)
    heights = np.abs(np.einsum("fi,fi->f", to_p[:, 0], normals)) / np.linalg.norm(normals, axis=1)
    return np.where(inside, np.minimum(heights, to_edges), to_edges)
