"""Pinocchio models of mechanisms: the robot as our own reader understands it, with its repairs.

Pinocchio's own reader of URDF files gives every planar joint the normal z, and refuses joints that follow one which
follows another, comes later in the file, or turns without end. Here a planar joint is two slides and a turn, called as
our own dynamics calls its coordinates, and every follower follows the last joint of its chain of leaders.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pinocchio as pin

from ipc_articulation.arrays import Array
from ipc_articulation.dynamics.joints.elements import Element, Screw
from ipc_articulation.dynamics.model import Mechanism, Model, PlacedJoint
from ipc_articulation.dynamics.model.coordinates import Coordinates
from ipc_articulation.dynamics.model.parts import WORLD
from ipc_articulation.errors import UnsupportedError
from ipc_articulation.repairs import caution

_Lead = tuple[str, float, float]  # leader, multiplier, offset
_HERE = pin.SE3.Identity()
_OWN = {  # properties of joints, and Pinocchio's arrays over velocities
    "damping": "damping",
    "rotor_inertia": "armature",
    "friction": "upperDryFrictionLimit",
    "effort": "effortLimit",
    "velocity": "velocityLimit",
}


def make_model(mechanism: Mechanism, ours: Model) -> pin.Model:
    """The model of a tree.

    Args:
        mechanism: The robot.
        ours: The model of our own dynamics, with what its followers resist on their leaders.

    Raises:
        UnsupportedError: A joint has a spring, or follows one that it carries.
    """
    model, leads = pin.Model(), _leads(ours)
    model.name = mechanism.name
    frames = {WORLD: 0}
    for joint in _ordered(mechanism.joints, leads):
        frames[joint.child] = _add(model, joint, frames[joint.parent], ours)
    for link in mechanism.links:
        at = model.frames[frames[link.name]]
        body = pin.Inertia(link.mass, np.array(link.centre, float), np.array(link.inertia, float))
        model.appendBodyToJoint(at.parentJoint, body, at.placement)
    for name, (leader, multiplier, offset) in leads.items():
        pair = model.getJointId(leader), model.getJointId(name)
        model = pin.transformJointIntoMimic(model, *pair, multiplier, offset)
    return model


def start_of(model: pin.Model, mechanism: Mechanism) -> Array:
    """The position (nq,) in the file: neutral, but floating links, which count from what carries them, are in place."""
    q = pin.neutral(model)
    for joint in mechanism.joints:
        if len(joint.joint.elements) == 2:
            first = model.joints[model.getJointId(joint.name)].idx_q
            place = pin.SE3(np.array(joint.origin, float))
            if joint.parent != WORLD:
                place = model.frames[model.getFrameId(joint.parent, pin.FrameType.BODY)].placement * place
            q[first : first + 7] = pin.SE3ToXYZQUAT(place)
    return q


def _leads(ours: Model) -> dict[str, _Lead]:
    """The leader of each follower, which follows none."""
    f, names = ours.followers, ours.dof_names
    rows = zip(f.dofs, f.leader_dofs, f.multiplier.tolist(), f.offset.tolist(), strict=True)
    return {names[dof]: (names[leader], *line) for dof, leader, *line in rows}


def _ordered(joints: Sequence[PlacedJoint], leads: dict[str, _Lead]) -> list[PlacedJoint]:
    """The joints depth first, as Pinocchio needs them, each follower after its leader.

    Raises:
        UnsupportedError: There is no such order.
    """
    found: list[PlacedJoint] = []
    below: dict[str, list[PlacedJoint]] = {}
    for joint in joints:
        below.setdefault(joint.parent, []).append(joint)

    def carried(joint: PlacedJoint) -> Iterator[PlacedJoint]:
        yield joint
        for other in below.get(joint.child, ()):
            yield from carried(other)

    def add_below(link: str) -> None:
        waiting = {joint.name: joint for joint in below.get(link, ())}
        while waiting:
            known = {joint.name for joint in found}
            late = [_late(tuple(carried(joint)), known, leads) for joint in waiting.values()]
            joint = next((joint for joint, name in zip(waiting.values(), late, strict=True) if not name), None)
            if joint is None:
                raise UnsupportedError(_out_of_order(late[0], leads))
            found.append(waiting.pop(joint.name))
            add_below(joint.child)

    add_below(WORLD)
    return found


def _late(joints: Sequence[PlacedJoint], known: set[str], leads: dict[str, _Lead]) -> str:
    """Of a joint and those that it carries, one whose leader neither is known nor comes with them; empty: none."""
    names = {joint.name for joint in joints[1:]}
    if leads.get(joints[0].name, ("",))[0] in names:
        return joints[0].name
    names |= known | {joints[0].name}
    return next((joint.name for joint in joints if joint.name in leads and leads[joint.name][0] not in names), "")


def _out_of_order(name: str, leads: dict[str, _Lead]) -> str:
    return (
        f"joint '{name}' follows joint '{leads[name][0]}', which Pinocchio can only place after it: it carries that "
        "joint, or a joint beside it does, and another one follows the other way; adapters native and mujoco run it"
    )


def _add(model: pin.Model, joint: PlacedJoint, frame: int, ours: Model) -> int:
    """Add a joint and its child, without mass, after the frame of its parent; the result is the child's frame."""
    if np.any(joint.stiffness):
        raise UnsupportedError(
            f"joint '{joint.name}' has stiffness, which Pinocchio does not know; leave it out, or use adapter native"
        )
    if np.any(joint.friction) and not all(isinstance(element, Screw) for element in joint.joint.elements):
        caution(f"joint '{joint.name}' turns freely: its dry friction has no effect with Pinocchio", UnsupportedError)
    before = model.frames[frame]
    place = before.placement * pin.SE3(np.array(joint.origin, float))
    kinds = list(_joints(joint.joint.elements))
    if not kinds:
        fixed = pin.Frame(joint.name, before.parentJoint, frame, place, pin.FrameType.FIXED_JOINT)
        return int(model.addBodyFrame(joint.child, before.parentJoint, place, model.addFrame(fixed)))
    number, dof = before.parentJoint, ours.dof_names.index(joint.dof_names[0])
    if len(joint.joint.elements) == 2:
        place = _HERE
    for k, kind in enumerate(kinds):
        name = joint.name if len(kinds) == 1 else f"{joint.name}[{k}]"
        number, place = model.addJoint(number, kind, place, name), _HERE
        _set(model, model.joints[number], ours.coordinates, dof + k)
        frame = model.addJointFrame(number, frame)
    return int(model.addBodyFrame(joint.child, number, _HERE, frame))


def _joints(elements: Sequence[Element]) -> Iterator[Any]:
    """Pinocchio's joints that move as a chain of elements."""
    if len(elements) == 2 and not any(isinstance(element, Screw) for element in elements):
        yield pin.JointModelFreeFlyer()
        return
    for element in elements:
        if not isinstance(element, Screw):
            yield pin.JointModelSpherical()
        elif element.turn:
            yield pin.JointModelRevoluteUnaligned(np.array(element.axis))
        else:
            yield pin.JointModelPrismaticUnaligned(np.array(element.axis))


def _set(model: pin.Model, added: Any, coordinates: Coordinates, dof: int) -> None:
    """Give a joint of the model the properties of our own degrees of freedom from `dof` on."""
    rows, own = slice(added.idx_v, added.idx_v + added.nv), slice(dof, dof + added.nv)
    for name, array in _OWN.items():
        getattr(model, array)[rows] = getattr(coordinates, name)[own]
    if added.nq == 1:
        model.lowerPositionLimit[added.idx_q] = coordinates.lower[dof]
        model.upperPositionLimit[added.idx_q] = coordinates.upper[dof]
