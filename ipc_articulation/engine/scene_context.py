"""What the readers of terms need to know of a scene besides their own geometries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ipc_articulation.engine.joint_coordinates import JointCoordinates
from ipc_articulation.errors import SceneError
from ipc_articulation.frontend.articulations import ARTICULATION, ArticulationTable, read_articulations
from ipc_articulation.frontend.attributes import read_meta
from ipc_articulation.frontend.bodies import BodyTable, read_bodies
from ipc_articulation.frontend.joints import JOINTS, JointMesh, read_joint_mesh


@dataclass(frozen=True)
class SceneContext:
    """Bodies, joints and articulations of a scene, read once."""

    bodies: BodyTable
    joints: tuple[JointMesh, ...]
    coordinates: JointCoordinates  # of all those joints, in their order
    articulations: ArticulationTable

    def joints_of(self, slots: Sequence[Any]) -> tuple[list[JointMesh], NDArray[np.int64]]:
        """The revolute and prismatic joint geometries among slots, and the places of their joints in `coordinates`.

        Raises:
            SceneError: A slot holds no such joints; names it.
        """
        known = {mesh.geo_id: mesh for mesh in self.joints}
        for slot in slots:
            if slot.id() not in known:
                raise SceneError(
                    f"geometry {slot.id()} carries a constitution for revolute (18) or prismatic (20) joints, "
                    "but is neither"
                )
        chosen = {slot.id() for slot in slots}
        places = np.concatenate([np.zeros(0, dtype=bool), *(_is_in(mesh, chosen) for mesh in self.joints)])
        return [mesh for mesh in self.joints if mesh.geo_id in chosen], np.flatnonzero(places)


def read_scene_context(slots: list[Any]) -> SceneContext:
    """Read a scene's geometry slots.

    Raises:
        SceneError: The scene is inconsistent; names the geometry.
    """
    bodies = read_bodies(slots)
    joints = tuple(read_joint_mesh(slot, bodies) for slot in slots if _uid(slot) in JOINTS)
    articulations = read_articulations([slot for slot in slots if _uid(slot) == ARTICULATION], joints, bodies)
    return SceneContext(bodies, joints, JointCoordinates.of(joints), articulations)


def _is_in(mesh: JointMesh, geo_ids: set[int]) -> NDArray[np.bool_]:
    return np.full(len(mesh.joints), mesh.geo_id in geo_ids)


def _uid(slot: Any) -> int:
    return int(read_meta(slot.geometry(), "constitution_uid", 0))
