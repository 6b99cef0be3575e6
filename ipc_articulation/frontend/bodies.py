"""Affine bodies of a libuipc scene: a row for each body (an instance of a geometry), in the geometries' order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ipc_articulation import affine
from ipc_articulation.arrays import Array, Bools, Ints
from ipc_articulation.errors import SceneError
from ipc_articulation.frontend.attributes import read, read_meta, require
from ipc_articulation.frontend.body_checks import check_columns, check_mass, check_orientation
from ipc_articulation.frontend.entries import Entries
from ipc_articulation.frontend.soft.soft_rows import NO_SOFT_ROWS, SoftRows


@dataclass(frozen=True)
class SurfaceMesh:
    """The surface of one geometry in its local frame, with libuipc's label `is_surf`."""

    points: Array  # (V, 3) [m]
    edges: NDArray[np.int32]  # (E, 2)
    faces: NDArray[np.int32]  # (F, 3)
    thickness: Array  # (V,) radius about each vertex [m]; zero except for shells, rods and the user's own values
    elements: Ints | None = None  # (V,) contact elements; None: that of the geometry
    unlabelled: int = 0  # number of vertices of labelled edges and faces that have no label themselves


@dataclass(frozen=True)
class BodyTable:
    """n affine bodies, structure of arrays."""

    names: tuple[str, ...]
    slots: tuple[Any, ...]  # the g geometry slots, for writing back
    geometry: Ints  # (n,) index into slots and surfaces
    instance: Ints  # (n,) instance within the geometry
    q: Array  # (n, 12) initial coordinates
    qdot: Array  # (n, 12) initial velocity
    mass: Array  # (n, 12, 12)
    volume: Array  # (n,) [m³]
    kappa: Array  # (n,) [Pa]
    is_fixed: Bools  # (n,)
    is_dynamic: Bools  # (n,)
    external_kinetic: Bools  # (n,)
    contact_element: Ints  # (n,)
    subscene: Ints  # (n,)
    d_hat: Array  # (n,) [m]; the scene's value is used if it is not positive
    self_collision: Bools  # (n,)
    own_gravity: Array  # (n, 3) [m/s²]; the scene's gravity is used if it is NaN
    surfaces: tuple[SurfaceMesh, ...]  # (g,)
    rows: dict[tuple[int, int], int]  # (geometry id, instance) -> row, of the affine bodies
    soft: SoftRows  # what the rows after those of the affine bodies are; their `geometry` is -1

    def __len__(self) -> int:
        return len(self.names)

    @property
    def affine_count(self) -> int:
        """Number of affine bodies."""
        return len(self.rows)

    @property
    def keys(self) -> list[tuple[int, int]]:
        """(Geometry id, instance) of each row; of a soft body, (geometry id, number of the row)."""
        soft = [
            (body.slot.id(), k)
            for body, of in zip(self.soft.bodies, self.soft.members, strict=True)
            for k in range(len(of))
        ]
        return [*self.rows, *soft]

    @property
    def transforms(self) -> Array:
        """Initial transforms, (n, 4, 4)."""
        return affine.transform_from_q(self.q)

    def belongs_to(self, slots: Sequence[Any]) -> Bools:
        """Which bodies are instances of these geometry slots, (n,)."""
        ids = {slot.id() for slot in slots}
        return np.array([*(slot.id() in ids for slot in self.slots), False], dtype=bool)[self.geometry]

    def gravity(self, of_scene: Array) -> Array:
        """Gravity (n, 3) [m/s²] of each body in a scene with gravity (3,)."""
        return np.where(np.isnan(self.own_gravity), of_scene, self.own_gravity)

    def rows_of(self, slot: Any) -> Ints:
        """Rows of the instances of one geometry slot, in their order."""
        return np.flatnonzero(self.belongs_to([slot]))

    def index(self, geo_id: int, inst_id: int, asker: str) -> int:
        """Row of a body; a SceneError that names the asker if the scene has no such body."""
        row = self.rows.get((int(geo_id), int(inst_id)))
        if row is None:
            known = ", ".join(f"({g}, {i})" for g, i in self.rows) or "none"
            raise SceneError(
                f"{asker} refers to geometry {geo_id}, instance {inst_id}, but no affine body has that geometry slot; "
                f"(geometry, instance) of the affine bodies: {known}"
            )
        return row


def is_affine_body(geometry: Any) -> bool:
    """Whether a geometry contains affine bodies; those of any constitution have a dyadic mass."""
    return geometry.meta().find("abd_mass") is not None


def read_bodies(slots: Iterable[Any], names: Mapping[int, str] | None = None) -> BodyTable:
    """Read all affine bodies among geometry slots.

    Args:
        slots: Geometry slots.
        names: Names of geometries by their ids; a geometry's own meta attribute `name` has priority.

    Raises:
        SceneError: A body has values with which no step is possible; see `body_checks`.
    """
    slots = tuple(slot for slot in slots if is_affine_body(slot.geometry()))
    geometries = [_read_geometry(slot, (names or {}).get(slot.id())) for slot in slots]
    surfaces = tuple(read_surface(slot.geometry(), f"affine-body geometry {slot.id()}") for slot in slots)
    joined: dict[str, list[Any]] = {}
    for i, columns in enumerate(geometries):
        columns["geometry"], elements = np.full(len(columns["instance"]), i), surfaces[i].elements
        if elements is not None and len(elements):
            columns["contact_element"][:] = elements[0]
        for name, column in columns.items():
            joined.setdefault(name, []).extend(column)
    rows = {
        (slots[g].id(), int(i)): row
        for row, (g, i) in enumerate(zip(joined.get("geometry", ()), joined.get("instance", ()), strict=True))
    }
    return BodyTable(
        names=tuple(joined.get("names", ())),
        slots=slots,
        surfaces=surfaces,
        rows=rows,
        soft=NO_SOFT_ROWS,
        **{name: _stack(joined.get(name, []), dtype, shape) for name, (dtype, shape) in _COLUMNS.items()},
    )


_COLUMNS: dict[str, tuple[type, tuple[int, ...]]] = {
    "geometry": (np.int64, ()),
    "instance": (np.int64, ()),
    "q": (np.float64, (affine.DOF,)),
    "qdot": (np.float64, (affine.DOF,)),
    "mass": (np.float64, (affine.DOF, affine.DOF)),
    "volume": (np.float64, ()),
    "kappa": (np.float64, ()),
    "is_fixed": (np.bool_, ()),
    "is_dynamic": (np.bool_, ()),
    "external_kinetic": (np.bool_, ()),
    "contact_element": (np.int64, ()),
    "subscene": (np.int64, ()),
    "d_hat": (np.float64, ()),
    "self_collision": (np.bool_, ()),
    "own_gravity": (np.float64, (3,)),
}


def _stack(rows: list[Any], dtype: type, shape: tuple[int, ...]) -> Any:
    return np.ascontiguousarray(np.array(rows, dtype=dtype).reshape(len(rows), *shape))


def _read_geometry(slot: Any, object_name: str | None) -> dict[str, Any]:
    """The columns of one geometry's instances."""
    geometry, owner = slot.geometry(), f"affine-body geometry {slot.id()}"
    transforms = require(geometry.instances(), "transform", owner)
    n = len(transforms)
    name = read_meta(geometry, "name", object_name or f"geometry {slot.id()}")
    instances, meta = Entries(geometry.instances(), owner, "instance"), Entries(geometry.meta(), owner)
    flags = {name: instances.flags(name) for name in ("is_fixed", "is_dynamic", "external_kinetic")}
    columns: dict[str, Any] = {
        "names": [name if n == 1 else f"{name} instance {i}" for i in range(n)],
        "instance": np.arange(n),
        "q": affine.q_from_transform(transforms),
        "qdot": affine.qdot_from_transform_rate(instances.numbers("velocity", 0.0, (4, 4))),
        "mass": np.broadcast_to(_read_mass(geometry, owner), (n, affine.DOF, affine.DOF)),
        "volume": np.full(n, meta.numbers("volume", 0.0)[0]),
        "kappa": instances.numbers("kappa"),
        "contact_element": np.full(n, meta.ids("contact_element_id", 0)[0]),
        "subscene": np.full(n, meta.ids("subscene_element_id", 0)[0]),
        "d_hat": np.full(n, meta.numbers("d_hat", -1.0)[0]),
        "self_collision": np.full(n, meta.flags("self_collision", False)[0]),
        "own_gravity": _read_gravity(geometry, f"body '{name}'"),
        **flags,
    }
    check_columns(columns, owner)
    if geometry.tetrahedra().size() == 0 and geometry.triangles().find("topo") is not None:
        faces, points = require(geometry.triangles(), "topo", owner), require(geometry.vertices(), "position", owner)
        check_orientation(points, faces, columns["volume"][0], f"body '{name}' ({owner})")
    return columns


def _read_mass(geometry: Any, owner: str) -> Array:
    m, s, S = (require(geometry.meta(), f"abd_mass{suffix}", owner)[0] for suffix in ("", "_x_bar", "_x_bar_x_bar"))
    check_mass(m, s, S, owner)
    return affine.mass_matrix(m, s, S)


def _read_gravity(geometry: Any, owner: str) -> Array:
    """The instances' own `gravity` [m/s²], (n, 3), NaN without one. As in libuipc, it is read once."""
    gravity = read(geometry.instances(), "gravity")
    if gravity is None:
        return np.full((geometry.instances().size(), 3), np.nan)
    if gravity.shape[1:] != (3,) or not np.isfinite(gravity).all():
        raise SceneError(f"{owner}: its gravity must be a Vector3 of finite numbers [m/s²]")
    return gravity


def read_surface(geometry: Any, owner: str = "geometry") -> SurfaceMesh:
    """The labelled surface of a simplicial complex with only its own vertices; empty without labels."""
    points = require(geometry.vertices(), "position", owner)
    edges = _labelled(Entries(geometry.edges(), owner, "edge"), 2)
    faces = _labelled(Entries(geometry.triangles(), owner, "triangle"), 3)
    vertices = Entries(geometry.vertices(), owner, "vertex")
    alone = np.flatnonzero(vertices.flags("is_surf", False))
    used = np.unique(np.concatenate([edges.ravel(), faces.ravel(), alone])).astype(np.int64)
    compact = np.full(len(points), -1, dtype=np.int32)
    compact[used] = np.arange(len(used), dtype=np.int32)
    elements = vertices.ids("contact_element_id")[used] if vertices.has("contact_element_id") else None
    thickness = vertices.numbers("thickness", 0.0)[used]
    return SurfaceMesh(points[used], compact[edges], compact[faces], thickness, elements, len(used) - len(alone))


def _labelled(primitives: Entries, k: int) -> Ints:
    if not (primitives.has("topo") and primitives.has("is_surf")):
        return np.zeros((0, k), dtype=np.int64)
    return primitives.ids("topo", shape=(k,))[primitives.flags("is_surf")]
