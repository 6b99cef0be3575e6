"""The penalties that hold joints together (libuipc's constitutions 18, 20, 25 and 26).

    E = Σ ½ κ ‖r‖²,   κ = strength_ratio (mᵢ + mⱼ),   without dt²

r is that of the joint's kind (`articulation.revolute`, `prismatic`, `anchors`), a function of world vectors that both
bodies carry along. These are linear in q, so where r is just their difference (all kinds but prismatic), r = J q and
the Hessian κ JᵀJ is constant. Elsewhere κ JᵀJ is exact where r = 0, and positive semidefinite everywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from ipc_articulation.arrays import Array, Bools, Ints
from ipc_articulation.articulation import kinds
from ipc_articulation.articulation.kinds import HELD, KINDS
from ipc_articulation.articulation.vectors import to_world
from ipc_articulation.engine.linear_system.linear_system import LinearSystem
from ipc_articulation.engine.scene.scene_context import SceneContext
from ipc_articulation.engine.state import State
from ipc_articulation.engine.terms.term import PairTerm
from ipc_articulation.frontend.joints import JointMesh


class Penalties(NamedTuple):
    """The arrays of m joints."""

    kind: Ints  # (m,)
    bodies: Ints  # (m, 2) rows of the left and of the right body
    stiffness: Array  # (m,) κ [kg]
    local: Array  # (m, 2, HELD, 4) vectors of the two bodies, homogeneous: w = 1 for a point, 0 for a direction
    is_linear: Bools  # (m,) see `kinds.Kind`
    rows: Ints  # (m,) numbers that r has
    jacobian: Array  # (m, 12, 24) ∂r/∂q, constant where r is linear
    blocks: Array  # (m, 24, 24) Hessians, constant where r is linear


class JointPenalties(PairTerm):
    """The penalties of m joints."""

    name = "joint"

    def __init__(self, meshes: Sequence[JointMesh], mass: Array) -> None:
        """Take the joints of joint geometries, and the masses of all bodies, (n,) [kg]."""
        self.arrays = _make_penalties(meshes, mass)
        super().__init__(self.arrays.bodies)
        _set_constant_hessians(self.arrays)

    def begin_step(self, state: State, dt: float) -> None:
        """Nothing changes from step to step."""

    def pair_energies(self, q: Array) -> Array:
        return energies(self.arrays, q)

    def assemble(self, q: Array, g: Array, system: LinearSystem) -> None:
        add_derivatives(self.arrays, q, g)
        system.add_pairs(self.bodies, self.arrays.blocks)


def read(slots: Sequence[Any], context: SceneContext) -> JointPenalties:
    """The penalties of the joint geometries among the slots."""
    ids = {slot.id() for slot in slots}
    return JointPenalties([mesh for mesh in context.joints if mesh.geo_id in ids], context.bodies.mass[:, 0, 0])


def _make_penalties(meshes: Sequence[JointMesh], mass: Array) -> Penalties:
    vectors = [KINDS[mesh.kind.kind].held(mesh.placement) for mesh in meshes]  # (k, 2, h, 4) each
    counts = [len(mesh.joints) for mesh in meshes]
    local = np.zeros((sum(counts), 2, HELD, 4))
    for of_mesh, end in zip(vectors, np.cumsum(counts), strict=True):
        local[end - len(of_mesh) : end, :, : of_mesh.shape[2]] = of_mesh
    bodies = np.concatenate([np.zeros((0, 2), dtype=np.int64), *(mesh.joints.bodies for mesh in meshes)])
    ratio = np.concatenate([np.zeros(0), *(mesh.strength_ratio for mesh in meshes)])
    return Penalties(
        kind=np.repeat(np.array([mesh.kind.kind for mesh in meshes], dtype=np.int64), counts),
        bodies=bodies,
        stiffness=ratio * mass[bodies].sum(axis=1),
        local=local,
        is_linear=np.repeat(np.array([KINDS[mesh.kind.kind].is_linear for mesh in meshes], dtype=bool), counts),
        rows=np.repeat(np.array([3 * of_mesh.shape[2] for of_mesh in vectors], dtype=np.int64), counts),
        jacobian=_jacobian_of_differences(local),
        blocks=np.zeros((len(bodies), 24, 24)),
    )


def _jacobian_of_differences(local: Array) -> Array:
    """∂(x - y)/∂q of the world vectors x, y of both bodies, (m, 12, 24); local ones (m, 2, HELD, 4)."""
    J = np.zeros((len(local), HELD, 3, 2, 12))
    for k in range(3):
        for side, sign in enumerate((1.0, -1.0)):
            J[:, :, k, side, k] = sign * local[:, side, :, 3]
            J[:, :, k, side, 3 + 3 * k : 6 + 3 * k] = sign * local[:, side, :, :3]
    return J.reshape(-1, 3 * HELD, 24)


@njit(cache=True)
def energies(penalties, q):
    """Energy of each joint at q (n, 12), (m,)."""
    E = np.zeros(len(penalties.kind))
    x, y, r = np.empty((HELD, 3)), np.empty((HELD, 3)), np.empty(3 * HELD)
    for j in range(len(E)):
        _residual_at(penalties, j, q, x, y, r)
        for row in range(penalties.rows[j]):
            E[j] += 0.5 * penalties.stiffness[j] * r[row] * r[row]
    return E


@njit(cache=True)
def add_derivatives(penalties, q, g):
    """Add the gradient at q (n, 12) to g (n, 12), and bring the Hessians in `blocks` up to date."""
    x, y, r = np.empty((HELD, 3)), np.empty((HELD, 3)), np.empty(3 * HELD)
    D = np.empty((3 * HELD, 2, HELD, 3))
    for j in range(len(penalties.kind)):
        kappa, J, (left, right) = penalties.stiffness[j], penalties.jacobian[j], penalties.bodies[j]
        _residual_at(penalties, j, q, x, y, r)
        if not penalties.is_linear[j]:
            kinds.residual_slopes(penalties.kind[j], x, y, D)
            _pull_back(D, penalties.local[j], J)
            _write_square(kappa, J, penalties.blocks[j])
        for row in range(penalties.rows[j]):
            factor = kappa * r[row]
            for i in range(12):
                g[left, i] += factor * J[row, i]
                g[right, i] += factor * J[row, 12 + i]


@njit(cache=True)
def _set_constant_hessians(penalties):
    for j in range(len(penalties.kind)):
        if penalties.is_linear[j]:
            _write_square(penalties.stiffness[j], penalties.jacobian[j], penalties.blocks[j])


@njit(cache=True)
def _residual_at(penalties, joint, q, x, y, r):
    """r (12,) of a joint at q (n, 12); and, where it is not linear, the world vectors x, y (HELD, 3) of its bodies."""
    left, right = penalties.bodies[joint]
    if penalties.is_linear[joint]:
        J = penalties.jacobian[joint]
        for row in range(penalties.rows[joint]):
            r[row] = 0.0
            for i in range(12):
                r[row] += J[row, i] * q[left, i] + J[row, 12 + i] * q[right, i]
    else:
        to_world(penalties.local[joint, 0], q[left], x)
        to_world(penalties.local[joint, 1], q[right], y)
        kinds.residual(penalties.kind[joint], x, y, r)


@njit(cache=True)
def _write_square(kappa, J, block):
    """Write κ JᵀJ, J (12, 24)."""
    block[:] = 0.0
    for row in range(len(J)):
        for a in range(24):
            factor = kappa * J[row, a]
            if factor != 0.0:
                for b in range(24):
                    block[a, b] += factor * J[row, b]


@njit(cache=True)
def _pull_back(D, local, J):
    """J (12, 24) = D ∂(world vectors)/∂q."""
    J[:] = 0.0
    for row in range(len(J)):
        for side in range(2):
            for a in range(HELD):
                for k in range(3):
                    d = D[row, side, a, k]
                    if d != 0.0:
                        J[row, 12 * side + k] += d * local[side, a, 3]
                        for i in range(3):
                            J[row, 12 * side + 3 + 3 * k + i] += d * local[side, a, i]
