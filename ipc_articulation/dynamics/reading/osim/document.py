"""The two forms of OpenSim files: in version 3 joints are in bodies, in version 4 there are sets of both."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from copy import deepcopy
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from posixpath import join, normpath

import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.dynamics.model.parts import WORLD
from ipc_articulation.dynamics.reading.node import XmlNode, by_name, parse
from ipc_articulation.dynamics.reading.osim.contents import flag_in, objects_in, parts_in, pose_in, text_in
from ipc_articulation.naming import suggest

Place = tuple[str, Array]  # a link, and a pose (4, 4) in its frame

GROUND = "ground"
_OUTERMOST, _NOT_IN_PATHS = ("Model", "OpenSimDocument"), ("components", "frames", "objects")
OLDEST, NOT_ANY_MORE, NEW_FORM = 20302, 30500, 40000  # versions between the last two are drafts of 4.0


@dataclass(frozen=True)
class JointElement:
    """A joint of OpenSim, where the child's pose in the parent is parent_pose · motion · child_pose⁻¹."""

    node: XmlNode
    name: str
    parent: str  # links
    child: str
    parent_pose: Array  # (4, 4) joint frame in the parent's frame
    child_pose: Array  # (4, 4) moved joint frame in the child's frame
    coordinates: list[XmlNode]


def model_in(path_or_text: str | Path) -> tuple[XmlNode, bool]:
    """The `<Model>` of a file, and whether it is of version 4.

    Raises:
        ModelError: The file cannot be read, or has another kind or version.
    """
    document = parse(path_or_text, "an OpenSim file")
    if document.tag != "OpenSimDocument":
        raise document.error(f"the outermost element is <{document.tag}>; that of an OpenSim file is <OpenSimDocument>")
    version = int(document.number("Version"))
    if not (OLDEST <= version < NOT_ANY_MORE or version >= NEW_FORM):
        raise document.error(
            f"version {version} is not read; {OLDEST} to {NOT_ANY_MORE - 1} and {NEW_FORM} or more are: "
            "OpenSim saves what it opens in its own version"
        )
    model = document.required("Model")
    _fill_defaults(model)
    return model, version >= NEW_FORM


def _fill_defaults(model: XmlNode) -> None:
    """Give elements what they lack of the element with their tag in `<defaults>`, which is removed."""
    defaults = model.child("defaults")
    if defaults is None:
        return
    model.element.remove(defaults.element)
    for default in defaults.children():
        for node in model.descendants(default.tag):
            given = {child.tag for child in node.children()}
            node.element.extend(deepcopy(child.element) for child in default.children() if child.tag not in given)


def bodies_in(model: XmlNode) -> dict[str, XmlNode]:
    """All `<Body>` elements but ground's, by name.

    Raises:
        ModelError: Two have the same name.
    """
    found = by_name(parts_in(model, "Body"), "body")
    found.pop(GROUND, None)
    return found


def joints_in_bodies(bodies: Mapping[str, XmlNode]) -> list[JointElement]:
    """Joints of version 3, each in its child body.

    Raises:
        ModelError: A body has no joint, or an unknown parent.
    """
    return [_joint_in_body(name, body, bodies) for name, body in bodies.items()]


def _joint_in_body(child: str, body: XmlNode, bodies: Collection[str]) -> JointElement:
    given = body.required("Joint").children()
    if len(given) != 1:
        raise body.error(f"has {len(given)} joints; give one")
    name, node = given[0].named("joint")
    if flag_in(node, "reverse", False):
        raise node.error("a reversed joint, whose motion is that of the parent in the child, is not read")
    return JointElement(
        node,
        name,
        link_of(text_in(node, "parent_body"), bodies, node),
        child,
        pose_in(node, "location_in_parent", "orientation_in_parent"),
        pose_in(node, "location", "orientation"),
        objects_in(node, "CoordinateSet"),
    )


def joints_in_set(model: XmlNode, frames: Mapping[str, XmlNode]) -> list[JointElement]:
    """Joints of version 4, between frames fixed to bodies.

    Raises:
        ModelError: A frame is unknown, or ground is a child.
    """
    return [_joint_in_set(node, frames) for node in parts_in(model, "Joint")]


def _joint_in_set(node: XmlNode, frames: Mapping[str, XmlNode]) -> JointElement:
    name, node = node.named("joint")
    parent, parent_pose = place_of(node, "socket_parent_frame", frames)
    child, child_pose = place_of(node, "socket_child_frame", frames)
    if child == WORLD:
        raise node.error("its child is the ground; exchange parent and child")
    coordinates = node.child("coordinates")
    listed = coordinates.children() if coordinates else []
    return JointElement(node, name, parent, child, parent_pose, child_pose, listed)


def frames_in(model: XmlNode) -> dict[str, XmlNode]:
    """The bodies and the frames fixed to them or to the ground, by path."""
    bodies = parts_in(model, "Body")
    holders = [model, *bodies, *parts_in(model, "Joint")]  # sets may be in other files
    frames = [frame for holder in holders for frame in holder.descendants("PhysicalOffsetFrame")]
    return {_path(node): node for node in (*bodies, *frames)}


def _path(node: XmlNode) -> str:
    """The path of an element in OpenSim 4, such as `/bodyset/femur_r`."""
    outwards = takewhile(lambda e: e.tag not in _OUTERMOST, (node.element, *node.element.iterancestors()))
    named = [e for e in outwards if e.tag not in _NOT_IN_PATHS]
    return "/" + "/".join(e.tag.lower() if e.tag.endswith("Set") else e.get("name", "") for e in reversed(named))


def place_of(node: XmlNode, socket: str, frames: Mapping[str, XmlNode], passed: tuple[str, ...] = ()) -> Place:
    """The place of the frame whose path, absolute or from an element, is in a socket of this element.

    Raises:
        ModelError: There is no such frame, or its place depends on itself.
    """
    given = text_in(node, socket)
    path = normpath(join(_path(node), given))
    if path == f"/{GROUND}":
        return WORLD, np.eye(4)
    if path not in frames:
        raise node.error(f"unknown frame '{given}'{suggest(given, [f'/{GROUND}', *frames], 'frames')}")
    if path in passed:
        raise node.error(f"frames {', '.join(map(repr, passed))} are placed in each other in a circle")
    frame = frames[path]
    if frame.tag == "Body":
        return frame.text("name"), np.eye(4)
    link, pose = place_of(frame, "socket_parent", frames, (*passed, path))
    return link, pose @ pose_in(frame, "translation", "orientation")


def link_of(body: str, bodies: Collection[str], node: XmlNode) -> str:
    """The link of a body's name in version 3.

    Raises:
        ModelError: There is no such body.
    """
    if body != GROUND and body not in bodies:
        raise node.error(f"unknown body '{body}'{suggest(body, [GROUND, *bodies], 'bodies')}")
    return WORLD if body == GROUND else body
