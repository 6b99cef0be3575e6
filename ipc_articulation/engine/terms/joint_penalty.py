"""The penalties that hold revolute and prismatic joints together (libuipc's constitutions 18 and 20).

    E = Σ ½ κ ‖r‖²,   κ = strength_ratio (m_i + m_j),   without dt²

revolute   r = (x⁰ᵢ - x⁰ⱼ, x¹ᵢ - x¹ⱼ), the two end points of the axis edge in both bodies;
prismatic  r = ((cⱼ-cᵢ) x tᵢ, (cᵢ-cⱼ) x tⱼ, nᵢ-nⱼ, bᵢ-bⱼ), a point on the axis, its direction and two normals.

r depends on q through world vectors that are linear in q. The Hessian used is κ JᵀJ: exact for a revolute joint, and
for a prismatic one exact where r = 0 and positive semidefinite everywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from ipc_articulation.articulation import frames
from ipc_articulation.articulation.joints import PRISMATIC
from ipc_articulation.engine.linear_system import LinearSystem
from ipc_articulation.engine.scene_context import SceneContext
from ipc_articulation.engine.state import State
from ipc_articulation.engine.terms.term import PairTerm
from ipc_articulation.frontend.joints import JointMesh

Array = NDArray[np.float64]

_VECTORS = 4  # world vectors of one body: revolute uses two points, prismatic a point and three directions


class JointPenalties(PairTerm):
    """m joints, structure of arrays."""

    name = "joint"

    def __init__(self, kind: NDArray[np.int64], bodies: NDArray[np.int64], stiffness: Array, local: Array) -> None:
        """Take m joints.

        Args:
            kind: Revolute or prismatic, (m,).
            bodies: Rows of the left and of the right body, (m, 2).
            stiffness: κ [kg], (m,).
            local: Vectors of the two bodies, homogeneous, (m, 2, 4, 4): w = 1 for a point, 0 for a direction.
        """
        super().__init__(bodies)
        self.kind, self.stiffness, self.local = kind, stiffness, local

    def begin_step(self, state: State, dt: float) -> None:
        """Nothing changes from step to step."""

    def pair_energies(self, q: Array) -> Array:
        return _energies(self.kind, self.bodies, self.stiffness, self.local, q)

    def assemble(self, q: Array, g: Array, system: LinearSystem) -> None:
        system.add_pairs(self.bodies, self.derivatives(q, g))

    def derivatives(self, q: Array, g: Array) -> Array:
        """Add the gradient to g (n, 12); return the Hessian blocks of the pairs of bodies, (m, 24, 24)."""
        blocks = np.empty((len(self.kind), 24, 24))
        _derivatives(self.kind, self.bodies, self.stiffness, self.local, q, g, blocks)
        return blocks


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
def _world(local, q, x):
    for a in range(_VECTORS):
        for k in range(3):
            x[a, k] = local[a, 3] * q[k]
            for i in range(3):
                x[a, k] += local[a, i] * q[3 + 3 * k + i]


@njit(cache=True)
def _cross(a, b, out):
    out[0] = a[1] * b[2] - a[2] * b[1]
    out[1] = a[2] * b[0] - a[0] * b[2]
    out[2] = a[0] * b[1] - a[1] * b[0]


@njit(cache=True)
def _residual(kind, x, y, r):
    """R (12,) from the world vectors x, y (4, 3) of the two bodies."""
    if kind != PRISMATIC:
        r[0:3], r[3:6], r[6:] = x[0] - y[0], x[1] - y[1], 0.0
        return
    c = y[0] - x[0]
    _cross(c, x[1], r[0:3])
    _cross(-c, y[1], r[3:6])
    r[6:9], r[9:12] = x[2] - y[2], x[3] - y[3]


@njit(cache=True)
def _residual_jacobian(kind, x, y, D):
    """D (12, 2, 4, 3): ∂r by the world vectors of the two bodies."""
    D[:] = 0.0
    for k in range(3):
        if kind != PRISMATIC:
            for a in range(2):
                D[3 * a + k, 0, a, k], D[3 * a + k, 1, a, k] = 1.0, -1.0
        else:
            for a in range(2):
                D[6 + 3 * a + k, 0, 2 + a, k], D[6 + 3 * a + k, 1, 2 + a, k] = 1.0, -1.0
            e, column = np.zeros(3), np.empty(3)
            e[k] = 1.0
            _cross(e, x[1], column)
            D[0:3, 1, 0, k], D[0:3, 0, 0, k] = column, -column
            _cross(y[0] - x[0], e, column)
            D[0:3, 0, 1, k] = column
            _cross(e, y[1], column)
            D[3:6, 0, 0, k], D[3:6, 1, 0, k] = column, -column
            _cross(x[0] - y[0], e, column)
            D[3:6, 1, 1, k] = column


@njit(cache=True)
def _energies(kind, bodies, stiffness, local, q):
    E, r = np.empty(len(kind)), np.empty(12)
    x, y = np.empty((_VECTORS, 3)), np.empty((_VECTORS, 3))
    for j in range(len(kind)):
        _world(local[j, 0], q[bodies[j, 0]], x)
        _world(local[j, 1], q[bodies[j, 1]], y)
        _residual(kind[j], x, y, r)
        E[j] = 0.5 * stiffness[j] * np.sum(r * r)
    return E


@njit(cache=True)
def _derivatives(kind, bodies, stiffness, local, q, g, blocks):
    r, D, J = np.empty(12), np.empty((12, 2, _VECTORS, 3)), np.empty((12, 24))
    x, y = np.empty((_VECTORS, 3)), np.empty((_VECTORS, 3))
    for j in range(len(kind)):
        _world(local[j, 0], q[bodies[j, 0]], x)
        _world(local[j, 1], q[bodies[j, 1]], y)
        _residual(kind[j], x, y, r)
        _residual_jacobian(kind[j], x, y, D)
        _pull_back(D, local[j], J)
        force = stiffness[j] * (r @ J)
        g[bodies[j, 0]] += force[:12]
        g[bodies[j, 1]] += force[12:]
        blocks[j] = stiffness[j] * (J.T @ J)


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
