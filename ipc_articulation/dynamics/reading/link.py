"""Links of a URDF file."""

from __future__ import annotations

from ipc_articulation.dynamics.model.parts import Link
from ipc_articulation.dynamics.reading.geometry import shapes
from ipc_articulation.dynamics.reading.mesh_paths import MeshPaths
from ipc_articulation.dynamics.reading.node import XmlNode
from ipc_articulation.dynamics.reading.origin import origin_of

PRODUCTS = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")


def read_link(node: XmlNode, meshes: MeshPaths) -> Link:
    """A `<link>`; without `<inertial>`, it has no mass.

    Raises:
        ModelError: What is wrong with it.
    """
    node.refuse_misspelt(("inertial", "visual", "collision"))
    link = Link(node.text("name"), collision=shapes(node, "collision", meshes), visual=shapes(node, "visual", meshes))
    inertial = node.child("inertial")
    if inertial is not None:
        _read_inertial(inertial, link)
    return link


def _read_inertial(inertial: XmlNode, link: Link) -> None:
    """Mass, centre c = p and inertia R I Rᵀ, with [R p; 0 1] the inertial frame in the link's frame."""
    inertial.allow(elements=("origin", "mass", "inertia"))
    mass, inertia = inertial.required("mass"), inertial.required("inertia")
    mass.allow(("value",))
    inertia.allow(PRODUCTS)
    xx, xy, xz, yy, yz, zz = (inertia.number(product) for product in PRODUCTS)
    pose = origin_of(inertial)
    R = pose[:3, :3]
    link.mass, link.centre = mass.number("value"), pose[:3, 3]
    link.inertia = R @ [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]] @ R.T
