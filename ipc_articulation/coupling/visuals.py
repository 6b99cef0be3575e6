"""Visual surfaces of bodies for recordings, from their shapes for display.

Drawings are no part of the physics: a mesh that cannot be read is left out without a message.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ipc_articulation.arrays import Array, Colour
from ipc_articulation.coupling import solids
from ipc_articulation.coupling.adapter import ClosedMesh, CoupledBody
from ipc_articulation.coupling.mesh_files import read_coloured
from ipc_articulation.dynamics.model.shapes import Geometry, MeshFile, Shape, Triangles
from ipc_articulation.errors import MeshError
from ipc_articulation.recording.scenery import Role, Surface, Visual
from ipc_articulation.repairs import caution

MOST_TRIANGLES = 200_000  # of all bodies together

_NO_MESH = ClosedMesh(np.zeros((0, 3)), np.zeros((0, 3), dtype=np.int32))

_Faces = NDArray[np.integer[Any]]  # (f, 3)
_Triangles = tuple[Array, _Faces]  # vertices (v, 3)


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
    by_colour: dict[Colour | None, list[_Triangles]] = {}
    for shape in shapes:
        for vertices, faces, own in _meshes(shape.geometry):
            colour = own if shape.colour is None else shape.colour
            if colour is None or colour[3] > 0.0:
                placed = vertices @ shape.pose[:3, :3].T + shape.pose[:3, 3]
                by_colour.setdefault(colour, []).append((placed, faces))
    return tuple(_joined(meshes, colour) for colour, meshes in by_colour.items())


def _meshes(geometry: Geometry) -> Iterator[tuple[Array, _Faces, Colour | None]]:
    match geometry:
        case MeshFile():
            for mesh, colour in read_coloured(geometry.path, geometry.scale):
                yield np.asarray(mesh.vertices), np.asarray(mesh.faces), colour
        case Triangles():
            yield geometry.vertices, geometry.faces, None
        case _:
            try:
                surface = solids.surface(geometry)
            except MeshError:  # without volume
                return
            yield surface.vertices, surface.faces, None


def _joined(meshes: Sequence[_Triangles], colour: Colour | None) -> Visual:
    counts = np.cumsum([0] + [len(vertices) for vertices, _ in meshes])
    vertices = np.concatenate([vertices for vertices, _ in meshes])
    faces = np.concatenate([faces + count for (_, faces), count in zip(meshes, counts, strict=False)])
    return Visual(vertices, faces.astype(np.int32), colour)
