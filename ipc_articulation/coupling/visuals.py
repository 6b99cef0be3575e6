"""Visual surfaces of bodies for recordings, from their shapes for display.

Drawings are no part of the physics: a mesh that cannot be read is left out without a message.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import trimesh

from ipc_articulation.arrays import Colour
from ipc_articulation.coupling import solids
from ipc_articulation.coupling.adapter import ClosedMesh, CoupledBody
from ipc_articulation.coupling.mesh_files import read_coloured
from ipc_articulation.dynamics.model.shapes import Geometry, MeshFile, Shape, Triangles
from ipc_articulation.errors import MeshError
from ipc_articulation.recording.scenery import Role, Surface, Visual
from ipc_articulation.repairs import caution

MOST_TRIANGLES = 200_000  # of all bodies together

_NO_MESH = ClosedMesh(np.zeros((0, 3)), np.zeros((0, 3), dtype=np.int32))

_Coloured = tuple[trimesh.Trimesh, Colour | None]


def visuals_of(bodies: Iterable[CoupledBody]) -> dict[str, tuple[Visual, ...]]:
    """The visual surfaces of bodies that have any, by name.

    With more than `MOST_TRIANGLES` the bodies with the most triangles have none, with one warning.
    """
    found = {body.name: _visuals(body.visual) for body in bodies if body.visual}
    sizes = {name: sum(len(visual.faces) for visual in visuals) for name, visuals in found.items()}
    total, left_out = sum(sizes.values()), []
    for name in sorted(sizes, key=sizes.__getitem__, reverse=True):
        if sum(sizes.values()) > MOST_TRIANGLES:
            left_out.append(name)
            del sizes[name]
    if left_out:
        caution(
            f"the visual meshes have {total} triangles, more than {MOST_TRIANGLES}: {', '.join(left_out)} are drawn by "
            "their collision shapes",
            MeshError,
        )
    return {name: found[name] for name, size in sizes.items() if size}


def surface_of(body: CoupledBody, role: Role, visual: tuple[Visual, ...] = ()) -> Surface:
    """A body as pictures show it."""
    mesh = body.mesh or _NO_MESH
    return Surface(body.name, role, mesh.vertices, mesh.faces, body.pose, visual)


def _visuals(shapes: Sequence[Shape]) -> tuple[Visual, ...]:
    """The surfaces of some shapes, those of one colour joined."""
    by_colour: dict[Colour | None, list[trimesh.Trimesh]] = {}
    for shape in shapes:
        for mesh, own in _meshes(shape.geometry):
            colour = own if shape.colour is None else shape.colour
            if colour is None or colour[3] > 0.0:
                by_colour.setdefault(colour, []).append(mesh.apply_transform(shape.pose))
    return tuple(_joined(meshes, colour) for colour, meshes in by_colour.items())


def _meshes(geometry: Geometry) -> Iterator[_Coloured]:
    match geometry:
        case MeshFile():
            yield from read_coloured(geometry.path, geometry.scale)
        case Triangles():
            yield _mesh(geometry.vertices, geometry.faces), None
        case _:
            try:
                surface = solids.surface(geometry)
            except MeshError:  # without volume
                return
            yield _mesh(surface.vertices, surface.faces), None


def _mesh(vertices: np.ndarray, faces: np.ndarray) -> trimesh.Trimesh:
    return trimesh.Trimesh(vertices, faces, process=False)


def _joined(meshes: Sequence[trimesh.Trimesh], colour: Colour | None) -> Visual:
    counts = np.cumsum([0] + [len(mesh.vertices) for mesh in meshes])
    vertices = np.concatenate([mesh.vertices for mesh in meshes])
    faces = np.concatenate([mesh.faces + count for mesh, count in zip(meshes, counts, strict=False)])
    return Visual(vertices, faces.astype(np.int32), colour)
