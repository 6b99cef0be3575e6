"""MuJoCo's specifications of URDF files: the robot as our own reader understands it, with its repairs.

MuJoCo's own reader of URDF files takes one object of several in a mesh file, meshes of one name for the same, and one
joint for a planar one; it ignores limits with one bound.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
from ipc_articulation.adapters.mujoco.shapes import name_of_file
from lxml import etree

from ipc_articulation import spatial
from ipc_articulation.arrays import Array
from ipc_articulation.coupling.mesh_files import read_mesh
from ipc_articulation.coupling.solids import PLAIN, bare, refuse_bare, touching
from ipc_articulation.dynamics.joints import FloatingJoint
from ipc_articulation.dynamics.joints.elements import Screw
from ipc_articulation.dynamics.model import Mechanism, Model, PlacedJoint
from ipc_articulation.dynamics.model.order import ordered_joints
from ipc_articulation.dynamics.model.parts import WORLD, Link
from ipc_articulation.dynamics.model.physical_inertia import WITHOUT_ROUNDING, physical_inertia
from ipc_articulation.dynamics.model.shapes import Box, Capsule, Cylinder, Geometry, MeshFile, Shape, Sphere
from ipc_articulation.dynamics.reading.node import XmlNode, by_name, numbers_of
from ipc_articulation.dynamics.reading.repairing import Surfaces, repaired
from ipc_articulation.dynamics.reading.repairing.robot import Faults
from ipc_articulation.dynamics.reading.tree import joints_below
from ipc_articulation.dynamics.reading.urdf import tree_of
from ipc_articulation.errors import MeshError, UnsupportedError
from ipc_articulation.repairs import repair

_OF_MASSES = ("boundmass", "boundinertia", "settotalmass", "inertiafromgeom")  # change masses, in MuJoCo alone
_NEUTRAL = ("false", "auto")  # as is zero, or less: then they change none
_PROPERTIES = ("damping", "stiffness", "friction", "rotor_inertia", "effort")
_UNLIMITED = 1e10  # [rad or m]; beyond it, to where MuJoCo's positions reach, there is no limit
_REMEDY = "it is left out, as with other adapters"
_TYPE, _GEOM = mujoco.mjtJoint, mujoco.mjtGeom


def read_urdf(path: Path, package_dirs: Sequence[Path], surfaces: Surfaces) -> mujoco.MjSpec:
    """The model of a URDF file, without its drawings.

    Raises:
        MeshError: None of a link's collision shapes can be read; or repairs are refused, and one mesh cannot.
        ModelError: The file is wrong beyond repair.
        UnsupportedError: A joint floats on links that move.
    """
    robot = repaired(path, package_dirs, surfaces)
    mechanism = tree_of(robot, path, floating_base=False)
    refuse_bare(mechanism.links)
    spec = _empty(robot)
    links, bodies = {link.name: link for link in mechanism.links}, {WORLD: spec.worldbody}
    moves = any(joint.joint.ndof for joint in mechanism.joints)
    ours, fixed = mechanism.build() if moves else None, {WORLD: np.eye(4)}
    for joint in ordered_joints(mechanism.links, mechanism.joints, (), None, str(path)):
        if joint.parent in fixed and not joint.joint.ndof:
            fixed[joint.child] = fixed[joint.parent] @ np.asarray(joint.origin)
        elif _floats(joint):
            if joint.parent not in fixed:
                raise _too_deep(joint, mechanism, by_name(robot.children("joint"))[joint.name].place)
            joint.parent, joint.origin = WORLD, fixed[joint.parent] @ np.asarray(joint.origin)
        bodies[joint.child] = _add(spec, bodies[joint.parent], joint, links[joint.child], ours)
    _tie(spec, mechanism)
    return spec


def alone(coefficient: float, like: Any) -> Array:
    """A polynomial of MuJoCo with one coefficient, the first; before MuJoCo 4 it is one number, of shape ()."""
    polynomial = np.zeros(np.shape(like))
    polynomial.flat[0] = coefficient
    return polynomial


def _empty(robot: XmlNode) -> mujoco.MjSpec:
    """A specification without content. What acts of a `<mujoco>` of the file would act in MuJoCo alone.

    Raises:
        ModelError: Repairs are refused, and something would.
    """
    faults = Faults()
    for element in (element for own in robot.children("mujoco") for element in own.children()):
        if element.tag == "compiler":
            _tell_masses(element, faults)
        elif element.tag != "size":
            faults.add(element.tag, element, f"<{element.tag}> of <mujoco> acts in MuJoCo alone", _REMEDY)
    faults.report()
    text = etree.Element("robot", name=robot.element.get("name", "robot"))
    etree.SubElement(text, "link", name=WORLD)
    spec = mujoco.MjSpec.from_string(etree.tostring(text, encoding="unicode"))
    spec.compiler.fusestatic = False
    return spec


def _tell_masses(compiler: XmlNode, faults: Faults) -> None:
    for name in _OF_MASSES:
        given = compiler.element.get(name, "0").strip()
        number = numbers_of(given, 1)
        if given not in _NEUTRAL and (number is None or number[0] > 0.0):
            fault = f'<compiler> has {name}="{given}", which changes masses or inertias in MuJoCo alone'
            faults.add(name, compiler, fault, _REMEDY)


def _add(spec: mujoco.MjSpec, parent: Any, placed: PlacedJoint, link: Link, ours: Model | None) -> Any:
    """Add a link with the joint that carries it, whose limits are those of our own model, to a body."""
    pose = np.asarray(placed.origin)
    body = parent.add_body(name=link.name, pos=pose[:3, 3], quat=spatial.quaternion_from_rotation(pose[:3, :3]))
    if ours is not None:
        for k, element in enumerate([None] if _floats(placed) else placed.joint.elements):
            _set(body.add_joint(name=placed.name), element, placed, k, ours)
    tensor = physical_inertia(np.array(link.inertia, float), slack=WITHOUT_ROUNDING)
    body.mass, body.ipos, body.explicitinertial = link.mass, np.asarray(link.centre), True
    if tensor.any():  # MuJoCo refuses a full inertia of zeros
        body.fullinertia = tensor[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
    for shape in link.collision:
        _add_geom(spec, body, shape)
    if link.collision and not body.geoms:
        raise bare(f"link '{link.name}': none of its shapes for contact has a volume")
    return body


def _floats(joint: PlacedJoint) -> bool:
    return isinstance(joint.joint, FloatingJoint)


def _too_deep(floating: PlacedJoint, mechanism: Mechanism, place: str) -> UnsupportedError:
    above = {joint.child: joint for joint in mechanism.joints}
    moving = next(joint for joint in joints_below(floating.parent, above) if joint.joint.ndof)
    return UnsupportedError(
        f"{place}: joint '{floating.name}' floats, which MuJoCo lets only children of the world do, and joint "
        f"'{moving.name}' is above it; adapters native, pinocchio and dart take it"
    )


def _set(own: Any, element: Any, joint: PlacedJoint, k: int, ours: Model) -> None:
    """Make a joint of MuJoCo one element of a joint, or a floating one, with the properties of its freedom k."""
    if not isinstance(element, Screw):
        own.type = _TYPE.mjJNT_FREE if element is None else _TYPE.mjJNT_BALL
    else:
        own.name, own.axis = joint.dof_names[k], element.axis
        own.type = _TYPE.mjJNT_HINGE if element.turn else _TYPE.mjJNT_SLIDE
    damping, stiffness, friction, rotor, effort = (
        float(np.broadcast_to(getattr(joint, name), joint.joint.ndof)[k]) for name in _PROPERTIES
    )
    dof = ours.dof_names.index(joint.dof_names[k])  # limits of followers are on their leaders
    lower, upper = ours.coordinates.lower[dof], ours.coordinates.upper[dof]
    own.damping, own.stiffness = alone(damping, own.damping), alone(stiffness, own.stiffness)
    own.frictionloss, own.armature = friction, rotor
    turns_or_slides = isinstance(element, Screw)
    own.limited = bool(turns_or_slides and np.isfinite([lower, upper]).any())
    own.range = np.clip([lower, upper], -_UNLIMITED, _UNLIMITED)
    own.actfrclimited = bool(turns_or_slides and np.isfinite(effort))
    own.actfrcrange = np.clip([-effort, effort], -_UNLIMITED, _UNLIMITED)
    if joint.spring_mount is not None:
        own.springref = np.atleast_1d(joint.spring_mount)[k]


def _add_geom(spec: mujoco.MjSpec, body: Any, shape: Shape) -> None:
    kind, size, mesh, owner = _GEOM.mjGEOM_MESH, [0.0, 0.0, 0.0], "", f"link '{body.name}'"
    if isinstance(shape.geometry, MeshFile):
        mesh = _add_mesh(spec, shape.geometry, owner)
        if not mesh:
            return
    elif touching(shape.geometry, owner, PLAIN) is None:
        return
    else:
        kind, size = _primitive(shape.geometry)
    pose = np.asarray(shape.pose)
    quat = spatial.quaternion_from_rotation(pose[:3, :3])
    body.add_geom(type=kind, size=size, meshname=mesh, pos=pose[:3, 3], quat=quat)


def _add_mesh(spec: mujoco.MjSpec, file: MeshFile, owner: str) -> str:
    """Add the triangles of a file; the result is the mesh's name, or empty where it cannot be read."""
    name, said = name_of_file(file), f"mesh '{file.path.name}' of {owner}"
    if spec.mesh(name) is None:
        try:
            triangles = read_mesh(file.path, file.scale, said)
        except MeshError as error:
            repair(said, str(error).removeprefix(said).lstrip(": "), "left out of contact", MeshError)
            return ""
        vertices, faces = np.asarray(triangles.vertices, float), np.asarray(triangles.faces, np.int32)
        spec.add_mesh(name=name, uservert=vertices.ravel(), userface=faces.ravel())
    return name


def _primitive(geometry: Geometry) -> tuple[mujoco.mjtGeom, list[float]]:
    """Type and half sizes of a geom."""
    match geometry:
        case Box((x, y, z)):
            return _GEOM.mjGEOM_BOX, [x / 2.0, y / 2.0, z / 2.0]
        case Sphere(radius):
            return _GEOM.mjGEOM_SPHERE, [radius, 0.0, 0.0]
        case Cylinder(radius, length):
            return _GEOM.mjGEOM_CYLINDER, [radius, length / 2.0, 0.0]
        case Capsule(radius, length):
            return _GEOM.mjGEOM_CAPSULE, [radius, length / 2.0, 0.0]
    raise TypeError(f"URDF files have no {type(geometry).__name__}")


def _tie(spec: mujoco.MjSpec, mechanism: Mechanism) -> None:
    """Tie joints to those that they follow, by MuJoCo's soft equalities."""
    for joint in mechanism.joints:
        if joint.mimic is not None:
            tie = spec.add_equality(type=mujoco.mjtEq.mjEQ_JOINT, objtype=mujoco.mjtObj.mjOBJ_JOINT)
            tie.name1, tie.name2 = joint.name, joint.mimic.joint
            tie.data[:2] = joint.mimic.offset, joint.mimic.multiplier
