"""The repairs of a URDF file, in the order in which they are made."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal, get_args

from ipc_articulation.arguments import one_of
from ipc_articulation.dynamics.reading.mesh_paths import MeshPaths
from ipc_articulation.dynamics.reading.node import TEXT, XmlNode
from ipc_articulation.dynamics.reading.repairing.document import document
from ipc_articulation.dynamics.reading.repairing.inertials import repair_inertials
from ipc_articulation.dynamics.reading.repairing.joints import repair_joints
from ipc_articulation.dynamics.reading.repairing.known import ignore_unknown, keep_first
from ipc_articulation.dynamics.reading.repairing.leftovers import leave_out_other_tools
from ipc_articulation.dynamics.reading.repairing.massless import give_mass_to_ends
from ipc_articulation.dynamics.reading.repairing.meshes import repair_shapes
from ipc_articulation.dynamics.reading.repairing.mimics import leave_out_mimics
from ipc_articulation.dynamics.reading.repairing.names import resolve_names
from ipc_articulation.dynamics.reading.repairing.numbers import add_missing_products, rewrite_numbers
from ipc_articulation.dynamics.reading.repairing.robot import Robot
from ipc_articulation.dynamics.reading.repairing.roots import keep_largest_tree
from ipc_articulation.dynamics.reading.repairing.surfaces import take_visuals
from ipc_articulation.repairs import summed

Surfaces = Literal["collision", "visual"]  # of links without `<collision>`: none, or their drawings
SURFACES = one_of(*get_args(Surfaces))

MOST = 10_000  # links, joints or shapes; the mass matrix of as many joints has 0.8 GB

REPAIRS: tuple[Callable[[Robot], None], ...] = (
    leave_out_other_tools,
    ignore_unknown,
    keep_first,
    rewrite_numbers,
    add_missing_products,
    resolve_names,
    keep_largest_tree,
    repair_joints,
    leave_out_mimics,
    repair_shapes,
    repair_inertials,
    give_mass_to_ends,
)


@summed()
def repaired(path_or_text: str | Path, package_dirs: Sequence[Path] = (), surfaces: Surfaces = "collision") -> XmlNode:
    """The element `<robot>` of a URDF file after all repairs; paths of meshes are whole.

    Args:
        path_or_text: A file, or XML that begins with «<»; paths of meshes are then relative to the current folder.
        package_dirs: Folders that are searched first for packages.
        surfaces: «visual» makes drawings the surfaces of links that have no `<collision>`.

    Raises:
        ModelError: The file cannot be read or repaired, is no robot, or has too many parts; with strict repairs also
            what would be repaired.
    """
    node = document(path_or_text)
    is_text = node.file == TEXT
    folder = Path.cwd() if is_text else Path(path_or_text).absolute().parent
    robot = Robot(node, MeshPaths(folder, package_dirs, trusted=is_text))
    if node.tag != "robot":
        raise node.error(f"the outermost element is <{node.tag}>; that of a URDF file is <robot>")
    for tag in ("link", "joint", "visual", "collision"):
        count = sum(1 for _ in node.element.iter(tag))
        if count > MOST:
            raise node.error(f"<robot> has {count} {tag}s; the most are {MOST}")
    for repair in REPAIRS:
        repair(robot)
    if surfaces == "visual":
        take_visuals(robot)
    return node
