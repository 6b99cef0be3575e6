"""What adapters that build their model from a mechanism of our own readers share."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path

import numpy as np
from ipc_articulation.adapters.native.bases import sets_free, settle_base
from ipc_articulation.adapters.native.ignored import leave_out

from ipc_articulation.arrays import Array
from ipc_articulation.dynamics.integrators.constrained import RETURN
from ipc_articulation.dynamics.model import Mechanism, PlacedJoint
from ipc_articulation.dynamics.reading.format import robot_format
from ipc_articulation.dynamics.reading.loops import closes_loops
from ipc_articulation.dynamics.reading.node import XmlNode
from ipc_articulation.dynamics.reading.repairing import Surfaces, repaired
from ipc_articulation.dynamics.reading.urdf import tree_of
from ipc_articulation.errors import UnsupportedError

RETURNS = f"the first steps bring it back by {RETURN:g} per second"


def read_tree(
    adapter: str,
    file: Path,
    package_dirs: Collection[Path],
    base: str | None,
    base_pose: Array | None,
    ignore: Sequence[str],
    surfaces: Surfaces,
) -> tuple[XmlNode, Mechanism]:
    """The repaired outermost element of a URDF file, and the robot that it describes; arguments as of `RobotFile`.

    Raises:
        AdapterError: An expression matches no link, or `base_pose` is not that of one floating base.
        ModelError: The file is wrong; the message names the line.
        UnsupportedError: It is no URDF file, or has loops.
    """
    if robot_format(file) != "urdf":
        raise UnsupportedError(f"{file}: adapter {adapter} reads URDF files; adapters mujoco and native read others")
    if closes_loops(file):
        raise UnsupportedError(f"{file}: the file closes loops, which adapter {adapter} does not know; use native")
    robot = repaired(file, list(package_dirs), surfaces)
    mechanism = tree_of(robot, file, sets_free(file, base))
    settle_base(mechanism, base, base_pose, file)
    leave_out(mechanism, ignore)
    return robot, mechanism


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
