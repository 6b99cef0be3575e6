"""Links of a URDF file, with the shapes of plain URDF and the capsule of RaiSim and URDF 1.1."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ipc_articulation.dynamics.model.parts import Link
from ipc_articulation.dynamics.model.shapes import Box, Capsule, Cylinder, Geometry, MeshFile, Shape, Sphere
from ipc_articulation.dynamics.reading.mesh_paths import MeshPaths
from ipc_articulation.dynamics.reading.node import XmlNode
from ipc_articulation.dynamics.reading.origin import origin_of

PRODUCTS = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")


def read_link(node: XmlNode, meshes: MeshPaths) -> Link:
    """The link of a `<link>`; without `<inertial>`, it has no mass.

    Raises:
        ModelError: The element is wrong.
    """
    node.refuse_misspelt(("inertial", "visual", "collision"))
    link = Link(node.text("name"), collision=_shapes(node, "collision", meshes), visual=_shapes(node, "visual", meshes))
    inertial = node.child("inertial")
    if inertial is not None:
        _read_inertial(inertial, link)
    return link


def _read_inertial(inertial: XmlNode, link: Link) -> None:
    """Set mass, centre c = p and inertia R I Rᵀ, with [R p; 0 1] the inertial frame in the link's frame."""
    inertial.allow(elements=("origin", "mass", "inertia"))
    mass, inertia = inertial.required("mass"), inertial.required("inertia")
    mass.allow(("value",))
    inertia.allow(PRODUCTS)
    xx, xy, xz, yy, yz, zz = (inertia.number(product) for product in PRODUCTS)
    pose = origin_of(inertial)
    R = pose[:3, :3]
    link.mass, link.centre = mass.number("value"), pose[:3, 3]
    link.inertia = R @ [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]] @ R.T


def _shapes(link: XmlNode, tag: str, meshes: MeshPaths) -> tuple[Shape, ...]:
    """Shapes of a link under a tag, `collision` or `visual`.

    Raises:
        ModelError: A shape is wrong.
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


def _lengths(node: XmlNode, attribute: str, count: int = 1) -> list[float]:
    """An attribute's lengths. They may be zero, as in invisible drawings."""
    lengths = node.numbers(attribute, count)
    if (lengths < 0.0).any():
        raise node.error(f'<{node.tag}> has {attribute}="{node.text(attribute)}"; lengths cannot be negative')
    return lengths.tolist()


def _box(node: XmlNode, meshes: MeshPaths) -> Box:
    node.allow(("size",))
    x, y, z = _lengths(node, "size", 3)
    return Box((x, y, z))


def _sphere(node: XmlNode, meshes: MeshPaths) -> Sphere:
    node.allow(("radius",))
    return Sphere(*_lengths(node, "radius"))


def _cylinder(node: XmlNode, meshes: MeshPaths) -> Cylinder:
    node.allow(("radius", "length"))
    return Cylinder(*_lengths(node, "radius"), *_lengths(node, "length"))


def _capsule(node: XmlNode, meshes: MeshPaths) -> Capsule:
    node.allow(("radius", "height", "length"))
    given = [name for name in ("height", "length") if node.has(name)]
    if len(given) != 1:
        raise node.error('<capsule> needs the distance between its spheres\' centres, as height="…" or as length="…"')
    return Capsule(*_lengths(node, "radius"), *_lengths(node, given[0]))


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
