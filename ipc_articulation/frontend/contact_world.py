"""The contact of a libuipc scene: its bodies, half-planes and contact table as one `ContactWorld`."""

from __future__ import annotations

from typing import Any

from ipc_articulation.contact.half_planes import HalfPlanes
from ipc_articulation.contact.materials import make_materials
from ipc_articulation.contact.surfaces import Surfaces, join_surfaces
from ipc_articulation.contact.world import ContactWorld
from ipc_articulation.frontend.bodies import BodyTable
from ipc_articulation.frontend.contact_table import ContactTable, HalfPlaneTable


def make_surfaces(bodies: BodyTable) -> Surfaces:
    """The surfaces of all bodies, joined in the order of the bodies."""
    meshes: list[Any] = [bodies.surfaces[geometry] for geometry in bodies.geometry]
    return join_surfaces([(mesh.points, mesh.edges, mesh.faces, mesh.thickness) for mesh in meshes])


def make_contact_world(
    surfaces: Surfaces, bodies: BodyTable, planes: HalfPlaneTable, table: ContactTable, d_hat: float
) -> ContactWorld:
    """Contact of surfaces with each other and with half-planes, by the rules of the contact table; d_hat in metres."""
    materials = make_materials(
        table.resistance, table.friction, table.enabled, bodies.contact_element, planes.contact_element, bodies.is_fixed
    )
    return ContactWorld(surfaces, materials, HalfPlanes(planes.point, planes.normal), d_hat)
