"""The penalty energies of joints (libuipc's constitutions 18, 20, 25 and 26).

    E = Σ ½ κ ‖r‖²,   κ = strength_ratio (mᵢ + mⱼ),   without dt²

r is that of the joint's kind (`articulation.revolute`, `prismatic`, `anchors`), a function of world vectors that both
bodies carry along. These are linear in q, so where r is just their difference (all kinds but prismatic), the Hessian
κ JᵀJ is constant. Elsewhere κ JᵀJ is exact where r = 0, and positive semidefinite everywhere; exactly, it is

    κ (JᵀJ + Σ r_row ∂²r_row),

which differs where a joint is parted. r is bilinear in the world vectors of all other kinds but helical, which has no
second part here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ipc_articulation.affine import DOF
from ipc_articulation.arrays import Array, Bools, Ints
from ipc_articulation.articulation import kinds
from ipc_articulation.articulation.kinds import HELD, HELICAL, KINDS
from ipc_articulation.compiled import compiled
from ipc_articulation.contact.nodes import coordinates, write_nodes
from ipc_articulation.engine.scene.scene_context import SceneContext
from ipc_articulation.engine.terms.coordinates import add_pair
from ipc_articulation.engine.terms.term import Term
from ipc_articulation.frontend.joints import JointMesh
from ipc_articulation.references import by_reference


class _Penalties(NamedTuple):
    """The arrays of m joints."""

    kind: Ints  # (m,)
    bodies: Ints  # (m, 2) rows of the left and of the right body
    stiffness: Array  # (m,) κ [kg]
    weight: Array  # (m, 2, HELD, 4) vectors of the two bodies, by their nodes
    is_linear: Bools  # (m,) see `kinds.Kind`
    held: Ints  # (m,) vectors of a body that are held; r has three numbers for each
    blocks: Array  # (m, 24, 24) Hessians by the nodes of both bodies, constant where r is linear


PenaltiesType, Penalties = by_reference(_Penalties, __name__)


class JointForces(NamedTuple):
    """Forces of m joints on their bodies, conjugate to the coordinates q."""

    bodies: Ints  # (m, 2) rows of the left and of the right body
    forces: Array  # (m, 2, 12) on either [N, N·m, or times s²]


class JointPenalties(Term):
    """The penalties of m joints."""

    name = "joint"

    def __init__(self, meshes: Sequence[JointMesh], mass: Array) -> None:
        """Take the joints of joint geometries, and the masses of all bodies, (n,) [kg]."""
        arrays = _make_penalties(meshes, mass)
        self.penalties = _hold(arrays)
        self.couples = self.joints = arrays.bodies
        self.room = len(arrays.bodies)

    def add_energies(self, x: Array, moving: Bools, E: Array) -> None:
        add_energies(self.penalties, x, moving, E)

    def add_derivatives(self, x: Array, to: Any) -> None:
        add_derivatives(self.penalties, x, to)


def read(slots: Sequence[Any], context: SceneContext) -> JointPenalties:
    """The penalties of the joint geometries among the slots."""
    ids = {slot.id() for slot in slots}
    meshes = [mesh for mesh in context.joints if mesh.geo_id in ids]
    return JointPenalties(meshes, context.bodies.mass[:, 0, 0])


def _make_penalties(meshes: Sequence[JointMesh], mass: Array) -> _Penalties:
    vectors = [KINDS[mesh.kind.kind].held(mesh.placement) for mesh in meshes]  # (k, 2, h, 4) each
    counts = [len(mesh.joints) for mesh in meshes]
    local = np.zeros((sum(counts), 2, HELD, 4))
    for of_mesh, end in zip(vectors, np.cumsum(counts), strict=True):
        local[end - len(of_mesh) : end, :, : of_mesh.shape[2]] = of_mesh
    bodies = np.concatenate([np.zeros((0, 2), dtype=np.int64), *(mesh.joints.bodies for mesh in meshes)])
    ratio = np.concatenate([np.zeros(0), *(mesh.strength_ratio for mesh in meshes)])
    return _Penalties(
        kind=np.repeat(np.array([mesh.kind.kind for mesh in meshes], dtype=np.int64), counts),
        bodies=bodies,
        stiffness=ratio * mass[bodies].sum(axis=1),
        weight=np.roll(local, 1, axis=-1),  # (v̄, w), w = 1 for a point and 0 for a direction, are (w, v̄) by nodes
        is_linear=np.repeat(np.array([KINDS[mesh.kind.kind].is_linear for mesh in meshes], dtype=bool), counts),
        held=np.repeat(np.array([of_mesh.shape[2] for of_mesh in vectors], dtype=np.int64), counts),
        blocks=np.zeros((len(bodies), 2 * DOF, 2 * DOF)),
    )


class _Parted(NamedTuple):
    """How far a joint is parted, and the slopes of that; room for any kind."""

    u: Array  # (HELD, 3) world vectors of the left body
    v: Array  # (HELD, 3) of the right body
    r: Array  # (3 HELD,)
    D: Array  # (3 HELD, 2, HELD, 3) ∂r by these vectors, where r is not linear
    J: Array  # (3 HELD, 24) the same by nodes


@compiled
def _hold(arrays):
    """`Penalties` of arrays, with the constant Hessians."""
    penalties, at = Penalties(*arrays), _room()
    for row in range(3 * HELD):
        at.D[row, 0, row // 3, row % 3], at.D[row, 1, row // 3, row % 3] = 1.0, -1.0
    for j in range(len(penalties.kind)):
        if penalties.is_linear[j]:
            _pull_back(at.D, penalties.weight[j], penalties.held[j], at.J)
            _write_square(penalties, j, at.J)
    return penalties


@compiled
def _room():
    vectors = np.empty((HELD, 3)), np.empty((HELD, 3)), np.empty(3 * HELD)
    return _Parted(*vectors, np.zeros((3 * HELD, 2, HELD, 3)), np.empty((3 * HELD, 2 * DOF)))


@compiled
def add_energies(penalties, x, moving, E):
    """Add the energies of joints, with nodes at x (N, 3), to one of their bodies that moves, E (B,)."""
    at = _room()
    for j in range(len(penalties.kind)):
        left, right = penalties.bodies[j]
        _part(penalties, j, x, at)
        b = left if moving[left] else right
        for row in range(3 * penalties.held[j]):
            E[b] += 0.5 * penalties.stiffness[j] * at.r[row] * at.r[row]


@compiled
def add_derivatives(penalties, x, to):
    """Add gradient and Hessian, with nodes at x (N, 3), to `Sums`."""
    at, g, bodies, projected = _room(), np.empty((2, 4, 3)), penalties.bodies, to.projected
    for j in range(len(penalties.kind)):
        left, right = bodies[j]
        if to.is_free[left] or to.is_free[right]:
            _part(penalties, j, x, at)
            _write_gradient(penalties, j, at, g)
            for side in range(2):
                if to.is_free[bodies[j, side]]:
                    for n in range(4):
                        for k in range(3):
                            to.g[4 * bodies[j, side] + n, k] += g[side, n, k]
            if not penalties.is_linear[j]:
                _write_square(penalties, j, at.J)
                if penalties.kind[j] != HELICAL and not (projected[left] or projected[right]):
                    _add_curvature(penalties, j, at)
            add_pair(bodies[j], penalties.blocks[j], to)


@compiled
def gradients(penalties, q):
    """The gradient of each joint's energy by the coordinates of its two bodies at q (n, 12), (m, 2, 12)."""
    m, x, at = len(penalties.kind), np.empty((4 * len(q), 3)), _room()
    write_nodes(q, x)
    g = np.empty((m, 2, 4, 3))
    for j in range(m):
        _part(penalties, j, x, at)
        _write_gradient(penalties, j, at, g[j])
    return coordinates(g.reshape(8 * m, 3), 2 * m).reshape(m, 2, DOF)


@compiled
def _part(penalties, j, x, at):
    """Write world vectors and r of joint j with nodes at x (N, 3)."""
    held, weight = penalties.held[j], penalties.weight[j]
    for side in range(2):
        vectors, first = at.u if side == 0 else at.v, 4 * penalties.bodies[j, side]
        for a in range(held):
            for k in range(3):
                vectors[a, k] = 0.0
                for n in range(4):
                    vectors[a, k] += weight[side, a, n] * x[first + n, k]
    if penalties.is_linear[j]:
        for a in range(held):
            for k in range(3):
                at.r[3 * a + k] = at.u[a, k] - at.v[a, k]
    else:
        kinds.residual(penalties.kind[j], at.u, at.v, at.r)


@compiled
def _write_gradient(penalties, j, at, g):
    """Write the gradient (2, 4, 3) of a parted joint; J too, where r is not linear."""
    kappa, held, weight = penalties.stiffness[j], penalties.held[j], penalties.weight[j]
    g[:] = 0.0
    if penalties.is_linear[j]:
        for a in range(held):
            for n in range(4):
                for k in range(3):
                    g[0, n, k] += kappa * weight[0, a, n] * at.r[3 * a + k]
                    g[1, n, k] -= kappa * weight[1, a, n] * at.r[3 * a + k]
        return
    kinds.residual_slopes(penalties.kind[j], at.u, at.v, at.D)
    _pull_back(at.D, weight, held, at.J)
    for row in range(3 * held):
        for side in range(2):
            for n in range(4):
                for k in range(3):
                    g[side, n, k] += kappa * at.r[row] * at.J[row, DOF * side + 3 * n + k]


@compiled
def _pull_back(D, weight, held, J):
    """J = D ∂(world vectors)/∂(nodes), in the first 3 held rows of J (3 HELD, 24)."""
    J[:] = 0.0
    for row in range(3 * held):
        for side in range(2):
            for a in range(held):
                for k in range(3):
                    d = D[row, side, a, k]
                    if d != 0.0:
                        for n in range(4):
                            J[row, DOF * side + 3 * n + k] += d * weight[side, a, n]


@compiled
def _write_square(penalties, j, J):
    """Write κ JᵀJ of joint j."""
    block = penalties.blocks[j]
    block[:] = 0.0
    for row in range(3 * penalties.held[j]):
        for a in range(2 * DOF):
            factor = penalties.stiffness[j] * J[row, a]
            if factor != 0.0:
                for b in range(2 * DOF):
                    block[a, b] += factor * J[row, b]


@compiled
def _add_curvature(penalties, j, at):
    """Add κ Σ r_row ∂²r_row of a joint whose r is bilinear: its slopes are linear, so differences are exact."""
    kind, held, ahead = penalties.kind[j], penalties.held[j], np.empty(at.D.shape)
    for side in range(2):
        vectors = at.u if side == 0 else at.v
        for a in range(held):
            for k in range(3):
                before = vectors[a, k]
                vectors[a, k] += 1.0
                kinds.residual_slopes(kind, at.u, at.v, ahead)
                vectors[a, k] = before
                for other in range(2):
                    for b in range(held):
                        for m in range(3):
                            c = 0.0
                            for row in range(3 * held):
                                c += at.r[row] * (ahead[row, other, b, m] - at.D[row, other, b, m])
                            if c != 0.0:
                                _add_outer(penalties, j, c, (side, a, k), (other, b, m))


@compiled
def _add_outer(penalties, j, c, one, another):
    """Add κ c ∂v_k ∂w_m, of two world vectors v and w of joint j, given by side, number and axis each."""
    (side, a, k), (other, b, m), block, weight = one, another, penalties.blocks[j], penalties.weight[j]
    for n in range(4):
        for p in range(4):
            entry = penalties.stiffness[j] * c * weight[side, a, n] * weight[other, b, p]
            block[DOF * side + 3 * n + k, DOF * other + 3 * p + m] += entry
