"""Musculoskeletal models from OpenSim files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from ipc_articulation.arguments import FLAG, checked
from ipc_articulation.arrays import Array
from ipc_articulation.dynamics.model.mechanism import Mechanism
from ipc_articulation.dynamics.model.parts import WORLD, FixedFrame, Link
from ipc_articulation.dynamics.reading.node import TEXT, XmlNode
from ipc_articulation.dynamics.reading.osim.axes import axes_of
from ipc_articulation.dynamics.reading.osim.bodies import read_body, read_markers
from ipc_articulation.dynamics.reading.osim.chain import Cluster, add_joint_chain, clusters_of, of_independent
from ipc_articulation.dynamics.reading.osim.contents import numbers_in, text_in
from ipc_articulation.dynamics.reading.osim.coordinates import (
    Coordinate,
    locked_by_dependent,
    read_coordinate,
    read_couplings,
)
from ipc_articulation.dynamics.reading.osim.document import (
    JointElement,
    bodies_in,
    frames_in,
    joints_in_bodies,
    joints_in_set,
    link_of,
    model_in,
    place_of,
)
from ipc_articulation.dynamics.reading.osim.unread import warn_of_unread
from ipc_articulation.errors import ModelError
from ipc_articulation.naming import distinct
from ipc_articulation.packages import unpacked

EARTH = (0.0, -9.80665, 0.0)  # [m/s²], the default of a file without gravity


@dataclass(frozen=True)
class OsimModel:
    """A mechanism of joints with one degree of freedom each, and its coordinates.

    The positions of joints in a cluster are the cluster's functions. Every other moving joint has the name of the
    coordinate that is its position.
    """

    mechanism: Mechanism  # its loops are the clusters
    clusters: tuple[Cluster, ...]
    coordinates: tuple[Coordinate, ...]  # the independent ones, in the file's order
    segments: Mapping[
        str, Array
    ]  # by link: points (k, 3) of its own joint and of its children's joints, in the link's frame [m]


@checked(ModelError, couplers=FLAG)
def read_osim(path_or_text: str | Path, *, couplers: bool = True) -> OsimModel:
    """Read a model of version 2.3 to 3, or of version 4.

    The function reads bodies, joints, coordinates, frames, markers (as frames), gravity and
    `CoordinateCouplerConstraint`s. A warning names what else has a meaning for motion: other constraints, prescribed
    motions and speeds, muscles and other forces, controllers. In most files y is up, and gravity is along -y.

    In many models the feet have physically impossible moments of inertia: use `mechanism.build(unphysical="warn")`.

    Args:
        path_or_text: A file, also `package://name/path` of an installed package, or XML that begins with «<».
        couplers: Keep the bodies that move by coordinates which a constraint makes functions of others. Without these
            bodies, a model with two knees is the same as in nimblephysics, which leaves out patellae.

    Raises:
        ModelError: The file is wrong; the message names the line, and what would be valid.
    """
    path_or_text = unpacked(path_or_text)
    model, is_version_4 = model_in(path_or_text)
    warn_of_unread(model, is_version_4)
    bodies = bodies_in(model)
    joints = joints_in_set(model, frames_in(model)) if is_version_4 else joints_in_bodies(bodies)
    _check_joints(joints, bodies)
    coordinates = _coordinates(joints)
    couplings = read_couplings(model, coordinates, is_version_4)
    if couplers:
        coordinates = locked_by_dependent(coordinates, couplings)
    else:
        joints = _without(joints, {coordinates[name].joint for name in couplings})
    kept = [joint.name for joint in joints]
    independent = {c.name: c for c in coordinates.values() if c.joint in kept and c.name not in couplings}
    mechanism = _mechanism(path_or_text, model)
    mechanism.defaults = {name: coordinate.default for name, coordinate in independent.items()}
    mechanism.links = [read_body(joint.child, bodies[joint.child]) for joint in joints]
    mechanism.frames = _markers(model, bodies, is_version_4, mechanism.links)
    groups = []
    for joint in joints:
        own = [coordinate.name for coordinate in coordinates.values() if coordinate.joint == joint.name]
        axes = [of_independent(axis, couplings) for axis in axes_of(joint, own)]
        groups.append(add_joint_chain(mechanism, joint, axes, independent))
    clusters = clusters_of(groups, list(independent))
    mechanism.loops = [(cluster.joints, cluster.constraint) for cluster in clusters]
    return OsimModel(mechanism, clusters, tuple(independent.values()), _segments(joints))


def _mechanism(path_or_text: str | Path, model: XmlNode) -> Mechanism:
    file = None if model.file == TEXT else Path(path_or_text)
    return Mechanism(model.element.get("name", "model"), file=file, gravity=gravity_in(model))


def gravity_in(model: XmlNode) -> Array:
    """The gravity of a `<Model>`, (3,) [m/s²]."""
    return numbers_in(model, "gravity", 3, EARTH)


def _segments(joints: Sequence[JointElement]) -> dict[str, Array]:
    """For each link, the points of its own joint and of its children's joints, (k, 3) in its frame."""
    points = {joint.child: [joint.child_pose[:3, 3]] for joint in joints}
    for joint in joints:
        if joint.parent != WORLD:
            points[joint.parent].append(joint.parent_pose[:3, 3])
    return {link: np.array(of_link) for link, of_link in points.items()}


def _check_joints(joints: list[JointElement], bodies: Mapping[str, XmlNode]) -> None:
    """Check that joints' names are unique, and that each body is the child of one joint."""
    names: set[str] = set()
    holder: dict[str, str] = {}
    for joint in joints:
        if joint.name in names:
            raise joint.node.error("another joint has the same name; give each its own")
        if joint.child in holder:
            raise joint.node.error(f"body '{joint.child}' is the child of joint '{holder[joint.child]}' too")
        names.add(joint.name)
        holder[joint.child] = joint.name
    for name, body in bodies.items():
        if name not in holder:
            raise body.error("is the child of no joint; give it one, a FreeJoint if it moves freely")


def _coordinates(joints: list[JointElement]) -> dict[str, Coordinate]:
    """All coordinates, by name."""
    found: dict[str, Coordinate] = {}
    for joint in joints:
        for node in joint.coordinates:
            coordinate = read_coordinate(node, joint.name)
            if coordinate.name in found:
                other = found[coordinate.name].joint
                raise joint.node.error(
                    f"joint '{other}' has a coordinate '{coordinate.name}' too; give each its own name"
                )
            found[coordinate.name] = coordinate
    return found


def _without(joints: list[JointElement], names: set[str]) -> list[JointElement]:
    """The joints except those with these names, whose children must have no further children."""
    gone = {joint.child for joint in joints if joint.name in names}
    kept = [joint for joint in joints if joint.child not in gone]
    for joint in kept:
        if joint.parent in gone:
            raise joint.node.error(
                f"its parent, body '{joint.parent}', is left out by couplers=False; set couplers=True"
            )
    return kept


def _markers(model: XmlNode, bodies: Mapping[str, XmlNode], is_version_4: bool, links: list[Link]) -> list[FixedFrame]:
    """The markers on links that exist, with numbers if they have the name of a link or of each other."""
    if is_version_4:
        frames = frames_in(model)
        markers = read_markers(model, lambda node: place_of(node, "socket_parent_frame", frames))
    else:
        markers = read_markers(model, lambda node: (link_of(text_in(node, "body"), bodies, node), np.eye(4)))
    there = {WORLD, *(link.name for link in links)}
    kept = [marker for marker in markers if marker.link in there]
    names = distinct([marker.name for marker in kept], there)
    return [replace(marker, name=name) for marker, name in zip(kept, names, strict=True)]
