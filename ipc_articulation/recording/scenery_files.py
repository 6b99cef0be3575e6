"""The scenery of a recording on disk: group `scenery` of its Zarr group.

vertices (V, 3), faces (F, 3), poses (B, 4, 4)    of all surfaces, one after the other; faces count their own vertices
visual_vertices, visual_faces                     of all visual surfaces in the same way, if there are any
soft_vertices, soft_cells (k, 4)                  of all soft bodies in the same way; unused corners are -1
soft_rest                                         as soft_vertices, if a soft body does not start at rest
attributes: names, roles, vertex_counts, face_counts, planes, up, eye, target, columns (checksums as in `layout`),
            visuals (body, colour, vertex_count and face_count of each),
            cameras (name, eye, target, on, at, turns, up and angle of each),
            soft (name, corners, vertex_count, cell_count, radius and has_rest of each)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ipc_articulation.recording.descriptions import SceneryDescription, SoftDescription, VisualDescription
from ipc_articulation.recording.layout import create_array, entries_checksum, sealed
from ipc_articulation.recording.scenery import Point, Scenery, SoftShape, Surface, Visual

_ARRAYS = {"vertices": "f8", "faces": "i4", "poses": "f8", "visual_vertices": "f4", "visual_faces": "i4"}
_ARRAYS |= {"soft_vertices": "f8", "soft_cells": "i4", "soft_rest": "f8"}


def write_scenery(group: Any, scenery: Scenery) -> None:
    """Write it into an empty group."""
    surfaces = scenery.surfaces
    values = {
        "vertices": np.concatenate([np.zeros((0, 3)), *(surface.vertices for surface in surfaces)]),
        "faces": np.concatenate([np.zeros((0, 3), dtype=np.int32), *(surface.faces for surface in surfaces)]),
        "poses": np.concatenate([np.zeros((0, 4, 4)), *(surface.pose[None] for surface in surfaces)]),
    }
    if visuals := [visual for surface in surfaces for visual in surface.visual]:
        values["visual_vertices"] = np.concatenate([visual.vertices for visual in visuals])
        values["visual_faces"] = np.concatenate([visual.faces for visual in visuals])
    if scenery.soft:
        values["soft_vertices"] = np.concatenate([shape.vertices for shape in scenery.soft])
        values["soft_cells"] = np.concatenate([_padded(shape.cells) for shape in scenery.soft])
    if any(shape.unstrained is not None for shape in scenery.soft):
        values["soft_rest"] = np.concatenate([shape.rest for shape in scenery.soft])
    for name, value in values.items():
        dimensions = tuple(f"{name}_{letter}" for letter in "ijk"[: value.ndim])
        array = create_array(group, name, value.shape, _ARRAYS[name], len(value), dimensions)
        if len(value):
            array[...] = value
    columns = {
        f"scenery/{name}": {"length": len(value), "checksums": [entries_checksum(value.astype(_ARRAYS[name]))]}
        for name, value in values.items()
    }
    group.attrs.put(sealed({**asdict(_description(scenery)), "columns": columns}))


def read_scenery(description: SceneryDescription, arrays: Mapping[str, NDArray[Any]]) -> Scenery:
    """What `write_scenery` wrote, from the group's description and arrays."""
    vertices = np.split(arrays["vertices"], np.cumsum(description.vertex_counts)[:-1])
    faces = np.split(arrays["faces"], np.cumsum(description.face_counts)[:-1])
    visual = _visuals(description, arrays)
    each = zip(description.names, description.roles, vertices, faces, arrays["poses"], visual, strict=False)
    planes = tuple((np.array(point), np.array(normal)) for point, normal in description.planes)
    surfaces = tuple(Surface(*parts) for parts in each)
    up, soft = np.array(description.up), _soft(description, arrays)
    return Scenery(surfaces, planes, up, description.eye, description.target, soft, description.cameras)


def _padded(cells: NDArray[np.int32]) -> NDArray[np.int32]:
    """Cells with four columns, (k, 4)."""
    return np.pad(cells, ((0, 0), (0, 4 - cells.shape[1])), constant_values=-1)


def _soft(description: SceneryDescription, arrays: Mapping[str, NDArray[Any]]) -> tuple[SoftShape, ...]:
    found, vertex, cell = [], 0, 0
    for soft in description.soft:
        cells = arrays["soft_cells"][cell : cell + soft.cell_count, : soft.corners]
        own = slice(vertex, vertex + soft.vertex_count)
        rest = arrays["soft_rest"][own] if soft.has_rest else None
        found.append(SoftShape(soft.name, cells, arrays["soft_vertices"][own], soft.radius, rest))
        vertex, cell = vertex + soft.vertex_count, cell + soft.cell_count
    return tuple(found)


def _visuals(description: SceneryDescription, arrays: Mapping[str, NDArray[Any]]) -> list[tuple[Visual, ...]]:
    """The visual surfaces of each body."""
    found: list[tuple[Visual, ...]] = [()] * len(description.names)
    vertex = face = 0
    for entry in description.visuals:
        vertices = arrays["visual_vertices"][vertex : vertex + entry.vertex_count].astype(np.float64)
        faces = arrays["visual_faces"][face : face + entry.face_count]
        found[entry.body] += (Visual(vertices, faces, entry.colour),)
        vertex, face = vertex + entry.vertex_count, face + entry.face_count
    return found


def _description(scenery: Scenery) -> SceneryDescription:
    surfaces = scenery.surfaces
    return SceneryDescription(
        tuple(surface.name for surface in surfaces),
        tuple(surface.role for surface in surfaces),
        tuple(len(surface.vertices) for surface in surfaces),
        tuple(len(surface.faces) for surface in surfaces),
        tuple((_point(point), _point(normal)) for point, normal in scenery.planes),
        _point(scenery.up),
        None if scenery.eye is None else _point(scenery.eye),
        None if scenery.target is None else _point(scenery.target),
        visuals=tuple(
            VisualDescription(body, visual.colour, len(visual.vertices), len(visual.faces))
            for body, surface in enumerate(surfaces)
            for visual in surface.visual
        ),
        soft=tuple(
            SoftDescription(s.name, s.cells.shape[1], len(s.vertices), len(s.cells), s.radius, s.unstrained is not None)
            for s in scenery.soft
        ),
        cameras=scenery.cameras,
    )


def _point(values: Iterable[float]) -> Point:
    x, y, z = map(float, values)
    return x, y, z
