"""What the readers of terms need to know of a scene besides their own geometries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ipc_articulation.engine.joint_coordinates import JointCoordinates
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


def read_scene_context(slots: list[Any]) -> SceneContext:
    """Read a scene's geometry slots.

    Raises:
        SceneError: The scene is inconsistent; names the geometry.
    """
    bodies = read_bodies(slots)
    joints = tuple(read_joint_mesh(slot, bodies) for slot in slots if _uid(slot) in JOINTS)
    articulations = read_articulations([slot for slot in slots if _uid(slot) == ARTICULATION], joints, bodies)
    return SceneContext(bodies, joints, JointCoordinates(joints, len(bodies)), articulations)


def _uid(slot: Any) -> int:
    return int(read_meta(slot.geometry(), "constitution_uid", 0))
