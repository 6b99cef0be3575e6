"""Robots with loops from URDF files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ipc_articulation.arguments import FLAG, PATHS, checked
from ipc_articulation.dynamics.model.mechanism import Mechanism
from ipc_articulation.dynamics.reading.loops.constraints import loops_of
from ipc_articulation.dynamics.reading.loops.mimics import take_mimics
from ipc_articulation.dynamics.reading.loops.raisim import read_constraints
from ipc_articulation.dynamics.reading.loops.relations import PointLoop, Relation
from ipc_articulation.dynamics.reading.loops.urdf_plus import driven_joints, read_coupling, read_flags, read_loop
from ipc_articulation.dynamics.reading.node import by_name
from ipc_articulation.dynamics.reading.repairing import SURFACES, Surfaces, repaired
from ipc_articulation.dynamics.reading.repairing.document import document
from ipc_articulation.dynamics.reading.urdf import tree_of
from ipc_articulation.errors import ModelError
from ipc_articulation.packages import unpacked


@checked(ModelError, floating_base=FLAG, package_dirs=PATHS, surfaces=SURFACES)
def read_robot(
    path_or_text: str | Path,
    *,
    floating_base: bool = False,
    package_dirs: Sequence[Path] = (),
    surfaces: Surfaces = "collision",
) -> Mechanism:
    """Read a robot with its loops: `<loop>` and `<coupling>` of URDF+, `<constraints>` of RaiSim, mimic joints.

    All joints in loops have one degree of freedom. The attribute `independent` selects the independent joints. Without
    it, mimic joints are dependent, and independent joints are chosen so that they determine the others well: where
    possible joints that a `<transmission>` or `<ros2_control>` drives.

    Args:
        path_or_text: A file, or XML that begins with «<», as in `read_urdf`.
        floating_base: The root link moves freely.
        package_dirs: Folders that are searched first for packages.
        surfaces: As in `read_urdf`.

    Raises:
        ModelError: The file is wrong; the message names the line, and what would be valid.
    """
    path_or_text = unpacked(path_or_text)
    robot = repaired(path_or_text, package_dirs, surfaces)
    mechanism = tree_of(robot, path_or_text, floating_base)
    places = {name: node.place for name, node in by_name(robot.children("joint")).items()}
    relations: list[Relation] = [*take_mimics(mechanism, places.__getitem__)]
    relations += [read_coupling(node, mechanism) for node in robot.children("coupling")]
    relations += [read_loop(node, mechanism) for node in robot.children("loop")]
    nominal: dict[str, float] = {}
    for node in robot.children("constraints"):
        found, where = read_constraints(node, mechanism)
        relations += found
        nominal |= where
    mechanism.loops = loops_of(mechanism, relations, read_flags(robot), nominal, driven_joints(robot))
    points = [relation for relation in relations if isinstance(relation, PointLoop)]
    mechanism.meetings = tuple(point.meeting for point in points if point.in_all_directions)
    return mechanism


def closes_loops(path_or_text: str | Path) -> bool:
    """Whether a file has loops other than mimic joints.

    Raises:
        ModelError: The file cannot be read.
    """
    return any(document(unpacked(path_or_text)).children(tag) for tag in ("loop", "coupling", "constraints"))
