"""The contact of a libuipc scene: its bodies, half-planes and contact table as one `ContactWorld`."""

from __future__ import annotations

from typing import Any

import numpy as np

from ipc_articulation.contact.half_planes import HalfPlanes
from ipc_articulation.contact.materials import Rules, Traits, make_materials
from ipc_articulation.contact.surfaces import Surfaces, join_surfaces
from ipc_articulation.contact.world import ContactWorld
from ipc_articulation.frontend.bodies import BodyTable
from ipc_articulation.frontend.contact_table import HalfPlaneTable


def make_surfaces(bodies: BodyTable) -> Surfaces:
    """The surfaces of all bodies, joined in the order of the bodies."""
    meshes: list[Any] = [bodies.surfaces[geometry] for geometry in bodies.geometry]
    return join_surfaces([(mesh.points, mesh.edges, mesh.faces, mesh.thickness) for mesh in meshes])


def make_contact_world(
    surfaces: Surfaces, bodies: BodyTable, planes: HalfPlaneTable, rules: Rules, d_hat: float
) -> ContactWorld:
    """Contact of surfaces with each other and with half-planes.

    Args:
        surfaces: Surfaces of the bodies.
        bodies: The n bodies.
        planes: The half-planes.
        rules: The contact table.
        d_hat: Where the barrier begins for bodies that do not say so themselves [m].
    """
    thickness = np.zeros(len(bodies))
    np.maximum.at(thickness, surfaces.body, surfaces.thickness)
    traits = Traits(
        element=bodies.contact_element,
        subscene=bodies.subscene,
        d_hat=np.where(bodies.d_hat > 0.0, bodies.d_hat, d_hat),
        thickness=thickness,
        is_fixed=bodies.is_fixed,
        self_collision=bodies.self_collision,
    )
    materials = make_materials(rules, traits, planes.contact_element, planes.subscene)
    return ContactWorld(surfaces, materials, HalfPlanes(planes.names, planes.point, planes.normal))
