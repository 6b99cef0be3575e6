"""URDF files for MuJoCo: the repaired robot, without what MuJoCo refuses or reads in another way."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
from ipc_articulation.adapters.mujoco.bases import put
from ipc_articulation.adapters.mujoco.sizes import check_size
from lxml import etree

from ipc_articulation.arrays import Array
from ipc_articulation.dynamics.model import Mechanism, PlacedJoint
from ipc_articulation.dynamics.model.parts import WORLD
from ipc_articulation.dynamics.model.physical_inertia import WITHOUT_ROUNDING, physical_inertia
from ipc_articulation.dynamics.reading.node import XmlNode, by_name, numbers_of
from ipc_articulation.dynamics.reading.origin import origin_of
from ipc_articulation.dynamics.reading.repairing import Surfaces, repaired
from ipc_articulation.dynamics.reading.repairing.inertials import mass_of, tensor_of, write_inertial
from ipc_articulation.dynamics.reading.repairing.names import strip_names
from ipc_articulation.dynamics.reading.repairing.robot import Faults
from ipc_articulation.dynamics.reading.urdf import tree_of
from ipc_articulation.errors import UnsupportedError
from ipc_articulation.repairs import repair

# Drawings are dropped, paths stay whole, welded links keep their names.
_COMPILER = {"discardvisual": "true", "strippath": "false", "fusestatic": "false"}
_OF_MASSES = ("boundmass", "boundinertia", "settotalmass", "inertiafromgeom")  # change masses, in MuJoCo alone
_NEUTRAL = ("false", "auto")  # as is zero, or less: then they change none
_MASS = 1e-9  # [kg] of a moving link without mass
_SIZE = 1e-3  # [m] radius of gyration of a moving link without inertia
_LEAST = float(mujoco.mjMINVAL)
_PROPERTIES = ("damping", "stiffness", "friction", "rotor_inertia", "lower", "upper")
_UNLIMITED = 1e10  # [rad or m]; beyond it, to where MuJoCo's positions reach, there is no limit


def read_urdf(path: Path, package_dirs: Sequence[Path], surfaces: Surfaces) -> mujoco.MjSpec:
    """The model of a URDF file, which MuJoCo reads as our own reader does.

    Drawings are left out: MuJoCo takes meshes with equal names for the same one. Links without `<inertial>` have no
    mass, which MuJoCo would take from their shapes.

    Raises:
        ModelError: The file is wrong beyond repair.
        UnsupportedError: A joint floats on links that move.
        ValueError: MuJoCo cannot read it.
    """
    robot = repaired(path, package_dirs, surfaces)
    mechanism = tree_of(robot, path, floating_base=False)  # refuses what MuJoCo would take silently
    moving = {_child(joint) for joint in robot.children("joint") if joint.element.get("type") != "fixed"}
    for name, link in by_name(robot.children("link")).items():
        for visual in link.children("visual"):
            link.element.remove(visual.element)
        _make_inertial(link, name in moving)
    floating = [joint for joint in robot.children("joint") if joint.element.get("type") == "floating"]
    poses = {_child(joint): _hang_on_world(robot, joint) for joint in floating}
    strip_names(robot)
    _set_compiler(robot)
    spec = mujoco.MjSpec.from_string(etree.tostring(robot.element, encoding="unicode"))
    for name, pose in poses.items():
        put(spec.body(name), pose)
    _follow(spec, mechanism)
    return spec


def _hang_on_world(robot: XmlNode, floating: XmlNode) -> Array:
    """Hang what floats above fixed links on the world; returns its pose there, (4, 4).

    Raises:
        UnsupportedError: There is a joint above it that is not fixed.
    """
    above = {_child(joint): joint for joint in robot.children("joint")}
    pose, link = origin_of(floating), floating.required("parent").text("link")
    while link in above:
        if above[link].element.get("type") != "fixed":
            raise UnsupportedError(
                f"{floating.place}: joint '{floating.text('name')}' floats, which MuJoCo lets only children of the "
                f"world do, and joint '{above[link].text('name')}' is above it; adapters native, pinocchio and dart "
                "take it"
            )
        pose, link = origin_of(above[link]) @ pose, above[link].required("parent").text("link")
    if WORLD not in by_name(robot.children("link")):
        etree.SubElement(robot.element, "link", name=WORLD)
    floating.required("parent").element.set("link", WORLD)
    return pose


def _follow(spec: mujoco.MjSpec, mechanism: Mechanism) -> None:
    """Give turns and slides the properties that they have in the mechanism, and the names of its freedoms.

    Only a planar joint becomes several joints of MuJoCo, for which the properties count each.
    """
    placed = {joint.child: joint for joint in mechanism.joints}
    for body in spec.bodies:
        for name, own, k in zip(placed[body.name].dof_names, body.joints, count()) if body.name in placed else ():
            if own.type != mujoco.mjtJoint.mjJNT_FREE:
                own.name = name
                _set(own, placed[body.name], k)


def _set(own: Any, joint: PlacedJoint, k: int) -> None:
    damping, stiffness, friction, rotor, lower, upper = (
        float(np.broadcast_to(getattr(joint, name), joint.joint.ndof)[k]) for name in _PROPERTIES
    )
    own.damping, own.stiffness = alone(damping, own.damping), alone(stiffness, own.stiffness)
    own.frictionloss, own.armature = friction, rotor
    own.limited = np.isfinite(lower) or np.isfinite(upper)
    own.range = np.clip([lower, upper], -_UNLIMITED, _UNLIMITED)
    if joint.spring_mount is not None:
        own.springref = np.atleast_1d(joint.spring_mount)[k]


def alone(coefficient: float, like: Any) -> Array:
    """A polynomial of MuJoCo with one coefficient, the first; before MuJoCo 4 it is one number, of shape ()."""
    polynomial = np.zeros(np.shape(like))
    polynomial.flat[0] = coefficient
    return polynomial


def _child(joint: XmlNode) -> str:
    return joint.required("child").text("link")


def _make_inertial(link: XmlNode, moves: bool) -> None:
    """Give a link an explicit inertia, which satisfies MuJoCo's checks.

    MuJoCo refuses moments of inertia that violate A + B ≥ C by rounding, and moving bodies with mass or moments below
    `mjMINVAL`.
    """
    if link.child("inertial") is None:
        etree.SubElement(link.element, "inertial").sourceline = link.line
    inertial = link.required("inertial")
    mass, tensor = mass_of(inertial), tensor_of(inertial)
    tensor = np.zeros((3, 3)) if tensor is None else physical_inertia(tensor, slack=WITHOUT_ROUNDING)
    if moves and mass < _LEAST:
        repair(link.owner, "MuJoCo needs a mass of a link that moves", f"{_MASS:g} kg is used", at=link.at)
        mass = _MASS
    if moves and np.linalg.eigvalsh(tensor)[0] < max(_LEAST, 1e-9 * np.abs(tensor).max()):
        least = max(1e-8 * np.abs(tensor).max() if tensor.any() else mass * _SIZE**2, 1e3 * _LEAST)
        fault = "MuJoCo needs positive moments of inertia of a link that moves"
        repair(link.owner, fault, "the least is added", at=link.at, detail=f"{least:g} kg·m²")
        tensor = tensor + least * np.eye(3)
    write_inertial(inertial, mass, tensor)


def _set_compiler(robot: XmlNode) -> None:
    """Set what a model for IPC needs, also in a `<mujoco>` of the file's own.

    Paths of meshes are whole, and stay so: MuJoCo would take two files of one name for the same. Links keep the masses
    of the file, with which other adapters move them.

    Raises:
        ModelError: A size would take all time or memory.
    """
    own = robot.child("mujoco")
    if own is None:
        own = XmlNode(etree.Element("mujoco"), robot.file)
        robot.element.insert(0, own.element)
    for element in own.element.iter(etree.Element):
        check_size(XmlNode(element, robot.file))
    for compiler in own.children("compiler") or [XmlNode(etree.SubElement(own.element, "compiler"), robot.file)]:
        _keep_masses(compiler)
        for name, value in _COMPILER.items():
            compiler.element.set(name, compiler.element.get(name, value))
        compiler.element.set("strippath", _COMPILER["strippath"])


def _keep_masses(compiler: XmlNode) -> None:
    """Leave out what changes masses in MuJoCo alone."""
    faults = Faults()
    for name in _OF_MASSES:
        given = compiler.element.attrib.pop(name, "0").strip()
        number = numbers_of(given, 1)
        if given not in _NEUTRAL and (number is None or number[0] > 0.0):
            fault = f'<compiler> has {name}="{given}", which changes masses or inertias in MuJoCo alone'
            faults.add(name, compiler, fault, "it is left out, as with other adapters")
    faults.report()
