"""The penalties that hold fixed and spherical joints together (libuipc's constitutions 25 and 26).

    E = ½ κ ‖r‖²,   κ = strength_ratio (mᵢ + mⱼ),   without dt²

spherical  r = cᵢ - cⱼ, the joint's anchor in both bodies;
fixed      r = (cᵢ - cⱼ, tᵢ - tⱼ, nᵢ - nⱼ, bᵢ - bⱼ), t, n, b the world's axes, which each body carries along from its
           initial pose.

A world vector is v = A v̄ + w p, with w = 1 for a point and 0 for a direction: linear in q. So r is linear, and the
Hessian is a constant block a joint.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ipc_articulation.articulation import frames
from ipc_articulation.engine.linear_system.linear_system import LinearSystem
from ipc_articulation.engine.scene.scene_context import SceneContext
from ipc_articulation.engine.state import State
from ipc_articulation.engine.terms.term import PairTerm
from ipc_articulation.frontend.anchors import FIXED_UID, AnchorMesh, read_anchor_mesh

Array = NDArray[np.float64]

_VECTORS = 4  # of one body: the anchor, and three directions that are zero for a spherical joint


class AnchorPenalties(PairTerm):
    """m joints, structure of arrays."""

    name = "fixed and spherical joint"

    def __init__(self, bodies: NDArray[np.int64], stiffness: Array, local: Array) -> None:
        """Take the joints.

        Args:
            bodies: Rows of the left and of the right body, (m, 2).
            stiffness: κ [kg], (m,).
            local: Vectors of the two bodies, homogeneous, (m, 2, 4, 4): row (v̄, w).
        """
        super().__init__(bodies)
        self.stiffness = stiffness
        self._local = local
        self._blocks = _hessian_blocks(stiffness, local)

    def begin_step(self, state: State, dt: float) -> None:
        """Nothing changes from step to step."""

    def pair_energies(self, q: Array) -> Array:
        r = self._residual(q)
        return 0.5 * self.stiffness * np.einsum("mvk,mvk->m", r, r)

    def assemble(self, q: Array, g: Array, system: LinearSystem) -> None:
        system.add_pairs(self.bodies, self.derivatives(q, g))

    def derivatives(self, q: Array, g: Array) -> Array:
        """Add the gradient to g (n, 12); return the Hessian blocks of the pairs of bodies, (m, 24, 24)."""
        force = self.stiffness[:, None, None] * self._residual(q)
        by_axes = self._local.swapaxes(2, 3) @ np.stack([force, -force], axis=1)  # (m, 2, 4, 3): columns of A, then p
        np.add.at(g, self.bodies, _q_from_columns(by_axes))
        return self._blocks

    def _residual(self, q: Array) -> Array:
        """R (m, 4, 3) at q (n, 12)."""
        world = self._local @ _columns_from_q(q[self.bodies])
        return world[:, 0] - world[:, 1]


def read(slots: Sequence[Any], context: SceneContext) -> AnchorPenalties:
    """The penalties of the joint geometries among the slots."""
    meshes = [read_anchor_mesh(slot, replace(context.bodies, q=context.births[slot.id()])) for slot in slots]
    poses = [context.poses_when_made(mesh.geo_id, mesh.bodies) for mesh in meshes]
    return make_anchor_penalties(meshes, np.concatenate(poses), context.bodies.mass[:, 0, 0])


def make_anchor_penalties(meshes: Sequence[AnchorMesh], transforms: Array, mass: Array) -> AnchorPenalties:
    """Penalties of all fixed and spherical joints of a scene.

    Args:
        meshes: The joint geometries.
        transforms: Of the two bodies of each joint, when it was made, (m, 2, 4, 4).
        mass: Masses of the bodies, (n,) [kg].
    """
    bodies = np.concatenate([mesh.bodies for mesh in meshes])
    fixed = np.concatenate([np.full(len(mesh.bodies), mesh.uid == FIXED_UID) for mesh in meshes])
    local = np.zeros((len(bodies), 2, _VECTORS, 4))
    local[:, :, 0, :3] = np.concatenate([mesh.anchors for mesh in meshes])
    local[:, :, 0, 3] = 1.0
    local[fixed, :, 1:, :3] = frames.rotation(transforms[fixed])  # its rows: the world's axes in the body
    ratio = np.concatenate([mesh.strength_ratio for mesh in meshes])
    return AnchorPenalties(bodies, ratio * mass[bodies].sum(axis=1), local)


def _hessian_blocks(stiffness: Array, local: Array) -> Array:
    """κ JᵀJ, (m, 24, 24): JᵀJ couples equal axes of space only, and these in the same way."""
    signed = np.concatenate([local[:, 0], -local[:, 1]], axis=2)  # (m, 4, 8)
    product = np.einsum("m,mva,mvb->mab", stiffness, signed, signed).reshape(-1, 2, 4, 2, 4)
    blocks = np.zeros((len(stiffness), 2, 12, 2, 12))
    for k in range(3):
        at = np.array([3 + 3 * k, 4 + 3 * k, 5 + 3 * k, k])  # places of (A_k0, A_k1, A_k2, p_k) in q
        blocks[:, :, at[:, None], :, at[None, :]] = product.transpose(2, 4, 0, 1, 3)
    return blocks.reshape(-1, 24, 24)


def _columns_from_q(q: Array) -> Array:
    """Q (..., 4, 3), the columns of A and then p as rows, of q (..., 12): a world vector is (v̄, w) Q."""
    A = q[..., 3:].reshape(*q.shape[:-1], 3, 3)
    return np.concatenate([A.swapaxes(-1, -2), q[..., None, :3]], axis=-2)


def _q_from_columns(columns: Array) -> Array:
    """The inverse of `_columns_from_q`: (..., 4, 3) -> (..., 12)."""
    A = columns[..., :3, :].swapaxes(-1, -2)
    return np.concatenate([columns[..., 3, :], A.reshape(*A.shape[:-2], 9)], axis=-1)
