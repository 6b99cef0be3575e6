"""Reader of libuipc's joint geometries: line meshes with an edge, or 0-D complexes with a vertex, for each joint."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.articulation.frames import Placement, axis_from_local, points_to_local
from ipc_articulation.articulation.joints import Joints
from ipc_articulation.articulation.kinds import KINDS
from ipc_articulation.errors import ArticulationError, SceneError
from ipc_articulation.frontend.attributes import read, require, writable
from ipc_articulation.frontend.joint_columns import JoinableBodies, check_joint_values, read_body_pairs
from ipc_articulation.frontend.joint_geometry import AXIS, PITCH, SECOND_AXIS
from ipc_articulation.frontend.joint_kinds import JointKind, joint_kind

_LOCAL_ENDS = (("l_position0", "l_position1"), ("r_position0", "r_position1"))
_LOCAL_ANCHORS = (("l_position",), ("r_position",))
_SHORTEST_EDGE = 1e-12  # [m], libuipc's own bound


@dataclass(frozen=True)
class JointMesh:
    """The m joints of one joint geometry."""

    slot: Any  # libuipc's geometry slot
    geo_id: int
    kind: JointKind
    joints: Joints  # the joints for an articulation
    placement: Placement
    strength_ratio: Array  # (m,)
    init: Array  # (m,) init_angle [rad] or init_distance [m]; zero for kinds without a coordinate

    @property
    def tracked(self) -> Joints:
        """The joints that measure `angle` and `distance`: both bodies have the left body's axis."""
        return Joints.placed(self.kind.kind, self.joints.bodies, self.placement.with_left_axis())

    def read_coordinates(self) -> Array | None:
        """The joints' `angle` [rad] or `distance` [m], (m,); None if the geometry has no such attribute."""
        return read(self.slot.geometry().edges(), self.kind.coordinate)

    def write_coordinates(self, values: Array) -> None:
        """Write the joints' `angle` [rad] or `distance` [m], (m,), if the geometry has that attribute."""
        if self._coordinate is not None:
            writable(self._coordinate)[:] = values

    @cached_property
    def _coordinate(self) -> Any:
        """The attribute slot of `angle` or `distance`; None without."""
        return self.slot.geometry().edges().find(self.kind.coordinate)


def read_joint_mesh(slot: Any, bodies: JoinableBodies) -> JointMesh:
    """Read one joint geometry; the bodies must be in their initial poses, where θ = 0.

    The axis is given by local end points (`l_position0` to `r_position1`) if the edges carry all four, else by the
    world positions of the edges' vertices. A revolute joint given by local end points has the direction of the left
    body's for both bodies; a prismatic joint has each body's own. The anchor of a fixed or spherical joint is given by
    `l_position` and `r_position`, else by the world position of its vertex.

    Args:
        slot: The geometry slot, made by one of libuipc's joint constitutions or by `joint_geometry`.
        bodies: The bodies of the scene.

    Raises:
        SceneError: Another constitution, a missing attribute, a body without geometry slot, a body joined to itself, an
            axis of zero length, a number that is not finite. The message names geometry and joint.
    """
    geometry, owner = slot.geometry(), f"joint geometry {slot.id()}"
    kind = joint_kind(geometry, owner)
    elements = kind.joints_in(geometry)
    pairs = read_body_pairs(elements, bodies, owner)
    strength = require(elements, "strength_ratio", owner)
    placement = _placement(kind, geometry, bodies.transforms[pairs], owner)
    init = np.zeros(len(pairs))
    if kind.coordinate:
        name = f"init_{kind.coordinate}"
        init = check_joint_values(require(elements, name, owner), name, owner)
    return JointMesh(
        slot=slot,
        geo_id=slot.id(),
        kind=kind,
        joints=_joints(kind, pairs, placement, owner),
        placement=placement,
        strength_ratio=check_joint_values(strength, "strength_ratio", owner, nonnegative=True),
        init=init,
    )


def _joints(kind: JointKind, pairs: Ints, placement: Placement, owner: str) -> Joints:
    try:
        return Joints.placed(kind.kind, pairs, placement)
    except ArticulationError as error:
        raise SceneError(f"{owner}: {error}") from error


def _placement(kind: JointKind, geometry: Any, transforms: Array, owner: str) -> Placement:
    """The placement of the m joints in bodies with transforms (m, 2, 4, 4)."""
    if not kind.has_axis:
        return _anchored(kind, geometry.vertices(), transforms, owner)
    placement = _axes(geometry, transforms, owner)
    _refuse_short_axes(placement.axes, owner)
    return placement


def _anchored(kind: JointKind, vertices: Any, transforms: Array, owner: str) -> Placement:
    """The placement of joints with an anchor and, for our own kinds, with what they need besides."""
    given = {name: check_joint_values(require(vertices, name, owner), name, owner) for name in KINDS[kind.kind].needs}
    axes = given.get(AXIS, np.zeros((len(transforms), 3)))
    if AXIS in given:
        _refuse_short_axes(axes, owner)
    return Placement(
        points=_anchors(vertices, transforms, owner),
        axes=axes[:, None].repeat(2, axis=1),
        transforms=transforms,
        second=given.get(SECOND_AXIS, np.empty((0, 3))),
        pitch=given.get(PITCH, np.empty(0)),
    )


def _axes(geometry: Any, transforms: Array, owner: str) -> Placement:
    edges = geometry.edges()
    ends = _local_points(edges, _LOCAL_ENDS, owner)
    if ends is not None:
        return Placement(ends, axis_from_local(ends, transforms), transforms)
    points = require(geometry.vertices(), "position", owner)[require(edges, "topo", owner)]
    axes = (points[:, 1] - points[:, 0])[:, None].repeat(2, axis=1)
    return Placement(points_to_local(points[:, None], transforms), axes, transforms)


def _anchors(vertices: Any, transforms: Array, owner: str) -> Array:
    """Anchors in both bodies, (m, 2, 1, 3)."""
    anchors = _local_points(vertices, _LOCAL_ANCHORS, owner)
    if anchors is not None:
        for side, (name,) in enumerate(_LOCAL_ANCHORS):
            check_joint_values(anchors[:, side, 0], name, owner)
        return anchors
    points = check_joint_values(require(vertices, "position", owner), "position", owner)
    return points_to_local(points[:, None, None], transforms)


def _local_points(joints: Any, names: tuple[tuple[str, ...], tuple[str, ...]], owner: str) -> Array | None:
    """Points in the left and the right body, (m, 2, p, 3), from attributes; None if one of these is missing."""
    if any(joints.find(name) is None for side in names for name in side):
        return None
    return np.stack([np.stack([require(joints, name, owner) for name in side], axis=1) for side in names], axis=1)


def _refuse_short_axes(axes: Array, owner: str) -> None:
    short = np.argwhere(~(np.linalg.norm(axes, axis=-1) > _SHORTEST_EDGE))
    if len(short):
        raise SceneError(
            f"{owner}, joint {short[0, 0]}: its axis edge has zero length or is not finite; its two end points must be "
            "apart"
        )
