"""Reads libuipc's fixed and spherical joint geometries: 0-D complexes, a vertex a joint."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.articulation import frames
from ipc_articulation.frontend.attributes import read_meta, require
from ipc_articulation.frontend.joint_columns import Bodies, check_joint_values, read_body_pairs

FIXED_UID, SPHERICAL_UID = 25, 26
_LOCAL_ANCHORS = ("l_position", "r_position")


@dataclass(frozen=True)
class AnchorMesh:
    """The m joints of one geometry; each holds one point of its left body to one point of its right body."""

    geo_id: int
    uid: int  # 25 fixed, 26 spherical
    bodies: Ints  # (m, 2) rows of the left and of the right body
    anchors: Array  # (m, 2, 3) [m] the point in the left and in the right body
    strength_ratio: Array  # (m,)


def read_anchor_mesh(slot: Any, bodies: Bodies) -> AnchorMesh:
    """Read one joint geometry; the bodies stand in their initial poses.

    The anchor is given in each body (`l_position`, `r_position`) if the vertices carry both, else by the world position
    of the vertex.

    Args:
        slot: The geometry slot of a 0-D complex, made by AffineBodyFixedJoint or AffineBodySphericalJoint.
        bodies: Where the bodies of the scene are.

    Raises:
        SceneError: A missing attribute, a body without geometry slot, a body joined to itself, a number that is not
            finite. The message names geometry and joint.
    """
    geometry, owner = slot.geometry(), f"joint geometry {slot.id()}"
    vertices = geometry.vertices()
    pairs = read_body_pairs(vertices, bodies, owner)
    strength = require(vertices, "strength_ratio", owner)
    return AnchorMesh(
        geo_id=slot.id(),
        uid=int(read_meta(geometry, "constitution_uid", 0)),
        bodies=pairs,
        anchors=_anchors(vertices, bodies.transforms[pairs], owner),
        strength_ratio=check_joint_values(strength, "strength_ratio", owner, nonnegative=True),
    )


def _anchors(vertices: Any, transforms: Array, owner: str) -> Array:
    """Anchors (m, 2, 3) in bodies that stand at transforms (m, 2, 4, 4)."""
    if all(vertices.find(name) is not None for name in _LOCAL_ANCHORS):
        sides = [check_joint_values(require(vertices, name, owner), name, owner) for name in _LOCAL_ANCHORS]
        return np.stack(sides, axis=1)
    points = check_joint_values(require(vertices, "position", owner), "position", owner)
    return frames.points_to_local(points[:, None, None], transforms)[:, :, 0]
