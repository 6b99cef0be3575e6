"""Equality constraints of a MuJoCo model as loops.

- `joint`, q₁ - r₁ = a₀ + a₁ (q₂ - r₂) + … with the references r of qpos0: `Static` or `Affine` if it is linear
  (`equalities.py`), else `Implicit`; q₁ depends on q₂.
- `tendon`, of fixed tendons: `Static` if it is linear.
- `connect`, a point or site of one body that coincides with that of another one: `Implicit`.

In MuJoCo they are soft; loops satisfy them exactly. Equalities that are disabled, inactive at the start, or between
bodies that cannot move against each other are left out; so are others, such as welds, with a warning.
"""

from __future__ import annotations

import copy

import mujoco

from ipc_articulation.arguments import checked, instance
from ipc_articulation.arrays import Array
from ipc_articulation.dynamics.model.mechanism import Mechanism
from ipc_articulation.dynamics.model.parts import WORLD
from ipc_articulation.dynamics.reading.loops import LinearRelation, PointLoop, Polynomial, Relation, loops_of
from ipc_articulation.dynamics.reading.mujoco.actuators import driven_joints
from ipc_articulation.dynamics.reading.mujoco.equalities import (
    active,
    joint_equality,
    kind_of,
    leave_out,
    place,
    tendon_relation,
)
from ipc_articulation.dynamics.reading.mujoco.mechanism import mechanism_from_mujoco
from ipc_articulation.dynamics.reading.mujoco.names import name_of, reference_positions
from ipc_articulation.errors import ModelError


@checked(ModelError, model=instance(mujoco.MjModel))
def robot_from_mujoco(model: mujoco.MjModel) -> Mechanism:
    """The mechanism that `mechanism_from_mujoco` makes of a compiled model, with loops instead of mimic joints.

    Where possible, joints with actuators are the independent ones.

    Args:
        model: The model; its data is copied.

    Raises:
        UnsupportedError: As `mechanism_from_mujoco`, or an equality is of one joint.
        ModelError: A loop cannot be closed, is redundant, leaves no motion, or contains a ball or free joint.
    """
    tree = copy.copy(model)
    tree.eq_active0[:] = False
    mechanism = mechanism_from_mujoco(tree)
    relations = (_relation(model, equality, mechanism) for equality in active(model))
    found = [relation for relation in relations if relation is not None]
    mechanism.loops = loops_of(mechanism, found, nominal=reference_positions(model), driven=driven_joints(model))
    mechanism.meetings = tuple(relation.meeting for relation in found if isinstance(relation, PointLoop))
    return mechanism


def _relation(model: mujoco.MjModel, equality: int, mechanism: Mechanism) -> Relation | None:
    where, kind = place(model, equality), kind_of(model, equality)
    if kind == "connect":
        return PointLoop(mechanism, _end(model, equality, 0), _end(model, equality, 1), where)
    if kind == "tendon" and (relation := tendon_relation(model, equality)) is not None:
        return LinearRelation(relation[0], relation[1], where)
    if kind != "joint":
        leave_out(model, equality, "connects, joint equalities and linear ones of fixed tendons")
        return None
    pair = joint_equality(model, equality)
    if pair.is_linear:
        return LinearRelation({pair.follower: 1.0, pair.leader: -pair.multiplier}, pair.offset, where, pair.follower)
    return Polynomial(pair.follower, pair.leader, pair.polynomial, pair.references, where)


def _end(model: mujoco.MjModel, equality: int, side: int) -> tuple[str, Array]:
    """A link of a connect constraint, and the connected point in its frame, (3,) [m]."""
    index = int((model.eq_obj1id, model.eq_obj2id)[side][equality])
    point = model.eq_data[equality, 3 * side : 3 * side + 3]
    if model.eq_objtype[equality] == mujoco.mjtObj.mjOBJ_SITE:
        index, point = int(model.site_bodyid[index]), model.site_pos[index]
    return name_of(model, "body", index) if index else WORLD, point.copy()
