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
from ipc_articulation.articulation.vectors import to_world
from ipc_articulation.compiled import compiled
from ipc_articulation.contact.nodes import coordinates
from ipc_articulation.engine.scene.scene_context import SceneContext
from ipc_articulation.engine.state import EngineState
from ipc_articulation.engine.terms.coordinates import add_gradients, add_pair
from ipc_articulation.engine.terms.term import Term
from ipc_articulation.frontend.joints import JointMesh
from ipc_articulation.references import by_reference


class _Penalties(NamedTuple):
    """The arrays of m joints."""

    kind: Ints  # (m,)
    bodies: Ints  # (m, 2) rows of the left and of the right body
    stiffness: Array  # (m,) κ [kg]
    local: Array  # (m, 2, HELD, 4) vectors of the two bodies, homogeneous: w = 1 for a point, 0 for a direction
    is_linear: Bools  # (m,) see `kinds.Kind`
    held: Ints  # (m,) vectors of a body that are held; r has three numbers for each
    blocks: Array  # (m, 24, 24) Hessians, constant where r is linear


PenaltiesType, Penalties = by_reference(_Penalties, __name__)


class JointForces(NamedTuple):
    """Forces of m joints on their bodies, conjugate to the coordinates q."""

    bodies: Ints  # (m, 2) rows of the left and of the right body
    forces: Array  # (m, 2, 12) on either [N, N·m, or times s²]


class JointPenalties(Term):
    """The penalties of m joints."""

    name = "joint"

    def __init__(self, meshes: Sequence[JointMesh], mass: Array, affine: int) -> None:
        """Take the joints of joint geometries, the masses of all bodies, (n,) [kg], and the number of affine ones."""
        arrays = _make_penalties(meshes, mass)
        _set_constant_hessians(arrays)
        self.penalties, self._affine = hold_penalties(arrays), affine
        self.couples = self.joints = arrays.bodies
        self.room = len(arrays.bodies)

    def begin_step(self, state: EngineState, x: Array, dt: float) -> None:
        """Do nothing, because nothing changes from step to step."""

    def add_energies(self, x: Array, y: Array, moving: Bools, E: Array) -> None:
        add_penalty_energies(self.penalties, self._affine, x, moving, E)

    def add_derivatives(self, x: Array, y: Array, to: Any) -> None:
        add_penalty_derivatives(self.penalties, self._affine, x, to)


def read(slots: Sequence[Any], context: SceneContext) -> JointPenalties:
    """The penalties of the joint geometries among the slots."""
    ids = {slot.id() for slot in slots}
    meshes = [mesh for mesh in context.joints if mesh.geo_id in ids]
    return JointPenalties(meshes, context.bodies.mass[:, 0, 0], context.numbering.affine)


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
        local=local,
        is_linear=np.repeat(np.array([KINDS[mesh.kind.kind].is_linear for mesh in meshes], dtype=bool), counts),
        held=np.repeat(np.array([of_mesh.shape[2] for of_mesh in vectors], dtype=np.int64), counts),
        blocks=np.zeros((len(bodies), 2 * DOF, 2 * DOF)),
    )


@compiled
def energies(penalties, q):
    """Energy of each joint at q (n, 12), (m,)."""
    E = np.zeros(len(penalties.kind))
    x, y, r = np.empty((HELD, 3)), np.empty((HELD, 3)), np.empty(3 * HELD)
    for j in range(len(E)):
        _residual_at(penalties, j, q, x, y, r)
        for row in range(3 * penalties.held[j]):
            E[j] += 0.5 * penalties.stiffness[j] * r[row] * r[row]
    return E


@compiled
def add_derivatives(penalties, q, moving, g):
    """Add the gradient at q (n, 12) of moving bodies to g (n, 12), and bring Hessians of their joints up to date."""
    nobody = np.zeros(DOF)
    x, y, r = np.empty((HELD, 3)), np.empty((HELD, 3)), np.empty(3 * HELD)
    D, J = np.empty((3 * HELD, 2, HELD, 3)), np.empty((3 * HELD, 2 * DOF))
    for j in range(len(penalties.kind)):
        left, right = penalties.bodies[j]
        if not (moving[left] or moving[right]):
            continue
        g_left, g_right = g[left] if moving[left] else nobody, g[right] if moving[right] else nobody
        _add_gradient(penalties, j, q, x, y, r, D, J, g_left, g_right)
        if not penalties.is_linear[j]:
            _write_square(penalties.stiffness[j], J, penalties.held[j], penalties.blocks[j])


@compiled
def add_residual_curvature(penalties, q, moving, projected):
    """Add κ Σ r_row ∂²r_row at q (n, 12) to the Hessians of joints with bilinear residuals, just brought up to date.

    Those of which neither body moves, or one is projected, of masks (n,), stay as they are.
    """
    x, y, r, C = np.empty((HELD, 3)), np.empty((HELD, 3)), np.empty(3 * HELD), np.empty((2, HELD, 3, 2, HELD, 3))
    for j in range(len(penalties.kind)):
        left, right = penalties.bodies[j]
        if penalties.is_linear[j] or penalties.kind[j] == HELICAL or projected[left] or projected[right]:
            continue
        if not (moving[left] or moving[right]):
            continue
        _residual_at(penalties, j, q, x, y, r)
        _curvature(penalties.kind[j], penalties.held[j], x, y, r, C)
        _add_pulled_back(penalties.stiffness[j], C, penalties.local[j], penalties.held[j], penalties.blocks[j])


@compiled
def _curvature(kind, held, x, y, r, C):
    """Write Σ r_row ∂²r_row by the world vectors into C; slopes of bilinear residuals are linear: steps are exact."""
    D, ahead = np.empty((3 * HELD, 2, HELD, 3)), np.empty((3 * HELD, 2, HELD, 3))
    kinds.residual_slopes(kind, x, y, D)
    C[:] = 0.0
    for side in range(2):
        v = x if side == 0 else y
        for a in range(held):
            for k in range(3):
                before = v[a, k]
                v[a, k] += 1.0
                kinds.residual_slopes(kind, x, y, ahead)
                v[a, k] = before
                for row in range(3 * held):
                    for other in range(2):
                        for b in range(held):
                            for m in range(3):
                                C[side, a, k, other, b, m] += r[row] * (ahead[row, other, b, m] - D[row, other, b, m])


@compiled
def _add_pulled_back(kappa, C, local, held, block):
    """Add κ (∂v/∂q)ᵀ C ∂v/∂q to a block (24, 24), v the world vectors."""
    for side in range(2):
        for a in range(held):
            for k in range(3):
                for other in range(2):
                    for b in range(held):
                        for m in range(3):
                            c = kappa * C[side, a, k, other, b, m]
                            if c != 0.0:
                                _add_outer(c, local[side, a], local[other, b], DOF * side, k, DOF * other, m, block)


@compiled
def _add_outer(c, left, right, at, k, to, m, block):
    """Add c ∂v_k ∂w_m, of world vectors with the local ones left and right (4,), of bodies at `at` and `to`."""
    for i in range(4):
        row = at + (k if i == 3 else 3 + 3 * k + i)
        for j in range(4):
            block[row, to + (m if j == 3 else 3 + 3 * m + j)] += c * left[i] * right[j]


@compiled
def gradients(penalties, q):
    """The gradient of each joint's energy by the coordinates of its two bodies at q (n, 12), (m, 2, 12)."""
    x, y, r = np.empty((HELD, 3)), np.empty((HELD, 3)), np.empty(3 * HELD)
    D, J = np.empty((3 * HELD, 2, HELD, 3)), np.empty((3 * HELD, 2 * DOF))
    g = np.zeros((len(penalties.kind), 2, DOF))
    for j in range(len(g)):
        _add_gradient(penalties, j, q, x, y, r, D, J, g[j, 0], g[j, 1])
    return g


@compiled
def _add_gradient(penalties, j, q, x, y, r, D, J, g_left, g_right):
    """Add the gradient of joint j; x, y, r, D are scratch, and J receives ∂r/∂q where r is not linear."""
    kappa = penalties.stiffness[j]
    _residual_at(penalties, j, q, x, y, r)
    if penalties.is_linear[j]:
        for a in range(penalties.held[j]):
            _add_pulled(penalties.local[j, 0, a], kappa, r[3 * a : 3 * a + 3], g_left)
            _add_pulled(penalties.local[j, 1, a], -kappa, r[3 * a : 3 * a + 3], g_right)
    else:
        kinds.residual_slopes(penalties.kind[j], x, y, D)
        _pull_back(D, penalties.local[j], penalties.held[j], J)
        for row in range(3 * penalties.held[j]):
            for i in range(DOF):
                g_left[i] += kappa * r[row] * J[row, i]
                g_right[i] += kappa * r[row] * J[row, DOF + i]


@compiled
def _set_constant_hessians(penalties):
    D, J = np.zeros((3 * HELD, 2, HELD, 3)), np.empty((3 * HELD, 2 * DOF))
    for row in range(3 * HELD):
        D[row, 0, row // 3, row % 3], D[row, 1, row // 3, row % 3] = 1.0, -1.0
    for j in range(len(penalties.kind)):
        if penalties.is_linear[j]:
            _pull_back(D, penalties.local[j], penalties.held[j], J)
            _write_square(penalties.stiffness[j], J, penalties.held[j], penalties.blocks[j])


@compiled
def _residual_at(penalties, joint, q, x, y, r):
    """r (3 HELD,) of a joint at q (n, 12), and the world vectors x, y (HELD, 3) of its two bodies."""
    count = penalties.held[joint]
    to_world(penalties.local[joint, 0], count, q[penalties.bodies[joint, 0]], x)
    to_world(penalties.local[joint, 1], count, q[penalties.bodies[joint, 1]], y)
    if penalties.is_linear[joint]:
        for a in range(count):
            for k in range(3):
                r[3 * a + k] = x[a, k] - y[a, k]
    else:
        kinds.residual(penalties.kind[joint], x, y, r)


@compiled
def _add_pulled(local, factor, f, g):
    """Add factor·(∂x/∂q)ᵀ f, for a world vector x with the local one (4,), to g (12,)."""
    for k in range(3):
        g[k] += factor * local[3] * f[k]
        for i in range(3):
            g[3 + 3 * k + i] += factor * local[i] * f[k]


@compiled
def _write_square(kappa, J, held, block):
    """Write κ JᵀJ of the first 3 held rows of J (3 HELD, 24)."""
    block[:] = 0.0
    for row in range(3 * held):
        for a in range(2 * DOF):
            factor = kappa * J[row, a]
            if factor != 0.0:
                for b in range(block.shape[1]):
                    block[a, b] += factor * J[row, b]


@compiled
def _pull_back(D, local, held, J):
    """J = D ∂(world vectors)/∂q, in the first 3 held rows of J (3 HELD, 24)."""
    J[:] = 0.0
    for row in range(3 * held):
        for side in range(2):
            for a in range(held):
                for k in range(3):
                    d = D[row, side, a, k]
                    if d != 0.0:
                        J[row, DOF * side + k] += d * local[side, a, 3]
                        for i in range(3):
                            J[row, DOF * side + 3 + 3 * k + i] += d * local[side, a, i]


@compiled
def hold_penalties(penalties):
    return Penalties(*penalties)


@compiled
def add_penalty_energies(penalties, affine, x, moving, E):
    of_joints, bodies = energies(penalties, coordinates(x, affine)), penalties.bodies
    for j in range(len(of_joints)):
        left, right = bodies[j]
        E[left if moving[left] else right] += of_joints[j]


@compiled
def add_penalty_derivatives(penalties, affine, x, to):
    q, g = coordinates(x, affine), np.zeros((affine, DOF))
    add_derivatives(penalties, q, to.moving, g)
    add_residual_curvature(penalties, q, to.moving, to.projected)
    add_gradients(g, to)
    bodies, blocks = penalties.bodies, penalties.blocks
    for j in range(len(bodies)):
        add_pair(bodies[j], blocks[j], to)
