"""Stitches: elements between vertices of one body and vertices, edges or triangles of another, soft or affine.

libuipc's constitutions 22, 29 and 30; each is a geometry of its own with `topo` and parameters on its instances and
the ids of both bodies in `geo_ids`. Energies are those of `elasticity.stitches_to_vertices`, `stitches_to_edges` and
`stitches_to_triangles`, times dt². Rest shapes are those of the bodies' first positions in the world, not of their rest
geometries, as in libuipc: so call this before the first step.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.elasticity import stitches_to_edges, stitches_to_triangles, stitches_to_vertices
from ipc_articulation.errors import MeshError, SceneError
from ipc_articulation.frontend.attributes import constitution_uid, read
from ipc_articulation.frontend.bodies import is_affine_body
from ipc_articulation.frontend.entries import Entries
from ipc_articulation.frontend.soft.bodies import is_soft_body, world_positions

_KINDS: dict[int, tuple[str, ModuleType, int, tuple[str, ...]]] = {  # name, law, vertices, parameters as of its `rest`
    22: ("stitches of vertices", stitches_to_vertices, 2, ("kappa", "rest_length")),
    29: ("stitches to edges", stitches_to_edges, 3, ("mu", "lambda", "thickness", "min_separate_distance")),
    30: ("stitches to triangles", stitches_to_triangles, 4, ("mu", "lambda", "min_separate_distance")),
}
UIDS = tuple(_KINDS)


@dataclass(frozen=True)
class Side:
    """The vertices that k stitches have on one body."""

    geometry: int  # id of its geometry
    is_soft: bool  # else it is an affine body, the first instance of the geometry
    vertices: Ints  # (k, c) of the geometry
    points: Array  # (k, c, 3) their positions in the geometry's frame [m]: x̄ of an affine body


@dataclass(frozen=True)
class Stitches:
    """k stitches of one stitch geometry."""

    name: str  # of the energy, for statistics
    slot: Any
    law: ModuleType  # of `ipc_articulation.elasticity`
    sides: tuple[Side, Side]  # an element is the vertex of the first side, then those of the second
    constants: Array  # (k, m) of `law.rest`


def read_stitches(
    slot: Any,
    slots: Mapping[int, Any],
    names: Mapping[int, str] | None = None,
    positions: Callable[[Any], Array] = lambda slot: world_positions(slot.geometry()),
) -> Stitches:
    """Read a stitch geometry.

    Args:
        slot: Its slot.
        slots: All geometry slots of the scene by their ids.
        names: Names of geometries by their ids.
        positions: Gives the vertices (V, 3) of a body's geometry slot in the world, at rest [m].

    Raises:
        SceneError: A body or vertex that does not exist, a wrong parameter, or an edge or triangle without extent.
    """
    geometry, uid = slot.geometry(), constitution_uid(slot.geometry())
    name, law, width, parameters = _KINDS[uid]
    owner = f"{name} '{(names or {}).get(slot.id(), f'geometry {slot.id()}')}' (geometry {slot.id()})"
    instances = Entries(geometry.instances(), owner, "stitch")
    topo = instances.ids("topo", shape=(width,))
    ids = Entries(geometry.meta(), owner).ids("geo_ids", shape=(2,))[0]
    stitched = [_find(int(geo_id), slots, owner) for geo_id in ids]
    sides = [_side(body, vertices, owner) for body, vertices in zip(stitched, (topo[:, :1], topo[:, 1:]), strict=True)]
    values = [_read_parameter(instances, parameter) for parameter in parameters]
    try:
        x = [positions(body)[side.vertices] for body, side in zip(stitched, sides, strict=True)]
        constants = law.rest(*_first_elements(x), *values)
    except MeshError as error:
        raise SceneError(f"{owner}: {error}") from error
    return Stitches(name, slot, law, (sides[0], sides[1]), constants)


def _first_elements(x: list[Array]) -> tuple[Array, Ints]:
    """Positions of all vertices of the elements, and the elements, (k, v), from those of both sides (k, c, 3)."""
    positions = np.concatenate(x, axis=1)  # (k, v, 3)
    return positions.reshape(-1, 3), np.arange(positions[..., 0].size).reshape(positions.shape[:2])


def _find(geo_id: int, slots: Mapping[int, Any], owner: str) -> Any:
    slot = slots.get(geo_id)
    if slot is None or not (is_soft_body(slot.geometry()) or is_affine_body(slot.geometry())):
        raise SceneError(f"{owner} refers to geometry {geo_id}, which is no soft or affine body of the scene")
    if slot.geometry().instances().size() != 1:
        raise SceneError(
            f"{owner} refers to geometry {geo_id}, which has {slot.geometry().instances().size()} instances; a "
            "stitched geometry has one"
        )
    return slot


def _side(slot: Any, vertices: Ints, owner: str) -> Side:
    geometry = slot.geometry()
    points, count = read(geometry.vertices(), "position"), geometry.vertices().size()
    bad = ((vertices < 0) | (vertices >= count)).any(axis=1)
    if bad.any():
        k = int(np.argmax(bad))
        raise SceneError(
            f"{owner}: stitch {k} refers to vertices {vertices[k].tolist()} of geometry {slot.id()}, which has the "
            f"vertices 0 to {count - 1}"
        )
    return Side(slot.id(), is_soft_body(geometry), vertices, np.asarray(points)[vertices])


def _read_parameter(instances: Entries, name: str) -> Array:
    values = instances.numbers(name)
    bad = ~np.isfinite(values) | (values < 0.0)
    if bad.any():
        k = int(np.argmax(bad))
        raise SceneError(
            f"{instances.owner}: stitch {k} has the '{name}' {values[k]:g}; it must be finite and 0 or more"
        )
    return values
