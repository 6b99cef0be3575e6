"""The two bodies whose surfaces are closest, for messages."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ipc_articulation.contact.proximity import Proximity
from ipc_articulation.contact.world import ContactWorld

Array = NDArray[np.float64]


def closest_bodies(contact: ContactWorld, q: Array) -> tuple[int, ...]:
    """Rows of the two bodies with the smallest distance; of one, where that is to a half-plane.

    Empty where nothing is near. Looks at the pairs one by one: only failures ask for it.

    Args:
        contact: Who may touch whom.
        q: Coordinates, (n, 12).
    """
    x = contact.surfaces.positions(q)
    plane_gap = contact.half_planes.minimum_distance(x)
    gap, pair = _closest_pair(contact, x, 10.0 * contact.materials.reach)
    if min(gap, plane_gap) >= 10.0 * contact.materials.reach:
        return ()
    return pair if gap <= plane_gap else (contact.half_planes.nearest_body(x),)


def _closest_pair(contact: ContactWorld, x: Array, within: float) -> tuple[float, tuple[int, ...]]:
    touching = contact.materials.touching
    if not touching.any():
        return np.inf, ()
    proximity = Proximity(contact.surfaces, touching, within)
    proximity.cover(x, x)
    mesh, collisions = proximity.mesh, proximity.collisions(x, within)
    if not len(collisions):
        return np.inf, ()
    stencils = [collisions[i] for i in range(len(collisions))]
    gaps = [stencil.compute_distance(x, mesh.edges, mesh.faces) for stencil in stencils]  # squared
    best = int(np.argmin(gaps))
    vertices = [v for v in stencils[best].vertex_ids(mesh.edges, mesh.faces) if v >= 0]
    return float(np.sqrt(gaps[best])), tuple(np.unique(contact.surfaces.body[vertices]).tolist())
