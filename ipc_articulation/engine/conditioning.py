"""Refuses stiffness beside which the inertia of an affine body is lost in rounding.

Newton's system H = M + K has the inertia M of the bodies and the stiffness K of what holds them. Cholesky's method
solves it as if each H_ij were off by about ε √(H_ii H_jj), whatever the units of the coordinates are. So a motion x is
computed while xᵀHx is far above ε xᵀDx, with D = diag H: the smallest λ of Hx = λDx must be. Below, Newton's method
converges to bodies that do not move. (Higham, «Accuracy and stability of numerical algorithms», SIAM 2002, th. 10.5 and
10.7.) It is computed by inverse iteration.

Left out are shapes, which leave rigid motions to M however stiff they are (a box of 0.02 µm falls and turns as one of
0.2 m); contact, which is never far from balance with a load; links, whose inertia an articulation owns; rows of
soft bodies (see `terms.stiffest`); and bodies of which M alone is singular, such as thin rods.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ipc_articulation.affine import DOF
from ipc_articulation.arrays import Array, Bools
from ipc_articulation.compiled import compiled
from ipc_articulation.engine.newton.core import Core
from ipc_articulation.engine.scene.scene_context import SceneContext
from ipc_articulation.engine.state import EngineState
from ipc_articulation.engine.terms.driving_joint import DrivingJoints
from ipc_articulation.engine.terms.joint_penalty import JointPenalties
from ipc_articulation.engine.terms.kinetic import Kinetic
from ipc_articulation.engine.terms.soft_transform import SoftTransform
from ipc_articulation.engine.terms.stiffest import MOST
from ipc_articulation.engine.terms.term import Sums, Term
from ipc_articulation.errors import SceneError
from ipc_articulation.linear_system.system import analysed, empty_matrix, factorise, solve, with_room

_ITERATIONS = 4  # of inverse iteration: the factor from one to the next is the growth of the softest motion
_REMEDIES = {
    JointPenalties: "give it a smaller strength_ratio, or a shorter axis",
    DrivingJoints: "give its drive a smaller strength_ratio",
    SoftTransform: "give it a smaller strength_ratio",
}


class Conditioning:
    """Tests the stiffness of a scene: at the start, and when it has grown."""

    def __init__(self, core: Core, context: SceneContext) -> None:
        """Take the core of the scene, with its terms."""
        self._core, self._context, self._count = core, context, core.numbering.affine
        self._kinetic = next(term for term in core.terms if isinstance(term, Kinetic))
        self._held = [term for term in core.terms if isinstance(term, tuple(_REMEDIES))]
        self._changing = [term for term in core.terms if isinstance(term, DrivingJoints | SoftTransform)]
        self._stiffest = [0.0] * len(self._changing)
        bodies = context.bodies
        self._has_inertia = ~(bodies.is_fixed | bodies.external_kinetic)[: self._count]
        self.is_due = True  # whether masses have changed since the last test

    def test(self, state: EngineState) -> None:
        """Test steps from a state; none of the tested stiffness hangs on dt.

        Raises:
            SceneError: Inertia is lost; names the body, and what holds it.
        """
        if self._held:
            self._test(self._core.nodes(state.q))
        self.is_due, self._stiffest = False, [term.stiffest for term in self._changing]

    def follow(self, state: EngineState) -> None:
        """Test again if drives or aims, which have just begun a step from a state, have become stiffer.

        Raises:
            SceneError: As of `test`.
        """
        if any(term.stiffest > known for term, known in zip(self._changing, self._stiffest, strict=True)):
            self.test(state)

    def _test(self, x: Array) -> None:
        """Test where nodes are at x (N, 3)."""
        W = self._kinetic.masses[: self._count]
        own = np.full(self._count, 0.0)
        own[self._has_inertia] = _softest_alone(W[self._has_inertia])
        unknown = own * MOST >= 1.0
        M = np.where(self._has_inertia[:, None], np.repeat(np.einsum("kii->ki", W), 3, axis=1), 1.0)
        entries = [_diagonals(self._stiffness([term], x, unknown), self._count) for term in self._held]
        D = M + sum(entries)
        if unknown.any():
            start = np.random.default_rng(0).standard_normal(D.shape) / np.sqrt(D)
            sums = self._stiffness([self._kinetic, *self._held], x, unknown)
            ratio, body = _softest(sums, D, start, (M / D).min(axis=1))
            if ratio * MOST < 1.0:
                self._refuse([of[body] / M[body] for of in entries], x, body, ratio)

    def _stiffness(self, terms: Sequence[Term], x: Array, unknown: Bools) -> Any:
        """`Sums` of some terms with nodes at x (N, 3), in the rows of affine bodies (A,) that are unknown."""
        room = sum(term.room for term in terms), sum(term.numbers for term in terms)
        sums = _nothing(self._core.work, unknown, *room)
        for term in terms:
            term.add_derivatives(x, sums)
        return sums

    def _refuse(self, shares: Sequence[Array], x: Array, body: int, ratio: float) -> None:
        """Name the body and what is stiffest beside its inertia: shares (12,) of the terms that hold bodies."""
        term = self._held[int(np.argmax([share.max() for share in shares]))]
        every = np.ones(self._count, dtype=np.bool_)
        other = int(_partner(self._stiffness([term], x, every), body))
        name = self._context.bodies.names[body]
        size = f"more than {MOST:g}" if ratio <= 0.0 else f"{1.0 / ratio:.1g}"
        remedy = next(text for kind, text in _REMEDIES.items() if isinstance(term, kind))
        raise SceneError(
            f"{self._holder(term, body, other)} is so stiff that the inertia of '{name}' is lost in rounding and it "
            f"would not move: they differ by a factor of {size}, and at most {MOST:g} can be computed; {remedy}, or "
            "the body more mass"
        )

    def _holder(self, term: Term, body: int, other: int) -> str:
        names = self._context.bodies.names
        if other < 0:
            return f"the SoftTransformConstraint of '{names[body]}'"
        places = (
            (mesh.geo_id, j)
            for mesh in self._context.joints
            for j, two in enumerate(mesh.joints.bodies.tolist())
            if {*two} == {body, other}
        )
        geometry, joint = next(places)
        drive = "the drive of " if isinstance(term, DrivingJoints) else ""
        return f"{drive}joint geometry {geometry}, joint {joint}, between '{names[body]}' and '{names[other]}',"


@compiled
def _nothing(work, unknown, blocks, numbers):
    """`Sums` of nothing yet, with room for blocks, and the unknown affine bodies (A,)."""
    every, rows = np.ones(len(work.moving), dtype=np.bool_), work.scene.rows
    is_free = np.zeros(len(rows.body), dtype=np.bool_)
    is_free[: len(unknown)] = unknown
    matrix = with_room(empty_matrix(rows.first), blocks, numbers)
    return Sums(every, every, is_free, work.sums.row_of_node, matrix, np.zeros_like(work.dx))


@compiled
def _diagonals(sums, affine):
    """The diagonal of the matrix in the rows of affine bodies, (A, 12)."""
    numbers, own, result = sums.matrix.numbers, sums.matrix.own, np.empty((affine, DOF))
    for b in range(affine):
        for i in range(DOF):
            result[b, i] = numbers[own[b] + (DOF + 1) * i]
    return result


@compiled
def _partner(sums, body):
    """The body with the largest coupling to another one, -1 if it is alone."""
    matrix, found, largest = sums.matrix, -1, 0.0
    for k in range(matrix.used[0]):
        i, j = matrix.rows[k], matrix.cols[k]
        if body in (i, j):
            size = np.max(np.abs(matrix.numbers[matrix.start[k] : matrix.start[k] + DOF * DOF]))
            if size > largest:
                found, largest = j if i == body else i, size
    return found


@compiled
def _softest(sums, D, x, share):
    """λ of Hx = λDx and the body that moves most, from x (A, 12); 0 where H is not definite, and the least share."""
    matrix, free = sums.matrix, sums.is_free
    for r in range(len(free)):
        if not free[r]:
            for a in range(3 * (matrix.first[r + 1] - matrix.first[r])):
                matrix.numbers[matrix.own[r] + a * (3 * (matrix.first[r + 1] - matrix.first[r]) + 1)] = 1.0
    pattern = analysed(matrix)
    U = np.empty(pattern.starts[-1])
    definite, ratio, worst = factorise(pattern, matrix.numbers, free, U), 1.0, -1
    for b in range(len(D)):
        if free[b] and not definite[b] and (worst < 0 or share[b] < share[worst]):
            worst = b
    if worst >= 0:
        return 0.0, worst
    load, found = np.zeros_like(sums.g), np.empty_like(sums.g)
    for _ in range(_ITERATIONS):
        for b in range(len(D)):
            for i in range(DOF):
                load[4 * b + i // 3, i % 3] = D[b, i] * x[b, i]
        solve(pattern, matrix, free, U, load, found)
        square = 0.0
        for b in range(len(D)):
            for i in range(DOF):
                square += D[b, i] * found[4 * b + i // 3, i % 3] ** 2
        ratio = 1.0 / np.sqrt(square)
        for b in range(len(D)):
            for i in range(DOF):
                x[b, i] = ratio * found[4 * b + i // 3, i % 3]
    most = -1.0
    for b in range(len(D)):
        size = np.sum(D[b] * x[b] * x[b])
        if size > most:
            most, worst = size, b
    return ratio, worst


def _softest_alone(W: Array) -> Array:
    """The smallest λ of W x = λ diag(W) x for mass matrices by nodes, (k, 4, 4), (k,)."""
    size = np.sqrt(np.einsum("kii->ki", W))
    size = np.where(size > 0.0, size, 1.0)
    return np.linalg.eigvalsh(W / size[:, :, None] / size[:, None, :]).min(axis=1, initial=1.0)
