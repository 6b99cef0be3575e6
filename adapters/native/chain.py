"""The links of an articulation: one for every motion in a model's tree that is a joint of the scene.

A model's joint is a chain of nodes (`dynamics/kernels/tree.py`). In the scene

    a turn about the z axis of its node, a slide along it, or both at once   is a revolute, prismatic or helical joint,
    a rotation                                                               a spherical one,
    a translation with the rotation after it                                 a free one,

and each moves a link. The last link of a model's joint carries the body, and has the body's frame. The links before it,
as between the screws of a universal or cylindrical joint, carry no body, and have their node's frame.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ipc_articulation import spatial
from ipc_articulation.arrays import Array, Ints
from ipc_articulation.dynamics.algorithms.kinematics import frame_poses, frame_velocities
from ipc_articulation.dynamics.kernels.tree import ROTATION, SCREW, TRANSLATION
from ipc_articulation.dynamics.model import Model
from ipc_articulation.errors import UnsupportedError
from ipc_articulation.naming import free_name

Kind = Literal["revolute", "prismatic", "helical", "spherical", "free"]


class Motion(NamedTuple):
    """A joint of the scene: the nodes first … last of one joint of the model."""

    first: int
    last: int
    kind: Kind


@dataclass(frozen=True)
class LinkChain:
    """m joints and their m links, in the order of the model's degrees of freedom."""

    model: Model
    motions: tuple[Motion, ...]
    names: tuple[str, ...]  # of the links
    joints: tuple[str, ...]  # names of the joints
    parents: tuple[int, ...]  # parent link of each joint, -1 for the world
    bodies: tuple[int, ...]  # body of each link in the model, -1 for massless links within a joint
    from_link: Array  # (m, 4, 4) each link's frame in its last node's frame
    linked: Model  # the model with the links for its frames
    of_dof: Ints  # (nv,) link that each degree of freedom of the tree moves
    position: Ints  # (nv,) position coordinate of each degree of freedom, -1 for those of a rotation

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """Kinds of the joints."""
        return tuple(motion.kind for motion in self.motions)

    @property
    def pitches(self) -> Array:
        """Slides per angle of the helical joints, zero for others, (m,) [m/rad]."""
        nodes = self.model.tree[[motion.last for motion in self.motions]]
        return np.where(nodes["turn"] == 1.0, nodes["slide"], 0.0)

    def link_poses(self, q: ArrayLike) -> Array:
        """Poses of the links in the world at a position (nq,), (m, 4, 4).

        Raises:
            StateError: A wrong length, a number that is not finite.
        """
        return frame_poses(self.linked, q)

    def link_velocities(self, q: ArrayLike, v: ArrayLike) -> Array:
        """Velocities [ω; ẋ] of the links and their origins in world axes at q and v (m,), (m, 6) [rad/s; m/s]."""
        return frame_velocities(self.linked, q, v)

    def axes(self, link_poses: Array) -> tuple[Array, Array]:
        """The centre or a point on the axis of each joint, (m, 3) [m], and the axis, (m, 3) unit, in the world."""
        nodes = link_poses @ spatial.inverse(self.from_link)
        return nodes[:, :3, 3], nodes[:, :3, 2]


def make_chain(model: Model) -> LinkChain:
    """The links of a tree.

    Raises:
        UnsupportedError: A joint is not made of turns, slides, screws, rotations and free motions.
    """
    tree, owners = model.tree, _owners(model)
    motions = tuple(_motions(model, owners))
    last = [motion.last for motion in motions]
    bodies = tuple(int(body) for body in tree["body"][last])
    names = tuple(_link_name(model, motion, owners[motion.first]) for motion in motions)
    from_link = np.array([np.eye(4) if b < 0 else model.frame_pose[model.body_frame[b]] for b in bodies])
    link_of_node = np.repeat(np.arange(len(motions)), [motion.last - motion.first + 1 for motion in motions])
    return LinkChain(
        model=model,
        motions=motions,
        names=names,
        joints=tuple(_joint_name(model, motion, owners[motion.first]) for motion in motions),
        parents=tuple(-1 if (node := tree["parent"][m.first]) < 0 else int(link_of_node[node]) for m in motions),
        bodies=bodies,
        from_link=from_link,
        linked=replace(
            model,
            frame_names=names,
            frame_body=tree["body"][last],
            frame_node=np.array(last),
            frame_pose=from_link,
            aliases=MappingProxyType({}),
        ),
        of_dof=np.repeat(link_of_node, tree["nv"]),
        position=model.place,
    )


def _owners(model: Model) -> Ints:
    """Body whose joint each node belongs to, (nodes,)."""
    return np.searchsorted(model.body_v, model.tree["v"], side="right") - 1


def _motions(model: Model, owners: Ints) -> Iterator[Motion]:
    node, tree = 0, model.tree
    while node < len(tree):
        last = node + int(_floats(tree, owners, node))
        kind = "free" if last > node else _kind(tree[node])
        if kind is None:
            raise UnsupportedError(_complaint(model, int(owners[node])))
        yield Motion(node, last, kind)
        node = last + 1


def _floats(tree: Any, owners: Ints, node: int) -> bool:
    """Whether a node is a translation, and the next one the rotation after it in the same joint."""
    if tree["kind"][node] != TRANSLATION or node + 1 == len(tree):
        return False
    return bool(tree["kind"][node + 1] == ROTATION and owners[node + 1] == owners[node])


def _kind(node: Any) -> Kind | None:
    """The kind of a node's motion on its own; None where a scene has no such joint."""
    if node["kind"] != SCREW:
        return "spherical" if node["kind"] == ROTATION else None
    if node["turn"] == 1.0:
        return "helical" if node["slide"] else "revolute"
    return "prismatic" if (node["turn"], node["slide"]) == (0.0, 1.0) else None


def _complaint(model: Model, owner: int) -> str:
    body = model.bodies[owner]
    return (
        f"joint '{body.joint_name}' of body '{body.name}' is a {type(body.joint).__name__}; revolute, prismatic, "
        "helical, spherical and floating joints can be coupled, and joints made of them (universal, cylindrical, "
        "planar, Cardan)"
    )


def _link_name(model: Model, motion: Motion, owner: int) -> str:
    name, last = model.bodies[owner].name, model.tree[motion.last]
    if last["body"] >= 0:
        return name
    return free_name(f"{name}/{last['v'] - model.body_v[owner]}", model.body_names.__contains__)


def _joint_name(model: Model, motion: Motion, owner: int) -> str:
    """The model's name of the degree of freedom, or of the joint if all its freedoms are this motion's."""
    first, last = model.tree[motion.first], model.tree[motion.last]
    whole = last["v"] + last["nv"] - first["v"] == model.body_v[owner + 1] - model.body_v[owner]
    return model.bodies[owner].joint_name if whole else model.dof_names[first["v"]]
