"""The contact of a libuipc scene: its bodies, half-planes and contact table as one `ContactWorld`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ipc_articulation.arrays import Array, Bools, Ints
from ipc_articulation.contact.materials import NO_CONTACT, Materials, Rules, Traits, make_materials
from ipc_articulation.contact.meshes import Meshes, SoftMesh, make_meshes
from ipc_articulation.contact.surfaces import Surfaces, join_surfaces, with_points
from ipc_articulation.contact.world import ContactWorld, HalfPlanes
from ipc_articulation.errors import SceneError
from ipc_articulation.frontend.bodies import BodyTable, SurfaceMesh
from ipc_articulation.frontend.contact_table import HalfPlaneTable
from ipc_articulation.frontend.part_elements import elements_of_bodies, part_friction
from ipc_articulation.frontend.soft.body_checks import LARGEST, refuse_extremes
from ipc_articulation.frontend.soft.mixed_elements import vertex_elements, with_elements_of_bodies
from ipc_articulation.frontend.soft.soft_rows import touching_vertices

_SMALLEST = 1e-12  # [m], d̂, of which fourth powers are computed, too


def make_surfaces(bodies: BodyTable) -> Surfaces:
    """The surfaces of all bodies, joined in the order of the bodies; all vertices of soft bodies are points of them.

    Raises:
        SceneError: A vertex is not finite, too far away or too fast (see `refuse_extremes`); names the body.
    """
    meshes: list[Any] = [bodies.surfaces[geometry] for geometry in bodies.geometry[: bodies.affine_count]]
    surfaces = join_surfaces([(mesh.points, mesh.edges, mesh.faces, mesh.thickness) for mesh in meshes])
    if bodies.soft.bodies:
        thickness = bodies.soft.column([body.thickness for body in bodies.soft.bodies])[bodies.soft.has]
        surfaces = with_points(surfaces, bodies.soft.labels, thickness, bodies.soft.counts)
    for what, q in (("position", bodies.q), ("velocity", bodies.qdot)):
        values = surfaces.positions(q)
        extreme = np.flatnonzero(~(np.abs(values) <= LARGEST).all(axis=1))
        if len(extreme):
            row = surfaces.body[extreme[0]]
            own = values[surfaces.first[row] : surfaces.first[row + 1]]
            refuse_extremes(own, what, f"body '{bodies.names[row]}'")
    return surfaces


def without_label(bodies: BodyTable, materials: Materials) -> list[str]:
    """Names of bodies that may touch something, but have no edges or faces labelled as surface."""
    forgotten = np.array(
        [_is_unlabelled(*pair) for pair in zip(bodies.slots, bodies.surfaces, strict=True)], dtype=bool
    )
    may_touch = (materials.touching.any(axis=1)) | (materials.plane_pairs != NO_CONTACT).any(axis=1)
    n = bodies.affine_count
    affine = [bodies.names[row] for row in np.flatnonzero(may_touch[:n] & forgotten[bodies.geometry[:n]])]
    soft = zip(bodies.soft.bodies, may_touch[n:], strict=True)
    return affine + [body.name for body, may in soft if may and not touching_vertices(body).any()]


def partly_labelled(bodies: BodyTable) -> Iterator[tuple[str, int]]:
    """Names of affine bodies, one of each geometry, some of whose vertices lack the label of their edges; how many."""
    for number, mesh in enumerate(bodies.surfaces):
        rows = np.flatnonzero(bodies.geometry == number)
        if mesh.unlabelled and len(rows):
            yield bodies.names[rows[0]], mesh.unlabelled


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
    group = group_of_rows(bodies)
    first = np.searchsorted(group, np.arange(group[-1] + 1 if len(group) else 0))  # row of each body
    thickness, is_fixed = np.zeros(len(first)), np.ones(len(first), dtype=np.bool_)
    np.maximum.at(thickness, group[surfaces.body], surfaces.thickness)
    is_fixed[group[~bodies.is_fixed]] = False
    names = [*(bodies.names[row] for row in first), *planes.names]
    of_vertices = [(body.name, np.unique(body.contact_elements)) for body in bodies.soft.bodies]
    of_vertices += elements_of_bodies(bodies)
    every = [bodies.contact_element[first], planes.contact_element, *(own for _, own in of_vertices)]
    named = [*names, *(name for name, own in of_vertices for _ in own)]
    _refuse_outside("contact element", np.concatenate(every), len(rules.enabled), named)
    elements = vertex_elements(surfaces, bodies, rules)
    element, rules = with_elements_of_bodies(bodies, every[0], planes.contact_element, rules)
    traits = Traits(
        element=element,
        subscene=bodies.subscene[first],
        d_hat=np.where(bodies.d_hat > 0.0, bodies.d_hat, d_hat)[first],
        thickness=thickness,
        is_fixed=is_fixed,
        self_collision=bodies.self_collision[first],
    )
    _refuse_d_hat(traits.d_hat, names)
    subscenes = np.concatenate([traits.subscene, planes.subscene])
    _refuse_outside("subscene element", subscenes, len(rules.subscenes), names)
    materials = make_materials(rules, traits, planes.contact_element, planes.subscene, group)
    mass = np.where(bodies.is_fixed, np.inf, bodies.mass[:, 0, 0])
    every_mass = np.concatenate([mass, np.full(len(planes.names), np.inf)])
    half_planes = HalfPlanes(planes.names, planes.point, planes.normal)
    parts = part_friction(surfaces, bodies, group, element, planes.contact_element, rules)
    of_soft = _soft(surfaces, bodies)
    return ContactWorld(surfaces, materials, half_planes, every_mass, gravity, *of_soft, elements, parts)


def _refuse_d_hat(d_hat: Array, names: list[str]) -> None:
    """Refuse distances (m,) [m] of which the barrier has no numbers.

    Raises:
        SceneError: One is outside of the limits; names the body.
    """
    bad = ~((d_hat >= _SMALLEST) & (d_hat <= LARGEST))
    if bad.any():
        k = int(np.argmax(bad))
        raise SceneError(f"'{names[k]}' has the d_hat {d_hat[k]:g} m; valid: {_SMALLEST:g} to {LARGEST:g} m")


def _refuse_outside(what: str, numbers: Ints, count: int, names: Sequence[str]) -> None:
    """Refuse numbers of elements that a table of `count` elements does not have, by the names of their bodies."""
    outside = (numbers < 0) | (numbers >= count)
    if outside.any():
        k = int(np.argmax(outside))
        raise SceneError(f"'{names[k]}' has {what} {numbers[k]}; the scene's table has 0 to {count - 1}")


def group_of_rows(bodies: BodyTable) -> Ints:
    """Which body each row belongs to, (n,): a soft body is one, after the affine ones."""
    n, counts = bodies.affine_count, np.diff(bodies.soft.first)
    return np.concatenate([np.arange(n), n + np.repeat(np.arange(len(counts)), counts)])


def _soft(surfaces: Surfaces, bodies: BodyTable) -> tuple[Meshes | None, Bools]:
    """The meshes of soft bodies and of those beside them, None without any; and the rows that touch half-planes."""
    touches = ~bodies.is_fixed
    if not bodies.soft.bodies:
        return None, touches
    meshes, places = [], [surfaces.first[bodies.affine_count] + place for place in bodies.soft.places]
    for body, place in zip(bodies.soft.bodies, places, strict=True):
        touching = touching_vertices(body)
        touches[surfaces.body[place]] &= touching
        in_edges = np.concatenate([body.surface_edges.ravel(), body.surface_faces.ravel()])
        alone = np.setdiff1d(np.flatnonzero(touching), in_edges)
        edges, faces = body.surface_edges.astype(np.int32), body.surface_faces.astype(np.int32)
        meshes.append(SoftMesh(edges, faces, alone, body.rest))
    return make_meshes(surfaces, bodies.affine_count, meshes, places), touches
