"""Soft bodies of a libuipc scene: a geometry with a constitution of finite elements is one body, its vertices are free.

libuipc reads all of this once, at `world.init`; only positions and velocities change later. Its rules are kept:

- Masses are `mass` of the vertices, else the density times `volume`, which `apply_to` computed for the rest geometry.
- Rest positions are those of the rest geometry, untransformed. Present positions are transformed once, and then live
  in the world: `bake_transforms` writes them back. Velocities are in the world from the start.
- What may touch is what has the label `is_surf`: vertices, edges and triangles each by their own labels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
from uipc.builtin import ConstitutionUIDCollection

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.errors import SceneError, UnsupportedError
from ipc_articulation.frontend.attributes import constitution_uid, read, read_meta, require
from ipc_articulation.frontend.entries import Entries
from ipc_articulation.frontend.soft.body_checks import check_body
from ipc_articulation.frontend.soft.soft_body import SoftBody


def is_soft_body(geometry: Any) -> bool:
    """Whether a geometry has a constitution of finite elements; Empty has the UID 0.

    Raises:
        SceneError: Its UID is no whole number.
    """
    if geometry.meta().find("constitution_uid") is None:
        return False
    uid, known = constitution_uid(geometry), ConstitutionUIDCollection.instance()
    return known.exists(uid) and known.find(uid).type == "FiniteElement"


def read_soft_bodies(
    slots: Iterable[Any], rest_slots: Iterable[Any], names: Mapping[int, str] | None = None
) -> tuple[SoftBody, ...]:
    """Read all soft bodies among geometry slots.

    Args:
        slots: Geometry slots.
        rest_slots: Rest geometry slots of the scene; each has the id of its geometry.
        names: Names of geometries by their ids; a geometry's own meta attribute `name` has priority.

    Raises:
        SceneError: A body has values with which no step is possible; see `body_checks`.
        UnsupportedError: A value of which a body has one differs from vertex to vertex.
    """
    rests = {slot.id(): slot for slot in rest_slots}
    soft = [slot for slot in slots if is_soft_body(slot.geometry())]
    return tuple(_read_body(slot, rests[slot.id()].geometry(), (names or {}).get(slot.id())) for slot in soft)


def bake_transforms(slots: Iterable[Any]) -> None:
    """Write world positions into the geometries of soft bodies, and make their transforms the identity, as libuipc."""
    from uipc import view

    for slot in slots:
        geometry = slot.geometry()
        if is_soft_body(geometry):
            view(geometry.positions())[:] = world_positions(geometry)[..., None]
            view(geometry.transforms())[:] = np.eye(4)


def world_positions(geometry: Any) -> Array:
    """Positions of the vertices of the first instance, (V, 3) [m], in the world."""
    T = require(geometry.instances(), "transform", "geometry")[0]
    return require(geometry.vertices(), "position", "geometry") @ T[:3, :3].T + T[:3, 3]


def _read_body(slot: Any, rest: Any, object_name: str | None) -> SoftBody:
    geometry = slot.geometry()
    name = str(read_meta(geometry, "name", object_name or f"geometry {slot.id()}"))
    owner = f"soft body '{name}' (geometry {slot.id()})"
    if geometry.instances().size() != 1:
        raise SceneError(
            f"{owner} has {geometry.instances().size()} instances; a soft body has one: make a geometry for each"
        )
    V, vertices = geometry.vertices().size(), Entries(geometry.vertices(), owner, "vertex")
    if rest.vertices().size() != V:
        raise SceneError(f"{owner} has {V} vertices, but its rest geometry has {rest.vertices().size()}")
    _refuse_mirrors(geometry, owner)
    edges, triangles, tetrahedra = (
        _topology(geometry, collection, k) for collection, k in (("edges", 2), ("triangles", 3), ("tetrahedra", 4))
    )
    body = SoftBody(
        name=name,
        slot=slot,
        rest=require(rest.vertices(), "position", f"the rest geometry of {owner}"),
        x=world_positions(geometry),
        v=vertices.numbers("velocity", 0.0, (3,)),
        mass=_read_mass(geometry, rest, owner),
        is_fixed=vertices.flags("is_fixed", False),
        is_dynamic=vertices.flags("is_dynamic", True),
        own_gravity=vertices.numbers("gravity", np.nan, (3,)),
        thickness=vertices.numbers("thickness", 0.0),
        contact_elements=_read_elements(geometry, owner),
        subscene=int(_one_value(geometry, "subscene_element_id", 0, owner, Entries.ids)),
        d_hat=_read_d_hat(geometry, owner),
        self_collision=bool(Entries(geometry.meta(), owner).flags("self_collision", True)[0]),
        dimension=geometry.dim(),
        edges=edges,
        triangles=triangles,
        tetrahedra=tetrahedra,
        surface_vertices=vertices.flags("is_surf", False),
        surface_edges=edges[Entries(geometry.edges(), owner, "edge").flags("is_surf", False)],
        surface_faces=triangles[Entries(geometry.triangles(), owner, "triangle").flags("is_surf", False)],
    )
    check_body(body, has_gravity=vertices.has("gravity"))
    return body


def _refuse_mirrors(geometry: Any, owner: str) -> None:
    determinant = np.linalg.det(require(geometry.instances(), "transform", owner)[0][:3, :3])
    if not determinant > 0.0:
        raise SceneError(f"{owner} has a transform that mirrors or flattens it; its determinant must be positive")


def _topology(geometry: Any, collection: str, k: int) -> Ints:
    topo = read(getattr(geometry, collection)(), "topo")
    return np.zeros((0, k), dtype=np.int64) if topo is None else topo.astype(np.int64)


def _one_value(geometry: Any, name: str, default: float, owner: str, read_all: Callable[..., Any]) -> Any:
    """The value of all vertices, else that of the geometry, else the default; `read_all` is a method of Entries."""
    vertices = Entries(geometry.vertices(), owner, "vertex")
    if not vertices.has(name) or not geometry.vertices().size():
        return read_all(Entries(geometry.meta(), owner), name, default)[0]
    values = read_all(vertices, name)
    if np.ptp(values) > 0:
        raise UnsupportedError(
            f"{owner} has a '{name}' that differs from vertex to vertex ({values.min():g} to {values.max():g}); the "
            "CPU engine has one for each geometry; use Engine('cuda')"
        )
    return values[0]


def _read_elements(geometry: Any, owner: str) -> Ints:
    """Contact elements of the vertices, (V,)."""
    vertices = Entries(geometry.vertices(), owner, "vertex")
    if vertices.has("contact_element_id"):
        return vertices.ids("contact_element_id")
    return np.repeat(Entries(geometry.meta(), owner).ids("contact_element_id", 0), geometry.vertices().size())


def _read_d_hat(geometry: Any, owner: str) -> float:
    d_hat = float(_one_value(geometry, "d_hat", -1.0, owner, Entries.numbers))
    if not np.isfinite(d_hat):
        raise SceneError(f"{owner} has d_hat {d_hat:g}; it must be finite, and positive where it is not the scene's")
    return d_hat


def _read_mass(geometry: Any, rest: Any, owner: str) -> Array:
    """Lumped masses (V,) [kg]."""
    vertices = Entries(geometry.vertices(), owner, "vertex")
    if vertices.has("mass"):
        return vertices.numbers("mass")
    density = (vertices if vertices.has("mass_density") else Entries(geometry.meta(), owner)).numbers("mass_density")
    return density * Entries(rest.vertices(), f"the rest geometry of {owner}", "vertex").numbers("volume")
