"""A mechanism from a compiled MuJoCo model, hence from MJCF; its positions have the same numbers as MuJoCo's.

In MuJoCo, the motion from parent to body is the body's pose, then joint after joint. A joint with anchor a, both in the
body's axes, rotates or slides by q - r, with the reference r of qpos0. So with T(a) the translation by a, a joint has

    origin · H(q) · child_origin,   origin = T(a) H(-r),   child_origin = T(-a)

with the body's own pose before the first joint's origin. Ball joints have no H(-r), because their qpos is the
quaternion itself, and a free joint's qpos is the pose of the body in the world. Velocities differ:
`dynamics.conventions.MUJOCO` converts them.
"""

from __future__ import annotations

import mujoco
import numpy as np
from numpy.typing import ArrayLike

from ipc_articulation import spatial
from ipc_articulation.arguments import checked, instance
from ipc_articulation.arrays import Array
from ipc_articulation.dynamics.joints import (
    FixedJoint,
    FloatingJoint,
    Joint,
    PrismaticJoint,
    RevoluteJoint,
    SphericalJoint,
)
from ipc_articulation.dynamics.model.mechanism import Mechanism
from ipc_articulation.dynamics.model.parts import WORLD, Link
from ipc_articulation.dynamics.reading.mujoco.equalities import mimics
from ipc_articulation.dynamics.reading.mujoco.names import enabled, name_of, name_within
from ipc_articulation.dynamics.reading.mujoco.shapes import link_shapes
from ipc_articulation.dynamics.reading.mujoco.support import refuse_unsupported, report_left_out
from ipc_articulation.errors import ModelError

Kind = mujoco.mjtJoint


@checked(ModelError, model=instance(mujoco.MjModel))
def mechanism_from_mujoco(model: mujoco.MjModel) -> Mechanism:
    """A mechanism with the bodies, joints and sites of a compiled model, in MuJoCo's order.

    Every body is a link. A body without a joint gets the fixed joint «<body>/fixed». A body with several joints is the
    end of a chain of massless links, «<body>/<joint>», one after each joint but the last. Sites are frames; a site with
    the name of a body is called «<body>/<site>», after its body. Linear joint equalities become mimic joints. An
    element without a name is named by its kind and number, such as «body3».

    Not read: geoms of the world, actuators, contact and its parameters, sensors, keyframes, and tendons without a force
    of their own. Left out with a warning: fluids, forces of tendons, welds, and the motion of mocap bodies. Soft limits
    and frictionloss become limits and Coulomb friction without solref, solimp and margin.

    Args:
        model: The model; its data is copied.

    Raises:
        ModelError: The model is none.
        UnsupportedError: The model contains an active element that is no part of a mechanism: gravity compensation, a
            flex, a plugin, springs or damping that are not linear, a ball joint's range, a rope of limited length, a
            connect, an equality that is not linear between two joints, a colliding plane.
    """
    refuse_unsupported(model)
    report_left_out(model)
    gravity = model.opt.gravity * enabled(model, "GRAVITY")
    mechanism = Mechanism(model.names.split(b"\0", 1)[0].decode(errors="replace"), gravity=gravity)
    for body in range(1, model.nbody):
        _add_body(mechanism, model, body)
    found = mimics(model)
    for joint in mechanism.joints:
        joint.mimic = found.get(joint.name)
    for site in range(model.nsite):
        _add_site(mechanism, model, site)
    return mechanism


def _add_body(mechanism: Mechanism, model: mujoco.MjModel, body: int) -> None:
    """Add a body and its chain of joints."""
    name, parent = name_of(model, "body", body), _link_name(model, model.body_parentid[body])
    origin = _pose(model.body_pos[body], model.body_quat[body])
    first, count = int(model.body_jntadr[body]), int(model.body_jntnum[body])
    if count == 0:
        mechanism.add_joint(f"{name}/fixed", FixedJoint(), parent, name, origin=origin)
    for joint in range(first, first + count - 1):
        between = name_within(model, body, "joint", joint)
        mechanism.add_link(between)
        _add_joint(mechanism, model, joint, parent, between, origin)
        parent, origin = between, np.eye(4)
    if count:
        _add_joint(mechanism, model, first + count - 1, parent, name, origin)
    mechanism.links.append(_link(model, body, name))


def _add_joint(mechanism: Mechanism, model: mujoco.MjModel, index: int, parent: str, child: str, before: Array) -> None:
    """Add a joint between two links; `before` is the pose (4, 4) of the body before this joint moves it."""
    joint = _joint(model, index)
    if isinstance(joint, FloatingJoint):
        origin = child_origin = np.eye(4)
    else:
        anchor = spatial.pose(p=model.jnt_pos[index])
        origin, child_origin = before @ anchor @ _back_to_zero(model, index, joint), spatial.inverse(anchor)
    properties = _joint_properties(model, index, joint.nq, joint.ndof)
    mechanism.add_joint(
        name_of(model, "joint", index), joint, parent, child, origin=origin, child_origin=child_origin, **properties
    )


def _joint_properties(model: mujoco.MjModel, joint: int, nq: int, ndof: int) -> dict[str, ArrayLike]:
    """Fields of `PlacedJoint`, in MuJoCo's units, which are ours; disabled physics gives zero or no limit."""
    q, dof = model.jnt_qposadr[joint], model.jnt_dofadr[joint]
    dofs = slice(dof, dof + ndof)
    limited = model.jnt_limited[joint] and enabled(model, "LIMIT", "CONSTRAINT")
    lower, upper = model.jnt_range[joint] if limited else (-np.inf, np.inf)
    return {
        "damping": model.dof_damping[dofs] * enabled(model, "DAMPER"),
        "stiffness": model.jnt_stiffness[joint] * enabled(model, "SPRING"),
        "spring_mount": model.qpos_spring[q : q + nq].copy(),
        "rotor_inertia": model.dof_armature[dofs].copy(),
        "friction": model.dof_frictionloss[dofs] * enabled(model, "FRICTIONLOSS", "CONSTRAINT"),
        "lower": lower,
        "upper": upper,
        "effort": model.jnt_actfrcrange[joint, 1] if model.jnt_actfrclimited[joint] else np.inf,
    }


def _joint(model: mujoco.MjModel, index: int) -> Joint:
    match Kind(model.jnt_type[index]):
        case Kind.mjJNT_FREE:
            return FloatingJoint()
        case Kind.mjJNT_BALL:
            return SphericalJoint()
        case Kind.mjJNT_SLIDE:
            return PrismaticJoint(model.jnt_axis[index])
    return RevoluteJoint(model.jnt_axis[index])


def _back_to_zero(model: mujoco.MjModel, index: int, joint: Joint) -> Array:
    """H(-r), (4, 4): MuJoCo's body has the pose in the model at qpos0, not at zero."""
    if isinstance(joint, SphericalJoint):
        return np.eye(4)
    return joint.pose_at(-model.qpos0[model.jnt_qposadr[index]])


def _link(model: mujoco.MjModel, body: int, name: str) -> Link:
    R = spatial.rotation_from_quaternion(model.body_iquat[body])
    collision, visual = link_shapes(model, body)
    return Link(
        name=name,
        mass=float(model.body_mass[body]),
        centre=model.body_ipos[body].copy(),
        inertia=R @ np.diag(model.body_inertia[body]) @ R.T,
        collision=collision,
        visual=visual,
    )


def _add_site(mechanism: Mechanism, model: mujoco.MjModel, site: int) -> None:
    name, link = name_of(model, "site", site), _link_name(model, model.site_bodyid[site])
    if any(other.name == name for other in mechanism.links):
        name = f"{link}/{name}"
    mechanism.add_frame(name, link, _pose(model.site_pos[site], model.site_quat[site]))


def _link_name(model: mujoco.MjModel, body: int) -> str:
    return name_of(model, "body", body) if body else WORLD


def _pose(position: Array, quaternion: Array) -> Array:
    return spatial.pose(spatial.rotation_from_quaternion(quaternion), position)
