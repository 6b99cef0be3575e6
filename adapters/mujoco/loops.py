"""Equality constraints of a MuJoCo model as loops.

- `joint`, q₁ - r₁ = a₀ + a₁ (q₂ - r₂) + … with the references r of qpos0: `Static` or `Affine` where it is linear
  (`mimics.py`), else `Implicit`; q₁ depends on q₂.
- `connect`, a point of one body or a site that is where that of another one is: `Implicit`.

MuJoCo holds them softly, loops hold them exactly. Those that start inactive, or are disabled, are left out.
"""

from __future__ import annotations

import copy

import mujoco
import numpy as np
from ipc_articulation.adapters.mujoco.flags import enabled
from ipc_articulation.adapters.mujoco.names import name_of
from ipc_articulation.adapters.mujoco.to_mechanism import mechanism_from_mujoco
from numpy.typing import NDArray

from ipc_articulation.dynamics.model.mechanism import Mechanism
from ipc_articulation.dynamics.model.parts import WORLD
from ipc_articulation.dynamics.reading.loops import Coupling, PointLoop, Polynomial, Relation, RobotWithLoops, loops_of
from ipc_articulation.errors import UnsupportedError

Array = NDArray[np.float64]
Kind = mujoco.mjtEq
SCALAR = (mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_SLIDE)


def robot_from_mujoco(model: mujoco.MjModel) -> RobotWithLoops:
    """The mechanism of a compiled model as `mechanism_from_mujoco` makes it, but without mimics, and its loops.

    Args:
        model: The model; it is copied from, not kept.

    Raises:
        UnsupportedError: As `mechanism_from_mujoco`; an equality that is no connect and not between two joints.
        ModelError: Loops that cannot be closed, say nothing new, leave no motion, or go through a ball or free joint.
    """
    tree = copy.copy(model)
    tree.eq_active0[:] = False
    mechanism = mechanism_from_mujoco(tree)
    scalar = np.flatnonzero(np.isin(model.jnt_type, SCALAR))
    nominal = {name_of(model, "joint", j): float(model.qpos0[model.jnt_qposadr[j]]) for j in scalar}
    relations = [_relation(model, equality, mechanism) for equality in _active(model)]
    return RobotWithLoops(mechanism, loops_of(mechanism, relations, nominal=nominal))


def _active(model: mujoco.MjModel) -> list[int]:
    if not enabled(model, "EQUALITY", "CONSTRAINT"):
        return []
    return [equality for equality in range(model.neq) if model.eq_active0[equality]]


def _relation(model: mujoco.MjModel, equality: int, mechanism: Mechanism) -> Relation:
    where = f"equality constraint '{name_of(model, 'equality', equality)}'"
    match Kind(model.eq_type[equality]):
        case Kind.mjEQ_JOINT:
            return _of_joints(model, equality, where)
        case Kind.mjEQ_CONNECT:
            return PointLoop(mechanism, _end(model, equality, 0), _end(model, equality, 1), where)
        case kind:
            what = kind.name.removeprefix("mjEQ_").lower()
            raise UnsupportedError(f"{where} is a {what}, which is not supported; loops are connects and joints")


def _of_joints(model: mujoco.MjModel, equality: int, where: str) -> Relation:
    joints = model.eq_obj1id[equality], model.eq_obj2id[equality]
    follower = name_of(model, "joint", joints[0])
    if joints[1] < 0:
        raise UnsupportedError(f"{where} holds joint '{follower}' alone; take the joint out instead")
    leader = name_of(model, "joint", joints[1])
    polynomial = model.eq_data[equality, :5]
    references = tuple(float(model.qpos0[model.jnt_qposadr[joint]]) for joint in joints)
    if polynomial[2:].any():
        return Polynomial(follower, leader, polynomial, (references[0], references[1]), where)
    offset, multiplier = (float(a) for a in polynomial[:2])
    shift = references[0] + offset - multiplier * references[1]
    return Coupling({follower: 1.0, leader: -multiplier}, shift, where, follower)


def _end(model: mujoco.MjModel, equality: int, side: int) -> tuple[str, Array]:
    """A link that a connect holds, and the point in its frame, (3,)."""
    index = int((model.eq_obj1id, model.eq_obj2id)[side][equality])
    point = model.eq_data[equality, 3 * side : 3 * side + 3]
    if model.eq_objtype[equality] == mujoco.mjtObj.mjOBJ_SITE:
        index, point = int(model.site_bodyid[index]), model.site_pos[index]
    return name_of(model, "body", index) if index else WORLD, point.copy()
