"""Links of a URDF file, with the shapes of plain URDF and the capsule of RaiSim and URDF 1.1."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np

from ipc_articulation.arrays import Colour
from ipc_articulation.dynamics.model.parts import Link
from ipc_articulation.dynamics.model.shapes import Box, Capsule, Cylinder, Geometry, MeshFile, Shape, Sphere
from ipc_articulation.dynamics.reading.materials import colour_of
from ipc_articulation.dynamics.reading.node import XmlNode
from ipc_articulation.dynamics.reading.origin import origin_of
from ipc_articulation.dynamics.reading.repairing.known import PRODUCTS
from ipc_articulation.dynamics.reading.repairing.meshes import BARE

KINDS = ("collision", "visual")  # of shapes


def read_link(node: XmlNode, colours: Mapping[str, Colour]) -> Link:
    """The link of a `<link>`; without `<inertial>`, it has no mass.

    Args:
        node: The element.
        colours: Colours of the robot's materials, by name.

    Raises:
        ModelError: The element is wrong.
    """
    collision, visual = [tuple(_shape(shape, colours) for shape in node.children(tag)) for tag in KINDS]
    link = Link(node.text("name"), collision=collision, visual=visual, bare=node.element.get(BARE, ""))
    inertial = node.child("inertial")
    if inertial is not None:
        _read_inertial(inertial, link)
    return link


def _read_inertial(inertial: XmlNode, link: Link) -> None:
    """Set mass, centre c = p and inertia R I Rᵀ, with [R p; 0 1] the inertial frame in the link's frame."""
    mass, inertia = inertial.required("mass"), inertial.required("inertia")
    xx, xy, xz, yy, yz, zz = (inertia.number(product) for product in PRODUCTS)
    pose = origin_of(inertial)
    R = pose[:3, :3]
    link.mass, link.centre = mass.number("value"), pose[:3, 3]
    link.inertia = R @ [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]] @ R.T


def _shape(node: XmlNode, colours: Mapping[str, Colour]) -> Shape:
    geometry = node.required("geometry")
    (given,) = geometry.children()
    return Shape(READERS[given.tag](given), origin_of(node), node.element.get("name", ""), colour_of(node, colours))


def _lengths(node: XmlNode, attribute: str, count: int = 1) -> list[float]:
    """An attribute's lengths. They may be zero, as in invisible drawings."""
    lengths = node.numbers(attribute, count)
    if (lengths < 0.0).any():
        raise node.error(f'<{node.tag}> has {attribute}="{node.text(attribute)}"; lengths cannot be negative')
    return lengths.tolist()


def _box(node: XmlNode) -> Box:
    x, y, z = _lengths(node, "size", 3)
    return Box((x, y, z))


def _sphere(node: XmlNode) -> Sphere:
    return Sphere(*_lengths(node, "radius"))


def _cylinder(node: XmlNode) -> Cylinder:
    return Cylinder(*_lengths(node, "radius"), *_lengths(node, "length"))


def _capsule(node: XmlNode) -> Capsule:
    given = [name for name in ("height", "length") if node.has(name)]
    if len(given) != 1:
        raise node.error('<capsule> needs the distance between its spheres\' centres, as height="…" or as length="…"')
    return Capsule(*_lengths(node, "radius"), *_lengths(node, given[0]))


def _mesh(node: XmlNode) -> MeshFile:
    x, y, z = node.numbers("scale", 3, np.ones(3)).tolist()
    return MeshFile(Path(node.text("filename")), (x, y, z))


READERS: dict[str, Callable[[XmlNode], Geometry]] = {
    "box": _box,
    "sphere": _sphere,
    "cylinder": _cylinder,
    "capsule": _capsule,
    "mesh": _mesh,
}
