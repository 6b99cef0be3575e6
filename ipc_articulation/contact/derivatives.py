"""Derivatives of contact, as the Newton system takes them."""

from __future__ import annotations

from typing import NamedTuple

from ipc_articulation.arrays import Array, Ints


class VertexBlocks(NamedTuple):
    """Second derivatives of k stencils by their four vertices, or other points of bodies."""

    bodies: Ints  # (k, 4)
    points: Array  # (k, 4, 3) local positions [m]
    H: Array  # (k, 12, 12)


class ContactDerivatives(NamedTuple):
    """Derivatives of the contact energy of moving bodies; Hessians are projected to positive semidefinite, or exact."""

    gradient: Array  # (n, 12)
    blocks: Array  # (n, 12, 12) Hessian blocks of half-planes for moving bodies; overwritten by the next derivatives
    pair_blocks: list[tuple[Ints, Array]]  # pairs of bodies (p, 2) and their Hessian blocks (p, 24, 24)
    vertex_blocks: list[VertexBlocks]  # of soft bodies
