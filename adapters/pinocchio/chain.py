"""The links and joints of a Pinocchio model, and their poses.

Every joint moves one link, whose frame is the joint's. A joint that is a sequence of others (composite, translation,
Euler angles) becomes the chain of these; all links of the chain but the last have no mass or geometry. Their
coordinates and velocities are those of the sequence, so positions and velocities are the same for both models.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pinocchio as pin

from ipc_articulation import spatial
from ipc_articulation.arrays import Array
from ipc_articulation.coupling.adapter import CoupledJoint
from ipc_articulation.errors import UnsupportedError

_KINDS = {
    "JointModelFreeFlyer": "free",
    "JointModelPlanar": "planar",
    "JointModelSpherical": "spherical",
    "JointModelUniversal": "universal",
}
_SEQUENCES = {
    "JointModelTranslation": (pin.JointModelPX, pin.JointModelPY, pin.JointModelPZ),
    "JointModelSphericalZYX": (pin.JointModelRZ, pin.JointModelRY, pin.JointModelRX),
}
_MIMIC = "JointModelMimic"
_NO_SLIDE = 1e-12  # of a unit screw


@dataclass(frozen=True)
class JointChain:
    """n joints and their n links; link i is the child of joint i, which is number i+1 of `tree`."""

    tree: Any  # pin.Model of single joints
    names: tuple[str, ...]  # (n,) of the links
    origins: tuple[int, ...]  # (n,) the joint of the original model whose body the link is; 0: none
    kinds: tuple[str, ...]  # (n,)
    rates: Array  # (n,) motion of a mimic joint for one unit of its primary's; 1 for the others
    primaries: tuple[int, ...]  # (n,) of a mimic joint the first velocity of its primary; -1 for the others
    data: Any  # pin.Data of `tree`, with the kinematics of the last call

    @property
    def parents(self) -> tuple[int, ...]:
        """Parent link of each joint, (n,); -1 for the world."""
        return tuple(parent - 1 for parent in self.tree.parents.tolist()[1:])

    def place(self, q: Array) -> Array:
        """Poses of the links in the world at a position (nq,), (n, 4, 4)."""
        pin.forwardKinematics(self.tree, self.data, q)
        return np.array([pose.homogeneous for pose in self.data.oMi[1:]]).reshape(-1, 4, 4)

    def place_moving(self, q: Array, v: Array) -> tuple[Array, Array]:
        """Poses of the links at a position (nq,) and a velocity (nv,), and the rates H ν~ of these poses, (n, 4, 4).

        ν = (v, ω) is Pinocchio's spatial velocity of a link in its own axes, and ν~ = [ω~ v; 0 0].
        """
        pin.forwardKinematics(self.tree, self.data, q, v)
        poses = np.array([pose.homogeneous for pose in self.data.oMi[1:]]).reshape(-1, 4, 4)
        twists = np.array([velocity.vector for velocity in self.data.v[1:]]).reshape(-1, 6)
        own = np.zeros_like(poses)
        own[:, :3, :3], own[:, :3, 3] = spatial.skew(twists[:, 3:]), twists[:, :3]
        return poses, poses @ own

    def limits(self) -> Array:
        """Lowest and highest position of the freedoms, (nv, 2) [rad or m]; -inf and inf without, or with charts."""
        result = np.tile([-np.inf, np.inf], (self.tree.nv, 1))
        for joint, primary in zip(self.tree.joints[1:], self.primaries, strict=True):
            if joint.nq == joint.nv and primary < 0:  # others count by cosines and sines, or quaternions
                at, rows = slice(joint.idx_q, joint.idx_q + joint.nq), slice(joint.idx_v, joint.idx_v + joint.nv)
                result[rows, 0] = self.tree.lowerPositionLimit[at]
                result[rows, 1] = self.tree.upperPositionLimit[at]
        return result

    @property
    def single(self) -> Array:
        """Which freedoms turn or slide a joint along one axis each, (nv,)."""
        result = np.zeros(self.tree.nv, dtype=np.bool_)
        for joint in self.tree.joints[1:]:
            result[joint.idx_v : joint.idx_v + joint.nv] = joint.nv == 1 or joint.nq == joint.nv
        return result

    def joints(self, q: Array) -> tuple[tuple[CoupledJoint, ...], tuple[CoupledJoint, ...]]:
        """The joints at a position (nq,), and those that mimic them."""
        poses = self.place(q)
        entries = [(mimicked, self._joint(link, poses[link])) for link, mimicked in enumerate(self.primaries)]
        own = tuple(joint for mimicked, joint in entries if mimicked < 0)
        return own, tuple(joint for mimicked, joint in entries if mimicked >= 0)

    def beside_unit(self, q: Array) -> str:
        """The joint whose quaternion, or cosine and sine, is farthest from length one at a position (nq,)."""
        errors = {}
        for joint, name, kind in zip(self.tree.joints[1:], self.tree.names[1:], self.kinds, strict=True):
            size = 4 if kind in ("free", "spherical") else 2
            if joint.nq == joint.nv + 1:
                errors[name] = abs(np.linalg.norm(q[joint.idx_q + joint.nq - size : joint.idx_q + joint.nq]) - 1.0)
        return max(errors, key=lambda name: errors[name])

    def _joint(self, link: int, pose: Array) -> CoupledJoint:
        name, kind, parent = self.tree.names[link + 1], self.kinds[link], self.parents[link]
        before = self.data.oMi[parent + 1].rotation @ self.tree.jointPlacements[link + 1].rotation
        joint = self.tree.joints[link + 1]
        if kind in ("free", "spherical"):
            return CoupledJoint(name, kind, parent, link, pose[:3, 3])
        if kind == "planar":
            return CoupledJoint(name, kind, parent, link, pose[:3, 3], before[:, 2], before[:, 0])
        if kind == "universal":
            own = joint.extract()
            first, second = before @ own.axis1, pose[:3, :3] @ own.axis2
            return CoupledJoint(name, kind, parent, link, pose[:3, 3], first, second)
        slide, turn = _screw(self.data.joints[link + 1])
        axis = turn if kind != "prismatic" else slide
        return CoupledJoint(name, kind, parent, link, pose[:3, 3], pose[:3, :3] @ axis, pitch=float(slide @ turn))


def make_chain(model: pin.Model) -> JointChain:
    """The links of a model.

    Raises:
        UnsupportedError: A joint is of a kind that the articulation does not have, such as an ellipsoid.
    """
    tree, origins = _single_joints(model)
    data = tree.createData()
    pin.forwardKinematics(tree, data, pin.neutral(tree))
    bodies = _body_names(model)
    count = [origins[: link + 1].count(0) for link in range(len(origins))]
    owners = [next(o for o in origins[link:] if o) for link in range(len(origins))]
    names = [bodies[o] if o else f"{bodies[owners[link]]}/{count[link]}" for link, o in enumerate(origins)]
    mimics = dict(zip(tree.mimicking_joints, tree.mimicked_joints, strict=True))
    motions = [_motion(tree, data, joint) if joint in mimics else 1.0 for joint in range(1, tree.njoints)]
    return JointChain(
        tree=tree,
        names=tuple(names),
        origins=origins,
        kinds=tuple(_kind(tree, data, joint) for joint in range(1, tree.njoints)),
        rates=np.array(motions),
        primaries=tuple(tree.joints[mimics[j]].idx_v if j in mimics else -1 for j in range(1, tree.njoints)),
        data=data,
    )


def _single_joints(model: pin.Model) -> tuple[pin.Model, tuple[int, ...]]:
    """A model without sequences of joints, and of which joint of the original each of its links is the body."""
    parts = [list(_parts(model.joints[joint], pin.SE3.Identity())) for joint in range(1, model.njoints)]
    if all(len(part) == 1 for part in parts):
        return model, tuple(range(1, model.njoints))
    if len(model.mimicking_joints):
        name = model.names[model.mimicking_joints[0]]
        raise UnsupportedError(
            f"joint '{name}' mimics another one, in a model with composite joints; make single joints of those"
        )
    tree, last, origins = pin.Model(), [0], list[int]()
    for joint, part in enumerate(parts, start=1):
        at, before = last[model.parents[joint]], model.jointPlacements[joint]
        for number, (placement, single) in enumerate(part, start=1):
            name = model.names[joint] if len(part) == 1 else f"{model.names[joint]}/{number}"
            at, before = tree.addJoint(at, single, before * placement, name), pin.SE3.Identity()
            origins.append(joint if number == len(part) else 0)
        last.append(at)
    return tree, tuple(origins)


def _parts(joint: Any, placement: pin.SE3) -> Iterator[tuple[pin.SE3, Any]]:
    """The single joints of a joint, each with its placement after the one before it."""
    kind = joint.shortname()
    if kind == "JointModelComposite":
        own = joint.extract()
        for first, (part, place) in enumerate(zip(own.joints, own.jointPlacements, strict=True)):
            yield from _parts(part, place if first else placement * place)
    elif kind in _SEQUENCES:
        for first, part in enumerate(_SEQUENCES[kind]):
            yield pin.SE3.Identity() if first else placement, part()
    else:
        yield placement, joint


def _kind(tree: pin.Model, data: Any, number: int) -> str:
    joint = tree.joints[number]
    name = joint.shortname()
    if name in _KINDS:
        return _KINDS[name]
    if joint.nv == 1 or name == _MIMIC:
        slide, turn = _screw(data.joints[number])
        if not turn.any():
            return "prismatic"
        return "helical" if np.linalg.norm(slide) > _NO_SLIDE else "revolute"
    raise UnsupportedError(
        f"joint '{tree.names[number]}' is of kind {name.removeprefix('JointModel')}; an articulation has revolute, "
        "prismatic, helical, universal, spherical, planar and free joints, and composite ones of them"
    )


def _screw(joint_data: Any) -> tuple[Array, Array]:
    """Slide and turn of a joint with one freedom, in the link's axes, (3,) each; the longer one a unit vector."""
    S = np.asarray(joint_data.S, dtype=float).ravel()
    slide, turn = np.split(S / _length(S), 2)
    return slide, turn


def _motion(tree: pin.Model, data: Any, number: int) -> float:
    """How far a mimic joint moves along its own axis for one unit of its primary."""
    rate = _length(np.asarray(data.joints[number].S, dtype=float).ravel())
    if rate == 0.0:
        name = tree.names[number]
        raise UnsupportedError(f"joint '{name}' mimics another one by a factor of 0; make it a fixed joint")
    return rate


def _length(S: Array) -> float:
    """That of the turn, or of the slide of a joint that does not turn."""
    slide, turn = np.split(S, 2)
    return float(np.linalg.norm(turn) or np.linalg.norm(slide))


def _body_names(model: pin.Model) -> Sequence[str]:
    """A name for the body of each joint: that of its first frame of a body, else the joint's."""
    names = list(model.names)
    for frame in reversed(model.frames):
        if frame.type == pin.FrameType.BODY and frame.parentJoint:
            names[frame.parentJoint] = frame.name
    return names
