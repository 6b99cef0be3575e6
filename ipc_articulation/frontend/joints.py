"""Reads libuipc's revolute and prismatic joint geometries: line meshes, an edge a joint."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.articulation import frames
from ipc_articulation.articulation.joints import PRISMATIC, REVOLUTE, Joints
from ipc_articulation.errors import SceneError
from ipc_articulation.frontend.attributes import read, read_meta, require
from ipc_articulation.frontend.joint_columns import Bodies, check_joint_values, read_body_pairs

REVOLUTE_UID, PRISMATIC_UID = 18, 20
JOINTS = {REVOLUTE_UID: REVOLUTE, PRISMATIC_UID: PRISMATIC}

_INITIAL = {REVOLUTE_UID: "init_angle", PRISMATIC_UID: "init_distance"}
_PRESENT = {REVOLUTE_UID: "angle", PRISMATIC_UID: "distance"}
_LOCAL_ENDS = (("l_position0", "l_position1"), ("r_position0", "r_position1"))
_SHORTEST_EDGE = 1e-12  # [m], libuipc's own bound


@dataclass(frozen=True)
class JointMesh:
    """The m joints of one joint geometry."""

    slot: Any  # libuipc's geometry slot
    geo_id: int
    uid: int  # 18 revolute, 20 prismatic
    joints: Joints  # as an articulation sees them
    tracked: Joints  # as `angle` and `distance` are measured: both bodies have the left body's axis
    endpoints_left: Array  # (m, 2, 3) [m] the two points of each axis edge in the left body
    endpoints_right: Array  # (m, 2, 3) [m] the same in the right body
    strength_ratio: Array  # (m,)
    init: Array  # (m,) init_angle [rad] or init_distance [m]

    def read_coordinates(self) -> Array | None:
        """What the joints' `angle` [rad] or `distance` [m] say, (m,); None where the geometry lacks that attribute."""
        return read(self.slot.geometry().edges(), _PRESENT[self.uid])

    def write_coordinates(self, values: Array) -> None:
        """Write the joints' `angle` [rad] or `distance` [m], (m,), where the geometry has that attribute."""
        from uipc import view

        slot = self.slot.geometry().edges().find(_PRESENT[self.uid])
        if slot is not None:
            view(slot)[:] = values


def read_joint_mesh(slot: Any, bodies: Bodies) -> JointMesh:
    """Read one joint geometry; the bodies stand in their initial poses, where θ = 0.

    The axis is given by local end points (`l_position0` to `r_position1`) if the edges carry all four, else by the
    world positions of the edges' vertices. A revolute joint given by local end points has the direction of the left
    body's for both bodies; a prismatic joint has each body's own.

    Args:
        slot: The geometry slot of a line mesh, made by AffineBodyRevoluteJoint or AffineBodyPrismaticJoint.
        bodies: Where the bodies of the scene are.

    Raises:
        SceneError: Another constitution, a missing attribute, a body without geometry slot, a body joined to itself, an
            axis of zero length, a number that is not finite. The message names geometry and joint.
    """
    geometry, owner = slot.geometry(), f"joint geometry {slot.id()}"
    uid = _joint_uid(geometry, owner)
    edges = geometry.edges()
    pairs = read_body_pairs(edges, bodies, owner)
    transforms = bodies.transforms[pairs]  # (m, 2, 4, 4)
    ends, axes = _axes(geometry, transforms, owner)
    _refuse_short_axes(axes, owner)
    strength, init = (require(edges, name, owner) for name in ("strength_ratio", _INITIAL[uid]))
    return JointMesh(
        slot=slot,
        geo_id=slot.id(),
        uid=uid,
        joints=_joints(uid, pairs, ends, axes, transforms),
        tracked=_joints(uid, pairs, ends, axes[:, :1].repeat(2, axis=1), transforms),
        endpoints_left=ends[:, 0],
        endpoints_right=ends[:, 1],
        strength_ratio=check_joint_values(strength, "strength_ratio", owner, nonnegative=True),
        init=check_joint_values(init, _INITIAL[uid], owner),
    )


def _joint_uid(geometry: Any, owner: str) -> int:
    uid = int(read_meta(geometry, "constitution_uid", 0))
    if uid not in JOINTS:
        raise SceneError(
            f"{owner} has constitution {uid}: only revolute ({REVOLUTE_UID}) and prismatic ({PRISMATIC_UID}) joints "
            "can be part of an articulation"
        )
    return uid


def _joints(uid: int, pairs: Ints, ends: Array, axes: Array, transforms: Array) -> Joints:
    """The m joints, for end points (m, 2, 2, 3), world directions (m, 2, 3) and poses (m, 2, 4, 4) of both bodies."""
    if uid == REVOLUTE_UID:
        left, right = frames.revolute_vectors(axes[:, 0], transforms[:, 0], transforms[:, 1])
    else:
        left, right = (frames.prismatic_vectors(ends[:, s, 0], axes[:, s], transforms[:, s]) for s in range(2))
    return Joints(np.full(len(pairs), JOINTS[uid]), pairs, left, right)


def _axes(geometry: Any, transforms: Array, owner: str) -> tuple[Array, Array]:
    """End points in the left and right body (m, 2, 2, 3) and world directions as seen from them (m, 2, 3)."""
    edges = geometry.edges()
    if all(edges.find(name) is not None for names in _LOCAL_ENDS for name in names):
        sides = [np.stack([require(edges, name, owner) for name in names], axis=1) for names in _LOCAL_ENDS]
        ends = np.stack(sides, axis=1)
        return ends, frames.axis_from_local(ends, transforms)
    points = require(geometry.vertices(), "position", owner)[require(edges, "topo", owner)]
    axes = points[:, 1] - points[:, 0]
    return frames.points_to_local(points[:, None], transforms), np.stack([axes, axes], axis=1)


def _refuse_short_axes(axes: Array, owner: str) -> None:
    short = np.argwhere(~(np.linalg.norm(axes, axis=-1) > _SHORTEST_EDGE))
    if len(short):
        raise SceneError(
            f"{owner}, joint {short[0, 0]}: its axis edge has zero length or is not finite; its two end points must be "
            "apart"
        )
