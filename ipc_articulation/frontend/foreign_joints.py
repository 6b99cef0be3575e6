"""Joints of a scene that libuipc's CUDA engine does not move."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ipc_articulation.errors import UnsupportedError
from ipc_articulation.frontend.articulations import ARTICULATION, read_joint_references
from ipc_articulation.frontend.attributes import constitution_uid, object_names
from ipc_articulation.frontend.joint_kinds import JOINT_KINDS, OWN_UID

_ARTICULATED = ("revolute", "prismatic")


def refuse_foreign_joints(scene: Any) -> None:
    """Refuse joints of this package's own kinds, and articulations of other than revolute and prismatic joints.

    Args:
        scene: A `uipc.Scene`.

    Raises:
        UnsupportedError: There are such; names the geometry, the kind, and what to do.
    """
    names = object_names(scene)
    geometries = {geo_id: scene.geometries().find(geo_id)[0].geometry() for geo_id in names}
    for geo_id in _used(geometries):
        kind = JOINT_KINDS.get(constitution_uid(geometries[geo_id]))
        if kind is not None and kind.name not in _ARTICULATED:
            raise UnsupportedError(
                f"'{names[geo_id]}' (geometry {geo_id}): libuipc's CUDA engine moves no {kind.name} joints, only "
                "revolute and prismatic ones: couple(..., joints='chains') lowers ball and free joints of a robot to "
                "chains of those; Engine('cpu') moves all kinds"
            )


def _used(geometries: dict[int, Any]) -> Iterator[int]:
    """Geometries of our own kinds of joints, and those with joints in an articulation."""
    for geo_id, geometry in geometries.items():
        uid = constitution_uid(geometry)
        if uid >= OWN_UID:
            yield geo_id
        elif uid == ARTICULATION:
            yield from dict.fromkeys(owner for owner, _ in read_joint_references(geometry, f"articulation {geo_id}"))
