"""What adapters share that build their engine's model from a mechanism of our own readers."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from ipc_articulation.adapters.around import Around, LinkShapes
from ipc_articulation.adapters.mimics import with_followers
from ipc_articulation.adapters.native.robot import FileContent, read_robot
from ipc_articulation.adapters.native.rotors import give_rotors
from ipc_articulation.adapters.native.shapes import surface

from ipc_articulation.arrays import Array
from ipc_articulation.coupling.robots import RobotSetup
from ipc_articulation.dynamics.integrators.constrained import RETURN
from ipc_articulation.dynamics.model import Mechanism, Model, PlacedJoint
from ipc_articulation.dynamics.reading.format import robot_format
from ipc_articulation.dynamics.reading.loops import closes_loops
from ipc_articulation.dynamics.reading.repairing import Surfaces
from ipc_articulation.errors import UnsupportedError

RETURNS = f"the first steps bring it back by {RETURN:g} per second"


class MechanismFile:
    """A robot's file that our own reader reads, see `coupling.robots.RobotFile`.

    Args:
        file: The file.
        package_dirs: Folders that are searched for the robot's `package://NAME/...` meshes.
        base: «fixed» fixes floating bases to the world, «free» lets the root link float; None: as in the file.
        base_pose: Of a floating base, (4, 4); None: where the file places it.
        ignore: Regular expressions for names of links that are left out.
        surfaces: «visual» makes drawings the surfaces of links that have no `<collision>`.

    Raises:
        AdapterError: An expression matches no link, or `base_pose` is not that of one floating base.
        MeshError, ModelError: The file is wrong; the message names the line.
        UnsupportedError: The file's format, or a loop, is not for this adapter.
    """

    takes: ClassVar[Sequence[str]] = ("base", "base_pose", "ignore", "surfaces")
    read = staticmethod(read_robot)

    def __init__(
        self,
        file: Path,
        package_dirs: Collection[Path],
        *,
        base: str | None = None,
        base_pose: Array | None = None,
        ignore: Sequence[str] = (),
        surfaces: Surfaces = "collision",
    ) -> None:
        self._file = file
        self._robot = self.read(file, package_dirs, base, base_pose, ignore, surfaces)

    def _place(self, setup: RobotSetup) -> None:
        """Put the robot into a scene, with the scene's properties of joints."""
        self._robot.move(setup.pose)
        for key, name in (("rotor_inertia", "armature"), ("damping", "damping"), ("friction", "frictionloss")):
            set_dofs(self._robot.mechanism, key, getattr(setup, name))


class TreeFile(MechanismFile):
    """A URDF file of a tree, for an engine that gets its model from our own reader."""

    adapter: ClassVar[str]  # its name

    @classmethod
    def read(cls, file: Path, *options: Any) -> FileContent:
        """The content of the file; arguments and errors as of `read_robot`."""
        if robot_format(file) != "urdf":
            raise UnsupportedError(
                f"{file}: adapter {cls.adapter} reads URDF files; adapters mujoco and native read others"
            )
        if closes_loops(file):
            raise UnsupportedError(
                f"{file}: the file closes loops, which adapter {cls.adapter} does not know; use native"
            )
        return read_robot(file, *options)

    @property
    def joint_names(self) -> list[str]:
        """Names of turns and slides, those that mimic others left out: the joint's, with a number if it has several."""
        joints = [joint for joint in self._robot.mechanism.joints if joint.mimic is None]
        return [name for joint in joints if turns_and_slides(joint) for name in joint.dof_names]

    def prepared(self, setup: RobotSetup) -> tuple[Model, RobotSetup, Around]:
        """Our own model of the robot in a scene, the setup with followers where they start, and the surroundings.

        Raises:
            MeshError: Repairs are refused, and a mesh is open or has no volume.
            ModelError: Masses of the file are impossible.
            StartError: A mimic joint starts elsewhere than its leader puts it.
            UnsupportedError: The integrator is one of our own dynamics.
        """
        if setup.integrator not in ("Euler", "implicitfast"):
            raise UnsupportedError(
                f"integrator '{setup.integrator}' needs adapter native; with adapter {self.adapter} use Euler or "
                "implicitfast"
            )
        self._place(setup)
        robot = self._robot
        model, around = robot.mechanism.build(), robot.surroundings(setup.friction_of, setup.facets)
        setup = with_followers(model, {}, setup)
        if give_rotors(robot.mechanism, model, started(model, setup.start)):
            model = robot.mechanism.build()
        around["shapes"] = {
            body.name: LinkShapes(surface(body.collision, body.name, setup.facets), body.visual)
            for body in model.bodies
        }
        return model, setup, around


def started(model: Model, values: Mapping[str, float]) -> Array:
    """The neutral position of the spanning tree with some coordinates by name."""
    tree = model.spanning_tree
    q = tree.neutral
    for name, value in values.items():
        q[tree.q_names.index(name)] = value
    return q


def turns_and_slides(joint: PlacedJoint) -> bool:
    """Whether every position coordinate of a joint is an angle or a distance."""
    return joint.joint.nq == joint.joint.ndof


def set_dofs(
    mechanism: Mechanism,
    attribute: str,
    values: Mapping[str, float],
    choose: Callable[..., Array] = lambda old, new: new,
) -> None:
    """Set an attribute of joints from values by degree of freedom; `choose` decides between old and new ones."""
    for joint in mechanism.joints:
        old = np.broadcast_to(getattr(joint, attribute), joint.joint.ndof)
        new = [values.get(name, present) for name, present in zip(joint.dof_names, old, strict=True)]
        setattr(joint, attribute, choose(old, np.array(new)))
