"""Construction of a model: links joined rigidly become bodies, and joints become nodes of the tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from ipc_articulation import spatial
from ipc_articulation.arrays import Array
from ipc_articulation.dynamics.joints import FixedJoint
from ipc_articulation.dynamics.joints.elements import Element, Rotation, Screw, Translation
from ipc_articulation.dynamics.kernels.tree import NODE, ROTATION, SCREW, TRANSLATION
from ipc_articulation.dynamics.loops.closure import Closure
from ipc_articulation.dynamics.loops.layout import SpanningJoints
from ipc_articulation.dynamics.model.body import Body
from ipc_articulation.dynamics.model.coordinates import stacked
from ipc_articulation.dynamics.model.inertia import Inertia, checked, unphysical
from ipc_articulation.dynamics.model.mimic import followers, on_leaders
from ipc_articulation.dynamics.model.model import Model, freeze
from ipc_articulation.dynamics.model.parts import WORLD, FixedFrame, Link, PlacedJoint
from ipc_articulation.dynamics.model.rigid import rigid
from ipc_articulation.dynamics.model.shapes import Shape
from ipc_articulation.dynamics.model.shapes_of_arrays import shapes_of_arrays
from ipc_articulation.errors import ModelError
from ipc_articulation.naming import suggest
from ipc_articulation.repairs import caution


@dataclass
class _Place:
    """The place of a link: its body, the node that carries it, and its pose in the node's frame."""

    body: int
    node: int
    pose: Array  # (4, 4)


@dataclass
class _BodyParts:
    """A body while links are still added to it."""

    joint: PlacedJoint
    parent: int
    place: _Place  # the place of the link that the joint moves
    inertia: Inertia = field(default_factory=Inertia.none)  # in the body's frame
    links: list[str] = field(default_factory=list)
    collision: list[Shape] = field(default_factory=list)
    visual: list[Shape] = field(default_factory=list)


class TreeBuilder:
    """The tree while joints are added, parents first."""

    def __init__(self, links: Sequence[Link], where: str) -> None:
        self.where, self.links = where, {link.name: link for link in links}
        self.places = {WORLD: _Place(-1, -1, np.eye(4))}
        self.bodies: list[_BodyParts] = []
        self.nodes: list[NDArray] = []
        self.complaints: dict[str, str] = {}
        self.ground: int | None = None  # index of the body of all links fixed to the world
        self.nq = self.nv = 0

    def add(self, joint: PlacedJoint) -> None:
        """Place a joint's child."""
        where = f"{self.where}: joint '{joint.name}'"
        parent = self.places[joint.parent]
        frame = parent.pose @ rigid(joint.origin, where)
        node = parent.node
        for element in joint.joint.elements:
            node, frame = self._add_node(node, frame, element)
        pose = frame @ rigid(joint.child_origin, where)
        body = parent.body
        if joint.joint.ndof or body < 0:
            body = self._new_body(joint, parent, _Place(-1, node, pose))
        self.places[joint.child] = _Place(body, node, pose)
        self._add_link(self.links[joint.child], body, pose)

    def _new_body(self, joint: PlacedJoint, parent: _Place, place: _Place) -> int:
        """Add a body. All links fixed to the world belong to one body. Returns: its index."""
        if place.node < 0 and self.ground is not None:
            return self.ground
        self.bodies.append(_BodyParts(joint, parent.body, place))
        if place.node >= 0:
            self.nodes[place.node]["body"] = len(self.bodies) - 1
        else:
            self.ground = len(self.bodies) - 1
        return len(self.bodies) - 1

    def _add_node(self, parent: int, frame: Array, element: Element) -> tuple[int, Array]:
        """Add a node for an element whose frame is `frame` in the parent node.

        Returns:
            The node's index, and the pose of the moving frame in the node.
        """
        Z = spatial.rotation_to(element.axis) if isinstance(element, Screw) else np.eye(3)
        record = np.zeros((), dtype=NODE)
        record["parent"], record["body"] = parent, -1
        record["q"], record["nq"], record["v"], record["nv"] = self.nq, element.nq, self.nv, element.ndof
        record["R"], record["p"] = frame[:3, :3] @ Z, frame[:3, 3]
        if isinstance(element, Screw):
            record["kind"], record["turn"], record["slide"] = SCREW, element.turn, element.slide
        else:
            record["kind"] = {Translation: TRANSLATION, Rotation: ROTATION}[type(element)]
        self.nodes.append(record)
        self.nq, self.nv = self.nq + element.nq, self.nv + element.ndof
        return len(self.nodes) - 1, spatial.pose(Z.T)

    def _add_link(self, link: Link, body: int, pose: Array) -> None:
        parts = self.bodies[body]
        H = spatial.inverse(parts.place.pose) @ pose
        own = checked(link, f"{self.where}: link '{link.name}'")
        parts.inertia = parts.inertia + own.moved(H)
        if complaint := unphysical(own):
            self.complaints[link.name] = complaint
        parts.links.append(link.name)
        parts.collision += [replace(shape, pose=H @ shape.pose) for shape in link.collision]
        parts.visual += [replace(shape, pose=H @ shape.pose) for shape in link.visual]

    def check_masses(self) -> None:
        """Refuse a joint that moves nothing: the mass matrix would be singular."""
        mass = np.array([parts.inertia.mass for parts in self.bodies])
        for i in reversed(range(len(self.bodies))):
            parts = self.bodies[i]
            if parts.joint.joint.ndof and mass[i] == 0.0 and not np.any(parts.joint.rotor_inertia):
                raise ModelError(
                    f"{self.where}: joint '{parts.joint.name}' moves no mass; give link '{parts.joint.child}' or a "
                    "descendant of it a mass, or make the joint fixed"
                )
            if parts.parent >= 0:
                mass[parts.parent] += mass[i]

    def check_inertias(self, what_to_do: str) -> None:
        """Refuse moving bodies with impossible moments of inertia, and warn of links with such."""
        for parts in self.bodies:
            complaint = unphysical(parts.inertia) if parts.place.node >= 0 else None
            if complaint and what_to_do == "refuse":
                links = " with ".join(f"'{name}'" for name in parts.links)
                raise ModelError(f"{self.where}: link {links}: {complaint}; build(unphysical='warn') takes it as it is")
        for name, complaint in self.complaints.items():
            caution(f"{self.where}: link '{name}': {complaint}")


def model_of(
    growth: TreeBuilder, name: str, gravity: Array, joints: Sequence[PlacedJoint], frames: Sequence[FixedFrame]
) -> Model:
    """The model of a tree to which all joints were added.

    Args:
        growth: The tree.
        name: Name of the model.
        gravity: (3,) [m/s²].
        joints: All joints, including fixed ones.
        frames: Frames in addition to those of links.

    Raises:
        ModelError: Nothing moves, or the properties of a joint or frame are wrong.
    """
    where = growth.where
    placed = [parts.joint if parts.joint.joint.ndof else _base(parts.joint) for parts in growth.bodies]
    coordinates = stacked(placed, where)
    if not growth.nodes:
        raise ModelError(f"{where}: nothing moves; a model needs a joint that is not fixed")
    tree = np.array(growth.nodes, dtype=NODE)
    tree["gravity"] = gravity
    for parts in growth.bodies:
        _weigh(tree, parts)
    for node in tree:
        node["rotor"][: node["nv"]] = coordinates.rotor_inertia[node["v"] : node["v"] + node["nv"]]
    body_q = np.cumsum([0, *(joint.joint.nq for joint in placed)])
    body_v = np.cumsum([0, *(joint.joint.ndof for joint in placed)])
    names, places, aliases = _frames(growth, joints, frames)
    mimics = followers(placed, body_q, body_v, where)
    owners = [joint.name for joint in placed for _ in range(joint.joint.ndof)]
    model = Model(
        name=name,
        gravity=gravity,
        bodies=tuple(_body(parts, joint) for parts, joint in zip(growth.bodies, placed, strict=True)),
        frame_names=names,
        frame_body=np.array([place.body for place in places], dtype=np.int64),
        frame_node=np.array([place.node for place in places], dtype=np.int64),
        frame_pose=np.array([place.pose for place in places]).reshape(-1, 4, 4),
        body_node=np.array([parts.place.node for parts in growth.bodies], dtype=np.int64),
        body_frame=np.array([aliases[parts.links[0]] for parts in growth.bodies], dtype=np.int64),
        body_q=body_q,
        body_v=body_v,
        tree=tree,
        coordinates=on_leaders(coordinates, mimics, owners, where),
        followers=mimics,
        aliases=MappingProxyType(aliases),
        shapes=shapes_of_arrays(growth.nq, growth.nv, len(placed), len(names)),
        closure=Closure(name, tree, SpanningJoints(tuple(joint.name for joint in placed), body_q, body_v)),
    )
    freeze(model)
    return model


def _base(joint: PlacedJoint) -> PlacedJoint:
    return PlacedJoint(joint.name, FixedJoint(), joint.parent, joint.child)


def _weigh(tree: NDArray, parts: _BodyParts) -> None:
    """Set the mass properties of the node that carries a body."""
    if parts.place.node < 0:
        return
    inertia = parts.inertia.moved(parts.place.pose)
    record = tree[parts.place.node]
    record["mass"], record["centre"], record["inertia"] = inertia.mass, inertia.centre, inertia.tensor


def _body(parts: _BodyParts, joint: PlacedJoint) -> Body:
    inertia = parts.inertia
    return Body(
        name=parts.links[0],
        joint_name=joint.name,
        joint=joint.joint,
        parent=parts.parent,
        links=tuple(parts.links),
        mass=inertia.mass,
        centre=inertia.centre,
        inertia=inertia.tensor,
        collision=tuple(parts.collision),
        visual=tuple(parts.visual),
    )


def _frames(
    growth: TreeBuilder, joints: Sequence[PlacedJoint], frames: Sequence[FixedFrame]
) -> tuple[tuple[str, ...], list[_Place], dict[str, int]]:
    """Frames of all links and fixed frames; the name of a joint is an alias of its child's frame."""
    where, names = growth.where, list(growth.links)
    places = [growth.places[name] for name in names]
    for frame in frames:
        if frame.link not in growth.places:
            raise ModelError(
                f"{where}: frame '{frame.name}': no link '{frame.link}'{suggest(frame.link, growth.places)}"
            )
        if frame.name in names:
            raise ModelError(f"{where}: frame '{frame.name}' has the name of a link")
        host = growth.places[frame.link]
        pose = host.pose @ rigid(frame.pose, f"{where}: frame '{frame.name}'")
        places.append(_Place(host.body, host.node, pose))
        names.append(frame.name)
    aliases = {joint.name: names.index(joint.child) for joint in joints}
    aliases.update({name: i for i, name in enumerate(names)})
    return tuple(names), places, aliases
