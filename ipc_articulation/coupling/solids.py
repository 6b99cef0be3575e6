"""Closed, outward oriented triangle surfaces of the shapes that bodies are made of, for adapters and scene files.

Round shapes are polyhedra (`round_shapes`): inscribed ones of 66 to 258 vertices, or with a number of sides around.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from ipc_articulation.arguments import COUNT, Wanted, one_of, optional
from ipc_articulation.arrays import Array
from ipc_articulation.coupling import round_shapes
from ipc_articulation.coupling.adapter import ClosedMesh
from ipc_articulation.coupling.mesh_files import FLAT, defect, meshes, oriented, read_mesh, without_volume
from ipc_articulation.dynamics.model.parts import Link
from ipc_articulation.dynamics.model.shapes import (
    FEWEST_SECTIONS,
    MOST_SECTIONS,
    Box,
    Capsule,
    Cylinder,
    Ellipsoid,
    Geometry,
    MeshFile,
    Sphere,
    Triangles,
)
from ipc_articulation.errors import MeshError
from ipc_articulation.repairs import repair
from ipc_articulation.signals import interrupts_deferred

if TYPE_CHECKING:
    import trimesh

MeshShape = Literal["mesh", "hull"]

_CUBE = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
_BOX_FACES = np.array(
    [
        *([1, 3, 0], [4, 1, 0], [0, 3, 2], [2, 4, 0], [1, 7, 3], [5, 1, 4]),
        *([5, 7, 1], [3, 7, 2], [6, 4, 2], [2, 7, 6], [6, 5, 4], [7, 5, 6]),
    ],
    dtype=np.int32,
)


class Facets(NamedTuple):
    """How surfaces become triangles."""

    mesh_shape: MeshShape = "mesh"  # «mesh» takes the triangles of meshes, «hull» their convex hulls
    sections: int | None = None  # flat sides around round shapes, which then roll as these do; None: inscribed ones


PLAIN = Facets()

FACETS: dict[str, Wanted] = {  # its fields as arguments
    "mesh_shape": one_of(*get_args(MeshShape)),
    "sections": optional(
        Wanted(
            f"a whole number from {FEWEST_SECTIONS} to {MOST_SECTIONS}",
            lambda n: COUNT.accepts(n) and FEWEST_SECTIONS <= n <= MOST_SECTIONS,
        )
    ),
}


def surface(geometry: Geometry, owner: str = "", facets: Facets = PLAIN, name: str = "") -> ClosedMesh:
    """The surface of one shape in its own frame; open meshes are closed, which is a repair.

    Args:
        geometry: The shape.
        owner: Whose shape it is, for messages, such as «link 'hand'».
        facets: How surfaces become triangles.
        name: What messages call the shape; else it is named after its kind and its owner.

    Raises:
        MeshError: A mesh cannot be read, the shape has no volume, or repairs are refused and a mesh is open.
    """
    name = name or _name(geometry, owner)
    match geometry:
        case Box():
            return _box(np.array(geometry.size, dtype=float), name)
        case Sphere():
            return oriented(round_shapes.ball([geometry.radius] * 3, facets.sections), name)
        case Ellipsoid():
            return oriented(round_shapes.ball(geometry.radii, facets.sections), name)
        case Cylinder():
            return oriented(round_shapes.cylinder(geometry.radius, geometry.length, facets.sections), name)
        case Capsule():
            return oriented(round_shapes.capsule(geometry.radius, geometry.length, facets.sections), name)
        case Triangles():
            return _closed(meshes().Trimesh(geometry.vertices, geometry.faces), facets.mesh_shape, name)
        case MeshFile():
            return _closed(read_mesh(geometry.path, geometry.scale, name), facets.mesh_shape, name)


def touching(geometry: Geometry, owner: str, facets: Facets, name: str = "") -> ClosedMesh | None:
    """The surface of a robot's shape; None if it has none, which is a repair. Arguments as those of `surface`.

    Raises:
        MeshError: Repairs are refused, and a mesh is open or cannot be read, or the shape has no volume.
    """
    name = name or _name(geometry, owner)
    try:
        return surface(geometry, owner, facets, name)
    except MeshError as error:
        fault = str(error).removeprefix(name).lstrip(": ").partition(";")[0]
        repair(name, fault, "left out of contact", MeshError)
        return None


def bare(fault: str) -> MeshError:
    """The error about a body of a robot's file that has shapes for contact, and no surface; its beginning."""
    return MeshError(
        f"{fault}: it would pass through everything; correct its meshes or where they are looked for, or take its "
        "collision shapes out of the file"
    )


def refuse_bare(links: Iterable[Link]) -> None:
    """Links must not lose all their shapes for contact.

    Raises:
        MeshError: One has; the message has its file and line.
    """
    for link in links:
        if link.bare:
            raise bare(link.bare)


def join(meshes: Iterable[tuple[ClosedMesh | None, Array]]) -> ClosedMesh | None:
    """Several closed surfaces in one: (mesh, transform) pairs, the transforms (4, 4) from mesh to common frame.

    Those that are None are left out; without others, the result is None.
    """
    vertices: list[Array] = []
    faces: list[NDArray[np.int32]] = []
    count = 0
    for mesh, transform in meshes:
        if mesh is None:
            continue
        vertices.append(mesh.vertices @ transform[:3, :3].T + transform[:3, 3])
        faces.append(mesh.faces + count)
        count += len(mesh.vertices)
    return ClosedMesh(np.concatenate(vertices), np.concatenate(faces).astype(np.int32)) if vertices else None


def _name(geometry: Geometry, owner: str) -> str:
    match geometry:
        case Triangles():
            return f"the triangle mesh of {owner}"
        case MeshFile():
            return f"mesh '{geometry.path.name}' of {owner}"
    return f"the {type(geometry).__name__.lower()} of {owner}"


def _box(size: Array, name: str) -> ClosedMesh:
    area = 2.0 * (size[0] * size[1] + size[1] * size[2] + size[2] * size[0])
    if not size.prod() > FLAT * area * np.linalg.norm(size):
        raise without_volume(name)
    return ClosedMesh(_CUBE * size, _BOX_FACES.copy())


def _closed(mesh: trimesh.Trimesh, mesh_shape: MeshShape, name: str) -> ClosedMesh:
    if mesh_shape == "mesh":
        fault = defect(mesh)
        return oriented(mesh, name) if fault is None else _repaired(mesh, name, fault)
    with interrupts_deferred:
        from ipc_articulation.coupling.open_meshes import hull
    convex = hull(mesh)
    if convex is None:
        raise without_volume(name)
    return oriented(convex, name)


def _repaired(mesh: trimesh.Trimesh, name: str, fault: str) -> ClosedMesh:
    with interrupts_deferred:
        from ipc_articulation.coupling.open_meshes import WHOLE_HULL, close
    closed = close(mesh)
    if closed is None:
        raise without_volume(name)
    surface, changes = oriented(closed[0], name), closed[1]
    remedy, detail = (changes, "") if changes == WHOLE_HULL else ("closed", changes)
    repair(name, "not a closed surface", remedy, MeshError, found=fault, detail=detail)
    return surface
