"""The penalties that hold revolute and prismatic joints together (libuipc's constitutions 18 and 20).

    E = Σ ½ κ ‖r‖²,   κ = strength_ratio (m_i + m_j),   without dt²

revolute   r = (x⁰ᵢ - x⁰ⱼ, x¹ᵢ - x¹ⱼ), the two end points of the axis edge in both bodies;
prismatic  r = ((cⱼ-cᵢ) x tᵢ, (cᵢ-cⱼ) x tⱼ, nᵢ-nⱼ, bᵢ-bⱼ), a point on the axis, its direction and two normals.

r depends on q through world vectors that are linear in q. The Hessian used is κ JᵀJ: exact for a revolute joint, and
for a prismatic one exact where r = 0 and positive semidefinite everywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from ipc_articulation.articulation import frames
from ipc_articulation.articulation.joints import PRISMATIC
from ipc_articulation.engine.linear_system.linear_system import LinearSystem
from ipc_articulation.engine.scene.scene_context import SceneContext
from ipc_articulation.engine.state import State
from ipc_articulation.engine.terms.term import PairTerm
from ipc_articulation.frontend.joints import JointMesh

Array = NDArray[np.float64]

_VECTORS = 4  # world vectors of one body: revolute uses two points, prismatic a point and three directions


class Penalties(NamedTuple):
    """What the term is made of, for m joints."""

    kind: NDArray[np.int64]  # (m,) revolute or prismatic
    bodies: NDArray[np.int64]  # (m, 2) rows of the left and of the right body
    stiffness: Array  # (m,) κ [kg]
    local: Array  # (m, 2, 4, 4) vectors of the two bodies, homogeneous: w = 1 for a point, 0 for a direction
    blocks: Array  # (m, 24, 24) Hessians; that of a revolute joint is constant


class JointPenalties(PairTerm):
    """m joints, structure of arrays."""

    name = "joint"

    def __init__(self, kind: NDArray[np.int64], bodies: NDArray[np.int64], stiffness: Array, local: Array) -> None:
        """Take m joints; see `Penalties`."""
        super().__init__(bodies)
        self.arrays = Penalties(kind, bodies, stiffness, local, np.zeros((len(kind), 24, 24)))
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
    meshes = [mesh for mesh in context.joints if mesh.geo_id in ids]
    poses = [context.poses_when_made(mesh.geo_id, mesh.joints.bodies) for mesh in meshes]
    return make_joint_penalties(meshes, _concatenate(poses, (2, 4, 4)), context.bodies.mass[:, 0, 0])


def make_joint_penalties(meshes: Sequence[JointMesh], transforms: Array, mass: Array) -> JointPenalties:
    """Penalties of all joints of a scene.

    Args:
        meshes: The joint geometries.
        transforms: Of the two bodies of each joint, when it was made, (m, 2, 4, 4).
        mass: Masses of the bodies, (n,) [kg].
    """
    kind = _concatenate([mesh.joints.kind for mesh in meshes], ())
    bodies = _concatenate([mesh.joints.bodies for mesh in meshes], (2,)).astype(np.int64)
    left_ends = _concatenate([mesh.endpoints_left for mesh in meshes], (2, 3))
    right_ends = _concatenate([mesh.endpoints_right for mesh in meshes], (2, 3))
    ratio = _concatenate([mesh.strength_ratio for mesh in meshes], ())
    left, right = transforms[:, 0], transforms[:, 1]
    axis = frames.axis_from_local(left_ends, left)
    normals = frames.revolute_vectors(axis, left, right)
    local = np.zeros((len(kind), 2, _VECTORS, 4))
    for side, (ends, transform) in enumerate(((left_ends, left), (right_ends, right))):
        local[:, side, :2, :3] = ends
        local[:, side, :2, 3] = 1.0
        prismatic = kind == PRISMATIC
        local[prismatic, side, 1:2] = 0.0
        local[prismatic, side, 1, :3] = frames.prismatic_vectors(ends[:, 0], axis, transform)[prismatic, 1]
        local[prismatic, side, 2:, :3] = normals[side][prismatic]
    return JointPenalties(kind.astype(np.int64), bodies, ratio * mass[bodies].sum(axis=1), local)


def _concatenate(parts: list[Any], shape: tuple[int, ...]) -> Array:
    return np.concatenate([np.zeros((0, *shape)), *parts])


@njit(cache=True)
def energies(penalties, q):
    """Energy of each joint at q (n, 12), (m,)."""
    E = np.empty(len(penalties.kind))
    x, y, r = np.empty((_VECTORS, 3)), np.empty((_VECTORS, 3)), np.empty(12)
    for j in range(len(E)):
        _residual_at(penalties, j, q, x, y, r)
        E[j] = 0.0
        for row in range(12):
            E[j] += 0.5 * penalties.stiffness[j] * r[row] * r[row]
    return E


@njit(cache=True)
def add_derivatives(penalties, q, g):
    """Add the gradient at q (n, 12) to g (n, 12), and bring the Hessians in `blocks` up to date."""
    x, y, r = np.empty((_VECTORS, 3)), np.empty((_VECTORS, 3)), np.empty(12)
    D, J = np.empty((12, 2, _VECTORS, 3)), np.empty((12, 24))
    for j in range(len(penalties.kind)):
        kappa, (left, right) = penalties.stiffness[j], penalties.bodies[j]
        _residual_at(penalties, j, q, x, y, r)
        if penalties.kind[j] == PRISMATIC:
            _prismatic_jacobian(x, y, D)
            _pull_back(D, penalties.local[j], J)
            for row in range(12):
                for i in range(12):
                    g[left, i] += kappa * r[row] * J[row, i]
                    g[right, i] += kappa * r[row] * J[row, 12 + i]
            _write_square(kappa, J, penalties.blocks[j])
        else:
            for a in range(2):
                _add_pulled(penalties.local[j, 0, a], kappa, r[3 * a : 3 * a + 3], g[left])
                _add_pulled(penalties.local[j, 1, a], -kappa, r[3 * a : 3 * a + 3], g[right])


@njit(cache=True)
def _set_constant_hessians(penalties):
    D, J = np.zeros((12, 2, _VECTORS, 3)), np.empty((12, 24))
    for k in range(3):
        for a in range(2):
            D[3 * a + k, 0, a, k], D[3 * a + k, 1, a, k] = 1.0, -1.0
    for j in range(len(penalties.kind)):
        if penalties.kind[j] != PRISMATIC:
            _pull_back(D, penalties.local[j], J)
            _write_square(penalties.stiffness[j], J, penalties.blocks[j])


@njit(cache=True)
def _residual_at(penalties, joint, q, x, y, r):
    """R (12,) of a joint at q (n, 12), and the world vectors x, y (4, 3) of its two bodies."""
    _world(penalties.local[joint, 0], q[penalties.bodies[joint, 0]], x)
    _world(penalties.local[joint, 1], q[penalties.bodies[joint, 1]], y)
    if penalties.kind[joint] == PRISMATIC:
        for k in range(3):
            i, j = (k + 1) % 3, (k + 2) % 3
            r[k] = (y[0, i] - x[0, i]) * x[1, j] - (y[0, j] - x[0, j]) * x[1, i]
            r[3 + k] = (x[0, i] - y[0, i]) * y[1, j] - (x[0, j] - y[0, j]) * y[1, i]
            r[6 + k], r[9 + k] = x[2, k] - y[2, k], x[3, k] - y[3, k]
    else:
        for k in range(3):
            r[k], r[3 + k], r[6 + k], r[9 + k] = x[0, k] - y[0, k], x[1, k] - y[1, k], 0.0, 0.0


@njit(cache=True)
def _world(local, q, x):
    for a in range(_VECTORS):
        for k in range(3):
            x[a, k] = local[a, 3] * q[k]
            for i in range(3):
                x[a, k] += local[a, i] * q[3 + 3 * k + i]


@njit(cache=True)
def _add_pulled(local, factor, f, g):
    """Add factor·(∂x/∂q)ᵀ f, for a world vector x with the local one (4,), to g (12,)."""
    for k in range(3):
        g[k] += factor * local[3] * f[k]
        for i in range(3):
            g[3 + 3 * k + i] += factor * local[i] * f[k]


@njit(cache=True)
def _prismatic_jacobian(x, y, D):
    """D (12, 2, 4, 3): ∂r of a prismatic joint by the world vectors of the two bodies."""
    D[:] = 0.0
    for k in range(3):
        for a in range(2):
            D[6 + 3 * a + k, 0, 2 + a, k], D[6 + 3 * a + k, 1, 2 + a, k] = 1.0, -1.0
        i, j = (k + 1) % 3, (k + 2) % 3
        c_i, c_j = y[0, i] - x[0, i], y[0, j] - x[0, j]
        # by cⱼ - cᵢ: eₖ x t has the entries -t_j at i and t_i at j
        D[i, 1, 0, k], D[j, 1, 0, k] = -x[1, j], x[1, i]
        D[i, 0, 0, k], D[j, 0, 0, k] = x[1, j], -x[1, i]
        D[3 + i, 0, 0, k], D[3 + j, 0, 0, k] = -y[1, j], y[1, i]
        D[3 + i, 1, 0, k], D[3 + j, 1, 0, k] = y[1, j], -y[1, i]
        # by the directions: c x eₖ has the entries c_j at i and -c_i at j
        D[i, 0, 1, k], D[j, 0, 1, k] = c_j, -c_i
        D[3 + i, 1, 1, k], D[3 + j, 1, 1, k] = -c_j, c_i


@njit(cache=True)
def _write_square(kappa, J, block):
    """Write κ JᵀJ, J (12, 24)."""
    block[:] = 0.0
    for row in range(12):
        for a in range(24):
            factor = kappa * J[row, a]
            if factor != 0.0:
                for b in range(24):
                    block[a, b] += factor * J[row, b]


@njit(cache=True)
def _pull_back(D, local, J):
    """J (12, 24) = D ∂(world vectors)/∂q."""
    J[:] = 0.0
    for row in range(12):
        for side in range(2):
            for a in range(_VECTORS):
                for k in range(3):
                    d = D[row, side, a, k]
                    if d != 0.0:
                        J[row, 12 * side + k] += d * local[side, a, 3]
                        for i in range(3):
                            J[row, 12 * side + 3 + 3 * k + i] += d * local[side, a, i]
