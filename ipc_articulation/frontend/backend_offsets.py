"""Where a geometry is among all, as libuipc's CUDA engine writes it into `meta`: scripts find their rows by it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ipc_articulation.affine import DOF
from ipc_articulation.frontend.attributes import writable
from ipc_articulation.frontend.bodies import is_affine_body
from ipc_articulation.frontend.contact_table import is_half_plane
from ipc_articulation.frontend.soft.soft_body import SoftBody


def write_offsets(slots: Iterable[Any], soft: Iterable[SoftBody]) -> None:
    """Number the geometries: affine bodies, then soft ones, then half-planes, each in the order of their slots.

    `backend_abd_body_offset` is the first body, `backend_fem_vertex_offset` the first vertex of the soft bodies,
    `global_vertex_offset` the first of all vertices (of which each instance has its own, and a half-plane one),
    `dof_offset` and `dof_count` are those of the coordinates: twelve of an affine body, three of a vertex.

    Args:
        slots: All geometry slots.
        soft: The soft bodies, in the order of the engine.
    """
    slots = tuple(slots)
    bodies = vertices = 0
    for geometry in (slot.geometry() for slot in slots if is_affine_body(slot.geometry())):
        count = geometry.instances().size()
        _write(geometry, backend_abd_body_offset=bodies, global_vertex_offset=vertices)
        _write(geometry, dof_offset=DOF * bodies, dof_count=DOF * count)
        bodies += count
        vertices += count * geometry.vertices().size()
    first = vertices
    for body in soft:
        geometry, count, own = body.slot.geometry(), len(body.x), vertices - first
        _write(geometry, backend_fem_vertex_offset=own, global_vertex_offset=vertices)
        _write(geometry, dof_offset=DOF * bodies + 3 * own, dof_count=3 * count)
        vertices += count
    for geometry in (slot.geometry() for slot in slots if is_half_plane(slot.geometry())):
        _write(geometry, global_vertex_offset=vertices)
        vertices += geometry.instances().size()


def _write(geometry: Any, **values: int) -> None:
    for name, value in values.items():
        slot = geometry.meta().find(name)
        if slot is None:
            geometry.meta().create(name, value)
        else:
            writable(slot)[:] = value
