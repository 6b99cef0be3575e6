"""Shapes of a URDF file: those of plain URDF, and the capsule of RaiSim and of URDF 1.1."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ipc_articulation.dynamics.model.shapes import Box, Capsule, Cylinder, Geometry, MeshFile, Shape, Sphere
from ipc_articulation.dynamics.reading.mesh_paths import MeshPaths
from ipc_articulation.dynamics.reading.node import XmlNode
from ipc_articulation.dynamics.reading.origin import origin_of


def shapes(link: XmlNode, tag: str, meshes: MeshPaths) -> tuple[Shape, ...]:
    """What a link has under a tag, `collision` or `visual`.

    Raises:
        ModelError: What is wrong with a shape.
    """
    return tuple(_shape(node, meshes) for node in link.children(tag))


def _shape(node: XmlNode, meshes: MeshPaths) -> Shape:
    node.refuse_misspelt(("origin", "geometry", "material"))
    geometry = node.required("geometry")
    geometry.allow(("name",), READERS)
    given = geometry.children()
    if len(given) != 1:
        raise geometry.error(f"<geometry> has {len(given)} shapes; give one of {', '.join(READERS)}")
    return Shape(READERS[given[0].tag](given[0], meshes), origin_of(node), node.element.get("name", ""))


def _box(node: XmlNode, meshes: MeshPaths) -> Box:
    node.allow(("size",))
    x, y, z = node.numbers("size", 3).tolist()
    return Box((x, y, z))


def _sphere(node: XmlNode, meshes: MeshPaths) -> Sphere:
    node.allow(("radius",))
    return Sphere(node.number("radius"))


def _cylinder(node: XmlNode, meshes: MeshPaths) -> Cylinder:
    node.allow(("radius", "length"))
    return Cylinder(node.number("radius"), node.number("length"))


def _capsule(node: XmlNode, meshes: MeshPaths) -> Capsule:
    node.allow(("radius", "height", "length"))
    given = [name for name in ("height", "length") if node.has(name)]
    if len(given) != 1:
        raise node.error('<capsule> needs the distance between its spheres\' centres, as height="…" or as length="…"')
    return Capsule(node.number("radius"), node.number(given[0]))


def _mesh(node: XmlNode, meshes: MeshPaths) -> MeshFile:
    node.allow(("filename", "scale"))
    x, y, z = node.numbers("scale", 3, np.ones(3)).tolist()
    return MeshFile(meshes.find(node), (x, y, z))


READERS: dict[str, Callable[[XmlNode, MeshPaths], Geometry]] = {
    "box": _box,
    "sphere": _sphere,
    "cylinder": _cylinder,
    "capsule": _capsule,
    "mesh": _mesh,
}
