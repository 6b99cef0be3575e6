"""Mechanisms from URDF files, with RaiSim's additions.

RaiSim adds the joint type `spherical`, the attributes `rotor_inertia`, `stiffness` and `spring_mount` of `<dynamics>`,
and the shape `<capsule>`. As in RaiSim, equal position limits mean no limits, which is a repair where a file writes
them, and a root link called «world» is the world.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

import numpy as np

from ipc_articulation.arguments import FLAG, PATHS, checked
from ipc_articulation.dynamics.joints import FixedJoint, FloatingJoint, SphericalJoint
from ipc_articulation.dynamics.model.mechanism import Mechanism
from ipc_articulation.dynamics.model.parts import WORLD, Link, PlacedJoint
from ipc_articulation.dynamics.reading.joint import has_bounds, read_joint
from ipc_articulation.dynamics.reading.link import read_link
from ipc_articulation.dynamics.reading.materials import colours_by_name
from ipc_articulation.dynamics.reading.node import TEXT, XmlNode, by_name
from ipc_articulation.dynamics.reading.repairing import SURFACES, Surfaces, repaired
from ipc_articulation.dynamics.reading.tree import listed, root_of
from ipc_articulation.errors import ModelError
from ipc_articulation.packages import unpacked
from ipc_articulation.repairs import caution

RAISIM = ("rotor_inertia", "stiffness", "spring_mount")  # attributes of <dynamics> that only RaiSim's files have
LOOPS = ("constraints", "coupling", "loop")  # what `read_robot` of `reading.loops` reads, and a tree has not


@checked(ModelError, floating_base=FLAG, package_dirs=PATHS, surfaces=SURFACES)
def read_urdf(
    path_or_text: str | Path,
    *,
    floating_base: bool = False,
    package_dirs: Sequence[Path] = (),
    surfaces: Surfaces = "collision",
) -> Mechanism:
    """Read a robot.

    The joint `root_joint`, fixed or floating, connects the root link to the world. A root link called «world» is the
    world, and its shapes become those of a link `world_link`, fixed to the world. Elements of other tools, such as
    `<transmission>` and `<gazebo>`, have no effect. Elements that close loops cause a warning; `read_robot` reads them.
    Meshes are searched for, but not loaded.

    Args:
        path_or_text: A file, also `package://name/path` of an installed package, or XML that begins with «<»; paths of
            meshes are then relative to the current folder.
        floating_base: The root link moves freely.
        package_dirs: Folders that are searched first for packages.
        surfaces: «visual» makes drawings the surfaces of links that have no `<collision>`.

    Raises:
        ModelError: What is wrong, with the line, and what would be valid.
    """
    path_or_text = unpacked(path_or_text)
    robot = repaired(path_or_text, package_dirs, surfaces)
    for tag in LOOPS:
        for element in robot.children(tag):
            caution(f"{element.place}: <{tag}> is not read: the mechanism stays a tree")
    return tree_of(robot, path_or_text, floating_base)


def tree_of(robot: XmlNode, path_or_text: str | Path, floating_base: bool) -> Mechanism:
    """The mechanism that `<robot>` describes, as `read_urdf`; loops are left out.

    Raises:
        ModelError: What is wrong, with the line, and what would be valid.
    """
    if not robot.children("link"):
        raise robot.error("<robot> has no <link>; give at least one")
    file = None if robot.file == TEXT else Path(path_or_text)
    colours = colours_by_name(robot)
    links = {name: (node, read_link(node, colours)) for name, node in by_name(robot.children("link")).items()}
    joints = {name: (node, read_joint(node)) for name, node in by_name(robot.children("joint")).items()}
    root = root_of(robot, links, joints)
    if root == WORLD and floating_base:
        raise links[WORLD][0].error("the root link is the world, which does not float; give it another name")
    _tell_unenforced_limits(robot, joints.values())
    below = [joint for _, joint in joints.values() if joint.parent == root]
    if floating_base and links[root][1].mass == 0.0 and below and all(type(j.joint) is FloatingJoint for j in below):
        node = joints[below[0].name][0]
        raise node.error(f"it floats on link '{root}', which has no mass: leave floating_base out")
    mechanism = Mechanism(robot.element.get("name", "robot"), file=file)
    mechanism.links = [link for _, link in links.values()]
    mechanism.joints = [joint for _, joint in joints.values()]
    _hang_on_world(mechanism, list(links).index(root), floating_base)
    return mechanism


def _tell_unenforced_limits(robot: XmlNode, joints: Collection[tuple[XmlNode, PlacedJoint]]) -> None:
    """Warn of limits that no step enforces: those of continuous and spherical joints, and RaiSim's of velocity.

    Nearly all other files have velocity limits, too; no engine that reads them enforces them.
    """
    turning = [node for node, _ in joints if node.element.get("type") == "continuous" and has_bounds(node)]
    if turning:
        names = listed([node.text("name") for node in turning])
        caution(
            f"{turning[0].at}: the position limits of continuous joints have no effect, those of {names}; revolute "
            "ones have limits"
        )
    spherical = [pair for pair in joints if isinstance(pair[1].joint, SphericalJoint)]
    for node, joint in spherical:
        if np.isfinite(joint.lower) or np.isfinite(joint.upper):
            caution(f"{node.place}: the position limits of a spherical joint have no effect: it turns freely")
    dynamics = [node.child("dynamics") for node, _ in joints]
    if not (spherical or robot.children("constraints") or any(d and any(map(d.has, RAISIM)) for d in dynamics)):
        return
    for node, joint in joints:
        if np.isfinite(joint.velocity):
            caution(f"{node.place}: the velocity limit {joint.velocity:g} has no effect: no step enforces it")


def _hang_on_world(mechanism: Mechanism, root: int, floating_base: bool) -> None:
    """Connect the root link to the world, or replace it by the world."""
    link = mechanism.links[root]
    joint_names = [joint.name for joint in mechanism.joints]
    if link.name != WORLD:
        kind = FloatingJoint() if floating_base else FixedJoint()
        base = PlacedJoint(free_name("root_joint", joint_names), kind, WORLD, link.name)
        mechanism.joints.insert(0, base)
    elif link.collision or link.visual:
        name = free_name("world_link", [other.name for other in mechanism.links])
        mechanism.links[root] = Link(name, collision=link.collision, visual=link.visual)
        mechanism.joints.insert(0, PlacedJoint(free_name("root_joint", joint_names), FixedJoint(), WORLD, name))
    else:
        del mechanism.links[root]


def free_name(name: str, taken: Collection[str]) -> str:
    """A name that is not taken, made by adding underscores."""
    while name in taken:
        name += "_"
    return name
