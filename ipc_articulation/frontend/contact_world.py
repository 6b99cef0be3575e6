"""The contact of a libuipc scene: its bodies, half-planes and contact table as one `ContactWorld`."""

from __future__ import annotations

from typing import Any

import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.contact.half_planes import HalfPlanes
from ipc_articulation.contact.materials import NO_CONTACT, Materials, Rules, Traits, make_materials
from ipc_articulation.contact.resistance import Resistance
from ipc_articulation.contact.surfaces import Surfaces, join_surfaces
from ipc_articulation.contact.world import ContactWorld
from ipc_articulation.errors import SceneError
from ipc_articulation.frontend.bodies import BodyTable, SurfaceMesh
from ipc_articulation.frontend.contact_table import HalfPlaneTable

_FARTHEST = 1e30  # [m], largest coordinate of a vertex, because fourth powers of lengths are computed


def make_surfaces(bodies: BodyTable) -> Surfaces:
    """The surfaces of all bodies, joined in the order of the bodies.

    Raises:
        SceneError: A vertex is not finite, or too far away for distances to be computed; the message names the body.
    """
    meshes: list[Any] = [bodies.surfaces[geometry] for geometry in bodies.geometry]
    surfaces = join_surfaces([(mesh.points, mesh.edges, mesh.faces, mesh.thickness) for mesh in meshes])
    x = surfaces.positions(bodies.q)
    lost = np.flatnonzero(~(np.abs(x) < _FARTHEST).all(axis=1))
    if len(lost):
        raise SceneError(
            f"body '{bodies.names[surfaces.body[lost[0]]]}' has a surface vertex at {x[lost[0]].tolist()} m; "
            f"vertices must be finite, and nearer to the origin than {_FARTHEST:g} m"
        )
    return surfaces


def without_label(bodies: BodyTable, materials: Materials) -> list[str]:
    """Names of bodies that may touch something, but have no edges or faces labelled as surface."""
    forgotten = np.array(
        [_is_unlabelled(*pair) for pair in zip(bodies.slots, bodies.surfaces, strict=True)], dtype=bool
    )
    may_touch = (materials.touching.any(axis=1)) | (materials.plane_pairs != NO_CONTACT).any(axis=1)
    return [bodies.names[row] for row in np.flatnonzero(may_touch & forgotten[bodies.geometry])]


def _is_unlabelled(slot: Any, surface: SurfaceMesh) -> bool:
    geometry = slot.geometry()
    shape = geometry.edges().size() + geometry.triangles().size() + geometry.tetrahedra().size()
    return shape > 0 and len(surface.points) == 0


def make_contact_world(
    surfaces: Surfaces, bodies: BodyTable, planes: HalfPlaneTable, rules: Rules, d_hat: float, gravity: float
) -> ContactWorld:
    """Contact of surfaces with each other and with half-planes.

    Args:
        surfaces: Surfaces of the bodies.
        bodies: The n bodies.
        planes: The half-planes.
        rules: The contact table.
        d_hat: Distance at which the barrier begins, for bodies without their own value [m].
        gravity: The greatest of any body [m/s²].
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
    mass = np.where(bodies.is_fixed, np.inf, bodies.mass[:, 0, 0])
    resistance = Resistance(np.concatenate([mass, np.full(len(planes.names), np.inf)]), gravity, materials)
    return ContactWorld(surfaces, materials, HalfPlanes(planes.names, planes.point, planes.normal), resistance)


def refuse_overlaps(contact: ContactWorld, bodies: BodyTable, q: Array, when: str) -> None:
    """Raise a SceneError if two bodies that may touch intersect at q (n, 12), or almost have no gap."""
    found = contact.find_overlap(q)
    if found is None:
        return
    other = f"half-plane '{found.half_plane}'" if found.other is None else f"'{bodies.names[found.other]}'"
    what = "intersect" if found.gap <= 0.0 else f"have a gap of only {found.gap:.2g} m"
    raise SceneError(
        f"'{bodies.names[found.body]}' and {other} {what} {when}; move them apart, to a gap of {found.wanted:.3g} m "
        "(below it they repel each other), or disable their contact in the contact table"
    )
