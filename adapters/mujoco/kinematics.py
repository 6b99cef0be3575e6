"""Kinematics of the coupled parts of a model: poses and inertias from a MuJoCo state, the link of each joint.

Every joint has its own link: the rigid group of bodies that it moves. A body with several joints is the last of several
links; the others have no mass or geometry. So link i is the child of joint i, in MuJoCo's order of joints and of
degrees of freedom.

A free joint has qpos = (p, quaternion) and qvel = (ṗ in the world frame, ω in the body's frame), a ball joint the
quaternion and ω. So a displacement of degrees of freedom is that of the kinds `free` and `spherical` of
`articulation.kinds`, and MuJoCo's own functions integrate it.
"""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from ipc_articulation import affine, spatial
from ipc_articulation.arrays import Array, Bools, Ints

_FREE, _BALL = int(mujoco.mjtJoint.mjJNT_FREE), int(mujoco.mjtJoint.mjJNT_BALL)
_HINGE, _SLIDE = int(mujoco.mjtJoint.mjJNT_HINGE), int(mujoco.mjtJoint.mjJNT_SLIDE)
_POSITIONS, _DOFS = {_FREE: 7, _BALL: 4, _HINGE: 1, _SLIDE: 1}, {_FREE: 6, _BALL: 3, _HINGE: 1, _SLIDE: 1}


@dataclass(frozen=True)
class JointMap:
    """The coupled joints of a model; m joints, hence m links, and F degrees of freedom."""

    ids: tuple[int, ...]  # (m,) joint ids, ascending
    bodies: Ints  # (m,) body that carries each joint
    parents: tuple[int, ...]  # (m,) parent link of each joint, -1 for the world
    later: tuple[tuple[int, ...], ...]  # (m,) further joints of the same body, after each joint
    qpos: Ints  # (P,) addresses in qpos
    dofs: Ints  # (F,) addresses in qvel
    place: Ints  # (nv,) place of each degree of freedom of the model in `dofs`, -1 where it is not coupled
    owners: Ints  # (F,) joint of each degree of freedom
    single: Bools  # (F,) whether that is a hinge or slide
    balls: tuple[int, ...]  # joint ids
    between: tuple[int, ...]  # links between two joints of one body

    @property
    def carries_body(self) -> Bools:
        """True for links that are the body itself, (m,); the others lie between two joints of one body."""
        return np.array([not later for later in self.later], dtype=bool)


def map_joints(model: mujoco.MjModel, bodies: tuple[int, ...]) -> JointMap:
    """The joints that some bodies carry."""
    spans = {b: range(model.body_jntadr[b], model.body_jntadr[b] + model.body_jntnum[b]) for b in bodies}
    joints = sorted(j for span in spans.values() for j in span)
    link = {j: i for i, j in enumerate(joints)}
    last = {b: link[span[-1]] for b, span in spans.items()}

    def parent(j: int) -> int:
        body = int(model.jnt_bodyid[j])
        return link[j - 1] if j > spans[body][0] else last.get(int(model.body_weldid[model.body_parentid[body]]), -1)

    dofs = _addresses(model.jnt_dofadr, joints, [_DOFS[kind] for kind in model.jnt_type[joints].tolist()])
    place = np.full(model.nv, -1)
    place[dofs] = np.arange(len(dofs))
    owners = model.dof_jntid[dofs].astype(np.int64)
    later = tuple(tuple(range(j + 1, spans[int(model.jnt_bodyid[j])][-1] + 1)) for j in joints)
    return JointMap(
        ids=tuple(joints),
        bodies=model.jnt_bodyid[joints].astype(np.int64),
        parents=tuple(parent(j) for j in joints),
        later=later,
        qpos=_addresses(model.jnt_qposadr, joints, [_POSITIONS[kind] for kind in model.jnt_type[joints].tolist()]),
        dofs=dofs,
        place=place,
        owners=owners,
        single=np.isin(model.jnt_type[owners], (_HINGE, _SLIDE)),
        balls=tuple(joint for joint in joints if model.jnt_type[joint] == _BALL),
        between=tuple(link for link, joints_after in enumerate(later) if joints_after),
    )


def _addresses(first: Ints, joints: list[int], sizes: list[int]) -> Ints:
    spans = [np.arange(first[joint], first[joint] + size) for joint, size in zip(joints, sizes, strict=True)]
    return np.concatenate([np.zeros(0, dtype=np.int64), *spans]).astype(np.int64)


def positions(model: mujoco.MjModel, joints: JointMap, qpos: Array) -> Array:
    """Joint positions θ, (F,): of a free joint the position and the rotation vector of its quaternion [m, rad]."""
    theta = np.empty(model.nv)
    mujoco.mj_differentiatePos(model, theta, 1.0, home_positions(model), qpos)
    return theta[joints.dofs]


def home_positions(model: mujoco.MjModel) -> Array:
    """The positions (nq,) at which all θ are zero."""
    home = np.zeros(model.nq)
    home[model.jnt_qposadr[model.jnt_type == _FREE] + 3] = 1.0
    home[model.jnt_qposadr[model.jnt_type == _BALL]] = 1.0
    return home


def displaced(model: mujoco.MjModel, joints: JointMap, qpos: Array, delta_theta: Array) -> Array:
    """Positions (nq,) of which the coupled joints have moved by δθ (F,)."""
    move, result = np.zeros(model.nv), qpos.copy()
    move[joints.dofs] = delta_theta
    mujoco.mj_integratePos(model, result, move, 1.0)
    return result


def displacement(model: mujoco.MjModel, joints: JointMap, start: Array, end: Array, turned: Array) -> Array:
    """δθ (F,) that takes the coupled joints from the positions `start` to `end`, (nq,) each [rad or m].

    A rotation vector gives a rotation by less than π only. Where a joint has turned further, its part of the sum
    `turned` (F,) of the steps' displacements is kept, which no scene accepts.
    """
    result = np.empty(model.nv)
    mujoco.mj_differentiatePos(model, result, 1.0, start, end)
    moved = result[joints.dofs]
    for joint in joints.ids:
        if model.jnt_type[joint] in (_BALL, _FREE):
            last = int(model.jnt_dofadr[joint]) + _DOFS[int(model.jnt_type[joint])]
            rotation = joints.place[last - 3 : last]
            if np.linalg.norm(turned[rotation]) >= np.pi:
                moved[rotation] = turned[rotation]
    return moved


def body_poses(data: mujoco.MjData) -> Array:
    """Poses of all bodies from the kinematics that `data` holds, (nbody, 4, 4)."""
    return _transforms(data.xpos, data.xmat)


def mocap_poses(data: mujoco.MjData, bodies: tuple[int, ...]) -> Array:
    """Poses of k mocap bodies from the kinematics that `data` holds, (k, 4, 4)."""
    return _transforms(data.xpos[list(bodies)], data.xmat[list(bodies)]) if bodies else np.empty((0, 4, 4))


def geom_poses(data: mujoco.MjData) -> Array:
    """Poses of all geoms from the kinematics that `data` holds, (ngeom, 4, 4)."""
    return _transforms(data.geom_xpos, data.geom_xmat)


def link_poses(model: mujoco.MjModel, data: mujoco.MjData, joints: JointMap, qpos: Array) -> Array:
    """Poses of the links from the kinematics that `data` holds.

    Args:
        model: The model.
        data: State whose xpos, xmat, xanchor and xaxis belong to qpos.
        joints: The joints.
        qpos: (nq,) the positions of that kinematics.

    Returns:
        (m, 4, 4).
    """
    poses = _transforms(data.xpos[joints.bodies], data.xmat[joints.bodies])
    undo_later_joints(model, data, joints, qpos, poses)
    return poses


def undo_later_joints(model: mujoco.MjModel, data: mujoco.MjData, joints: JointMap, qpos: Array, poses: Array) -> None:
    """Change poses (m, 4, 4) of the bodies that carry the links into those of the links.

    A link between two joints of one body has the pose of the body with its later joints at zero. The other arguments
    are those of `link_poses`.
    """
    for i in joints.between:
        for j in reversed(joints.later[i]):
            poses[i] = _undo(model, data, j, qpos, poses[i]) @ poses[i]


def rigid_group(model: mujoco.MjModel, body: int) -> list[int]:
    """A moving body with all that is welded to it."""
    return np.flatnonzero(model.body_weldid == body).tolist()


def group_inertia(
    model: mujoco.MjModel, data: mujoco.MjData, group: list[int], pose: Array
) -> tuple[float, Array, Array]:
    """Mass [kg], centre (3,) [m] and inertia about it (3, 3) [kg·m²] of bodies moving as one, in the frame of a pose.

    By the parallel-axis theorem, I = Σ R diag(i) Rᵀ + m (‖d‖² 1 - d dᵀ), with d from the common centre to each body's
    centre.
    """
    masses = model.body_mass[group]
    mass = float(masses.sum())
    if mass == 0.0:
        return 0.0, np.zeros(3), np.zeros((3, 3))
    R, p = pose[:3, :3], pose[:3, 3]
    centers = (data.xipos[group] - p) @ R
    center = masses @ centers / mass
    axes = R.T @ data.ximat[group].reshape(-1, 3, 3)
    d = centers - center
    own = np.einsum("nik,nk,njk->ij", axes, model.body_inertia[group], axes)
    shift = np.sum(masses * (d * d).sum(axis=1)) * np.eye(3) - np.einsum("n,ni,nj->ij", masses, d, d)
    return mass, center, own + shift


def read_free_joint(model: mujoco.MjModel, data: mujoco.MjData, body: int) -> tuple[Array, Array]:
    """Coordinates q (12,) and velocity q̇ (12,) of a free body's frame."""
    joint = model.body_jntadr[body]
    qpos, qvel = int(model.jnt_qposadr[joint]), int(model.jnt_dofadr[joint])
    R = np.empty(9)
    mujoco.mju_quat2Mat(R, data.qpos[qpos + 3 : qpos + 7])
    q = np.concatenate([data.qpos[qpos : qpos + 3], R])
    omega = R.reshape(3, 3) @ data.qvel[qvel + 3 : qvel + 6]
    return q, affine.qdot_from_twist(q, data.qvel[qvel : qvel + 3], omega)


def _transforms(positions: Array, matrices: Array) -> Array:
    T = np.zeros((len(positions), 4, 4))
    T[:, :3, 3] = positions
    T[:, :3, :3] = matrices.reshape(-1, 3, 3)
    T[:, 3, 3] = 1.0
    return T


def _undo(model: mujoco.MjModel, data: mujoco.MjData, joint: int, qpos: Array, body: Array) -> Array:
    """The motion, (4, 4) in the world frame, that takes a joint's body at a pose back to the joint's zero."""
    address, anchor = model.jnt_qposadr[joint], data.xanchor[joint]
    if model.jnt_type[joint] == _BALL:
        R = body[:3, :3] @ spatial.rotation_from_quaternion(qpos[address : address + 4]).T @ body[:3, :3].T
        return spatial.pose(R, anchor - R @ anchor)
    theta = qpos[address] - model.qpos0[address]
    axis = data.xaxis[joint]
    if model.jnt_type[joint] == mujoco.mjtJoint.mjJNT_SLIDE:
        return spatial.pose(p=-theta * axis)
    quat, matrix = np.empty(4), np.empty(9)
    mujoco.mju_axisAngle2Quat(quat, axis, -theta)
    mujoco.mju_quat2Mat(matrix, quat)
    R = matrix.reshape(3, 3)
    return spatial.pose(R, anchor - R @ anchor)
