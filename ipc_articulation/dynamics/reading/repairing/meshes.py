"""Shapes: paths of meshes become whole, meshes that are missing and shapes without geometry are left out."""

from __future__ import annotations

from ipc_articulation.dynamics.reading.mesh_paths import PACKAGE
from ipc_articulation.dynamics.reading.node import XmlNode
from ipc_articulation.dynamics.reading.repairing.known import SHAPES
from ipc_articulation.dynamics.reading.repairing.robot import Faults, Robot, remove

LISTED = 4  # paths in a message
BARE = "{ipc_articulation}bare"  # attribute of a link that all its <collision> elements were taken from


def repair_shapes(robot: Robot) -> None:
    """Give every shape one geometry, and every mesh the whole path of a file; leave out the rest."""
    faults = Faults()
    for link in robot.links:
        given = link.children("collision")
        for shape in (*given, *link.children("visual")):
            _repair(shape, robot, faults)
        if given and not link.children("collision"):
            link.element.set(BARE, f"{link.place}: none of its <collision> elements has a shape that can be read")
    faults.report()


def _repair(shape: XmlNode, robot: Robot, faults: Faults) -> None:
    geometry = shape.child("geometry")
    if geometry is None:
        faults.add("geometry", shape, f"<{shape.tag}> lacks <geometry>", f"the {shape.tag} is left out")
        remove(shape)
        return
    given = geometry.children()
    if len(given) != 1:
        fault = f"<geometry> has {len(given)} shapes; give one of {', '.join(SHAPES)}"
        remedy = "the first is used" if given else f"the {shape.tag} is left out"
        faults.add(("shapes", remedy), geometry, fault, remedy)
        for node in given[1:] if given else [shape]:
            remove(node)
    if given and given[0].tag == "mesh":
        _find(shape, given[0], robot, faults)


def _find(shape: XmlNode, mesh: XmlNode, robot: Robot, faults: Faults) -> None:
    """Replace a mesh's path by the whole path of the file, or leave out the shape."""
    name = mesh.element.get("filename", "").strip()
    if not name:
        faults.add(("unnamed", shape.tag), mesh, '<mesh> lacks filename="…"', f"the {shape.tag} is left out")
        remove(shape)
        return
    path = robot.meshes.find(name)
    if path is None:
        path = robot.meshes.similar(name)
        fault = _missing(name, robot)
        if path is not None:
            faults.add("similar", mesh, fault, f"the file with the same end of its path is used, '{path}'")
        else:
            faults.add(("missing", shape.tag), mesh, fault, f"the {shape.tag} is left out")
            remove(shape)
            return
    mesh.element.set("filename", str(path))


def _missing(name: str, robot: Robot) -> str:
    looked_for = [str(path) for path in robot.meshes.candidates(name)]
    more = f" and {len(looked_for) - LISTED} more" if len(looked_for) > LISTED else ""
    hint = "; package_dirs can say where packages are" if PACKAGE.fullmatch(name) else ""
    return f"mesh file '{name}' not found; looked for {', '.join(looked_for[:LISTED])}{more}{hint}"
