"""The freedoms of joints at a pose: twists of the child relative to the parent that leave the joint's penalty as it is.

A joint holds its bodies together by the energy ½ κ ‖r‖² of world vectors x of its parent and y of its child
(`articulation.kinds`, `engine.terms.joint_penalty`). With R = ∂r/∂(twist of the child), its f freedoms are

    S (6, f):   R S = 0,   r·(R S) = 0.

The first condition is exact where r = 0. Under load r is small but not zero: then only the second can be met exactly,
and it is the one that counts, because it says that the joint's force κ Rᵀr does no work. So rows of R count WEIGHT
times along r, and S is spanned by the f last right singular vectors of the weighted R.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.articulation import kinds
from ipc_articulation.articulation.frames import Placement, points_to_local
from ipc_articulation.articulation.kinds import HELD, KINDS, PRISMATIC, REVOLUTE
from ipc_articulation.coupling.adapter import CoupledJoint, CoupledRobot
from ipc_articulation.frontend.joint_geometry import AXIS_LENGTH
from ipc_articulation.spatial import skew

WEIGHT = 1e4


def placement(robot: CoupledRobot, joint: CoupledJoint, kind: int) -> Placement:
    """The placement of one joint of a kind as the scene has it, at the moment of coupling."""
    parent = np.eye(4) if joint.parent < 0 else robot.links[joint.parent].pose
    transforms = np.stack([parent, robot.links[joint.child].pose])[None]
    half = 0.5 * AXIS_LENGTH * joint.axis / np.linalg.norm(joint.axis)
    ends = [joint.anchor - half, joint.anchor + half] if kind in (REVOLUTE, PRISMATIC) else [joint.anchor]
    return Placement(
        points=points_to_local(np.stack(ends)[None, None], transforms),
        axes=np.tile(joint.axis, (1, 2, 1)),
        transforms=transforms,
        second=joint.second_axis[None],
        pitch=np.array([joint.pitch]),
    )


def residual(kind: int, local: Array, q: Array) -> tuple[Array, Array]:
    """The residual of a joint's penalty and its derivative by a twist of the child.

    Args:
        kind: Of the joint.
        local: Local vectors of its penalty in both bodies, `Kind.held`, (2, h, 4).
        q: Coordinates of both bodies, (2, 12).

    Returns:
        r (3h,) and R (3h, 6), for twists about the world's origin.
    """
    h = local.shape[1]
    x, y = np.zeros((2, HELD, 3))
    for vectors, of_body, coordinates in zip((x, y), local, q, strict=True):
        vectors[:h] = of_body[:, :3] @ coordinates[3:].reshape(3, 3).T + of_body[:, 3:] * coordinates[:3]
    if KINDS[kind].is_linear:
        r, slopes = (x - y)[:h].ravel(), -np.eye(3 * h).reshape(3 * h, h, 3)
    else:
        r, D = np.zeros(3 * HELD), np.zeros((3 * HELD, 2, HELD, 3))
        kinds.residual(kind, x, y, r)
        kinds.residual_slopes(kind, x, y, D)
        r, slopes = r[: 3 * h], D[: 3 * h, 1, :h]
    moved = np.concatenate([-skew(y[:h]), local[1, :, 3, None, None] * np.eye(3)], axis=2)  # (h, 3, 6)
    return r, np.einsum("rha,hat->rt", slopes, moved)


def freedoms(kind: int, local: Array, q: Array) -> Array:
    """S (6, f), twists about the world's origin; arguments as in `residual`."""
    r, R = residual(kind, local, q)
    from_child = about(-q[1, :3])  # about the child's origin all twists have one size, wherever the robot stands
    R = R @ from_child
    size = np.linalg.norm(r)
    if size > 0.0:
        along = r / size
        R = R + (WEIGHT - 1.0) * np.outer(along, along @ R)
    rows = np.concatenate([R, np.zeros((6, 6))])  # at least six, also for a joint that holds nothing
    return from_child @ np.linalg.svd(rows)[2][6 - KINDS[kind].freedoms :].T


def about(p: Array) -> Array:
    """The matrix (6, 6) that takes twists about one point to those about another one, p (3,) from it: v + ω × p."""
    X = np.eye(6)
    X[3:, :3] = -skew(p)
    return X
