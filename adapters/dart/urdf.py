"""URDF files in DART: the robot as our own reader understands it, with its repairs, made into a skeleton by DART."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import dartpy
import numpy as np
from ipc_articulation.adapters.dart.coordinates import isometry
from ipc_articulation.adapters.dart.tree import pose_of
from lxml import etree

from ipc_articulation import spatial
from ipc_articulation.dynamics.joints import FixedJoint
from ipc_articulation.dynamics.model import Mechanism
from ipc_articulation.dynamics.model.parts import WORLD, Link, PlacedJoint
from ipc_articulation.dynamics.model.shapes import Capsule
from ipc_articulation.dynamics.reading.node import XmlNode, by_name
from ipc_articulation.dynamics.reading.repairing.inertials import mass_of
from ipc_articulation.dynamics.reading.repairing.names import strip_names
from ipc_articulation.dynamics.reading.urdf import free_name
from ipc_articulation.errors import AdapterError, UnsupportedError
from ipc_articulation.repairs import caution

_MASS = 1e-15  # [kg] of links without mass, which DART's bodies must have
_SIZE = 1e-3  # [m] their radius of gyration
_LIMITS = {"lower": "0", "upper": "0", "effort": "0", "velocity": "0"}  # DART wants some; the mechanism's are set


def make_skeleton(robot: XmlNode, mechanism: Mechanism, file: Path) -> Any:
    """The skeleton of a robot.

    Args:
        robot: The outermost element, repaired; it is changed.
        mechanism: What our own reader makes of it, perhaps without some links, and with other joints at the base.
        file: For messages.

    Raises:
        AdapterError: DART cannot read it, or a mesh of a shape that touches.
        UnsupportedError: A joint has a spring or a rotor.
    """
    for joint in mechanism.joints:
        _refuse_additions(joint, file)
    strip_names(robot)
    root = _follow_links(robot, mechanism)
    _follow_joints(robot, mechanism)
    base = next((joint for joint in mechanism.joints if joint.child == root), None)
    skeleton = _read(robot, file, floats=base is not None and base.joint.ndof > 0)
    if base is not None:
        skeleton.getRootJoint().setName(base.name)
    for placed in mechanism.joints:
        _set(skeleton.getJoint(placed.name), placed)
    for link in mechanism.links:
        _add_capsules(skeleton.getBodyNode(link.name), link)
    skeleton.enableSelfCollisionCheck()
    return skeleton


def _refuse_additions(joint: PlacedJoint, file: Path) -> None:
    for name in ("stiffness", "rotor_inertia"):
        if np.any(getattr(joint, name)):
            raise UnsupportedError(
                f"{file}: joint '{joint.name}' has {name}, which adapter dart does not read; leave it out, or use "
                "adapter native"
            )


def _read(robot: XmlNode, file: Path, floats: bool) -> Any:
    """The skeleton that DART's loader makes of an element, whose root floats or is welded to the world."""
    kinds, loader = dartpy.utils.DartLoaderRootJointType, dartpy.utils.DartLoader()
    massless = dartpy.dynamics.Inertia(_MASS, np.zeros(3), _MASS * _SIZE**2 * np.eye(3))
    root = kinds.FLOATING if floats else kinds.FIXED
    loader.setOptions(dartpy.utils.DartLoaderOptions(defaultRootJointType=root, defaultInertia=massless))
    place = dartpy.common.Uri(file.absolute().as_uri())
    skeleton = loader.parseSkeletonString(etree.tostring(robot.element, encoding="unicode"), place)
    if skeleton is None:
        etree.strip_elements(robot.element, "visual")
        skeleton = loader.parseSkeletonString(etree.tostring(robot.element, encoding="unicode"), place)
        if skeleton is not None:
            caution(f"{file}: DART cannot read a visual shape; the shapes that touch are drawn", AdapterError)
    if skeleton is None:
        raise AdapterError(
            f"{file}: DART cannot read it, see its messages above; it knows fixed, revolute, continuous, prismatic, "
            "planar and floating joints, and boxes, spheres, cylinders and meshes; adapter native knows more"
        )
    return skeleton


def _follow_links(robot: XmlNode, mechanism: Mechanism) -> str:
    """Leave the elements of links as the mechanism has them, the world too; the result is the name of the root."""
    links = {link.name: link for link in mechanism.links}
    given = by_name(robot.children("link"))
    new = next((name for name in links if name not in given), free_name("world_link", given))
    for element in robot.element.iter("link", "parent"):
        key = "name" if element.tag == "link" else "link"
        if element.get(key) == WORLD:
            element.set(key, new)
    children = {joint.required("child").text("link") for joint in robot.children("joint")}
    found = by_name(robot.children("link"))
    for name, node in found.items():
        if name in links:
            _follow_link(node, bool(links[name].collision))
        elif name != new:
            robot.element.remove(node.element)
    return next(name for name in found if name not in children)


def _follow_link(node: XmlNode, touches: bool) -> None:
    """Leave out shapes that are ignored, and inertials without mass."""
    for shape in () if touches else node.children("collision"):
        node.element.remove(shape.element)
    inertial = node.child("inertial")
    if inertial is not None and not mass_of(inertial) > 0.0:
        node.element.remove(inertial.element)


def _follow_joints(robot: XmlNode, mechanism: Mechanism) -> None:
    """Leave the elements of joints as the mechanism has them, with what DART's parser wants to see alone."""
    joints = {joint.name: joint for joint in mechanism.joints}
    for name, node in by_name(robot.children("joint")).items():
        if name not in joints:
            robot.element.remove(node.element)
        elif isinstance(joints[name].joint, FixedJoint):
            node.element.set("type", "fixed")
        else:
            limit = node.child("limit")
            given = etree.SubElement(node.element, "limit") if limit is None else limit.element
            given.attrib.update(_LIMITS)
            etree.strip_elements(node.element, "dynamics")


def _add_capsules(body: Any, link: Link) -> None:
    """Add the capsules of a link, which DART's loader leaves out."""
    for kind in ("collision", "visual"):
        for shape in getattr(link, kind):
            if isinstance(shape.geometry, Capsule):
                capsule = dartpy.dynamics.CapsuleShape(shape.geometry.radius, shape.geometry.length)
                node = body.createShapeNode(capsule)
                node.setRelativeTransform(isometry(np.asarray(shape.pose)))
                if kind == "collision":
                    node.createCollisionAspect()
                    node.createDynamicsAspect()
                else:
                    node.createVisualAspect()


def _set(joint: Any, placed: PlacedJoint) -> None:
    """Give a joint the placement, limits, friction and damping of the mechanism; rates have no limits."""
    origin, above = np.asarray(placed.origin), joint.getParentBodyNode()
    if placed.parent == WORLD and above is not None:
        origin = spatial.inverse(pose_of(above)) @ origin
    joint.setTransformFromParentBodyNode(isometry(origin))
    joint.setLimitEnforcement(True)
    for k in range(joint.getNumDofs()):
        lower, upper, effort, friction, damping = (
            float(np.broadcast_to(getattr(placed, name), joint.getNumDofs())[k])
            for name in ("lower", "upper", "effort", "friction", "damping")
        )
        joint.setPositionLowerLimit(k, lower)
        joint.setPositionUpperLimit(k, upper)
        joint.setVelocityLowerLimit(k, -np.inf)
        joint.setVelocityUpperLimit(k, np.inf)
        joint.setForceLowerLimit(k, -effort)
        joint.setForceUpperLimit(k, effort)
        joint.setCoulombFriction(k, friction)
        joint.setDampingCoefficient(k, damping)
