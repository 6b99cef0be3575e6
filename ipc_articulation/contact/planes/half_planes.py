"""The half-planes of a scene, and the bodies that may touch them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ipc_articulation.arrays import Array, Bools, Ints
from ipc_articulation.contact.materials import NO_CONTACT, Materials
from ipc_articulation.contact.planes.pairs import PlanePairs
from ipc_articulation.contact.surfaces import Surfaces


@dataclass(frozen=True)
class HalfPlanes:
    """P half-planes, with the free space n·(x - p) > 0."""

    names: tuple[str, ...]
    point: Array  # (P, 3) [m]
    normal: Array  # (P, 3) unit


def find_pairs(surfaces: Surfaces, planes: HalfPlanes, materials: Materials, touches: Bools) -> tuple[PlanePairs, Ints]:
    """The pairs of bodies and half-planes that may touch.

    Args:
        surfaces: Surfaces of the n bodies.
        planes: The half-planes.
        materials: The contact models of all pairs.
        touches: Bodies whose vertices may touch anything, (n,).

    Returns:
        The k pairs, and the half-plane of each, (k,).
    """
    counts, plane_pairs = np.diff(surfaces.first), materials.plane_pairs[materials.group]
    body, plane = map(np.ascontiguousarray, np.nonzero((plane_pairs != NO_CONTACT) & (touches & (counts > 0))[:, None]))
    material = plane_pairs[body, plane]
    pairs = PlanePairs(
        body,
        np.ascontiguousarray(planes.normal[plane]),
        np.einsum("ij,ij->i", planes.normal, planes.point)[plane],
        materials.d_hat[material],
        materials.thickness[material],
        np.concatenate([[0], np.cumsum(counts[body])]).astype(np.int64),
        surfaces.first,
        surfaces.points,
        *surfaces.boxes,
    )
    return pairs, plane
