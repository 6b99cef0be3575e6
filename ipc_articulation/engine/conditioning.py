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
from typing import NamedTuple

import numpy as np

from ipc_articulation.affine import DOF
from ipc_articulation.arrays import Array, Bools, Ints
from ipc_articulation.engine.linear_system.hessian import Hessian, NoHessian
from ipc_articulation.engine.linear_system.linear_system import LinearSystem
from ipc_articulation.engine.scene.scene_context import SceneContext
from ipc_articulation.engine.state import EngineState
from ipc_articulation.engine.terms.driving_joint import DrivingJoints
from ipc_articulation.engine.terms.joint_penalty import JointPenalties
from ipc_articulation.engine.terms.kinetic import Kinetic
from ipc_articulation.engine.terms.soft_transform import SoftTransform
from ipc_articulation.engine.terms.stiffest import MOST
from ipc_articulation.engine.terms.term import Term
from ipc_articulation.errors import SceneError

_ITERATIONS = 4  # of inverse iteration: the factor from one to the next is the growth of the softest motion
_DYAD = np.array([0, 3, 4, 5])  # of M = [[m, sᵀ], [s, S]] ⊗ 1
_REMEDIES = {
    JointPenalties: "give it a smaller strength_ratio, or a shorter axis",
    DrivingJoints: "give its drive a smaller strength_ratio",
    SoftTransform: "give it a smaller strength_ratio",
}


class _Part(NamedTuple):
    """What a term adds to the diagonal of H."""

    term: Term
    rows: Ints  # (k,) bodies
    others: Ints  # (k,) the body to which each is held, itself without
    entries: Array  # (k, 12)


class _Diagonals(NoHessian):
    """Keeps the diagonals of what is added."""

    def __init__(self) -> None:
        self.parts: list[_Part] = []
        self.term: Term

    def add_diagonal(self, blocks: Array) -> None:
        """See `Hessian`."""
        every = np.arange(len(blocks))
        self.parts.append(_Part(self.term, every, every, np.einsum("kii->ki", blocks)))

    def add_pairs(self, bodies: Ints, blocks: Array) -> None:
        """See `Hessian`."""
        entries = np.einsum("kii->ki", blocks)
        self.parts.append(_Part(self.term, bodies[:, 0], bodies[:, 1], entries[:, :DOF]))
        self.parts.append(_Part(self.term, bodies[:, 1], bodies[:, 0], entries[:, DOF:]))


class Conditioning:
    """Tests the stiffness of a scene: at the start, and when it has grown."""

    def __init__(self, terms: Sequence[Term], context: SceneContext) -> None:
        """Take the terms of the potential."""
        bodies = context.bodies
        self._context, self._count = context, bodies.affine_count
        self._kinetic = next(term for term in terms if isinstance(term, Kinetic))
        self._held = [term for term in terms if isinstance(term, tuple(_REMEDIES))]
        self._changing = [term for term in terms if isinstance(term, DrivingJoints | SoftTransform)]
        self._stiffest = [0.0] * len(self._changing)
        self._has_inertia = ~(bodies.is_fixed | bodies.external_kinetic)
        self._has_inertia[self._count :] = False
        self.is_due = True  # whether masses have changed since the last test

    def test(self, state: EngineState) -> None:
        """Test steps from a state; none of the tested stiffness hangs on dt.

        Raises:
            SceneError: Inertia is lost; names the body, and what holds it.
        """
        n = len(state.q)
        M = np.where(self._has_inertia[:, None], np.einsum("kii->ki", self._kinetic.arrays.M), 1.0)
        parts, D = self._diagonal(state, M)
        own = np.zeros(n)
        own[self._has_inertia] = _softest_alone(self._kinetic.arrays.M[self._has_inertia])
        if (own * MOST >= 1.0).any():
            ratio, body = self._softest(state, D, own * MOST >= 1.0, (M / D).min(axis=1))
            if ratio * MOST < 1.0:
                self._refuse(parts, M, body, ratio)
        self.is_due, self._stiffest = False, [term.stiffest for term in self._changing]

    def follow(self, state: EngineState) -> None:
        """Test again if drives or aims, which have just begun a step from a state, have become stiffer.

        Raises:
            SceneError: As of `test`.
        """
        if any(term.stiffest > known for term, known in zip(self._changing, self._stiffest, strict=True)):
            self.test(state)

    def _diagonal(self, state: EngineState, M: Array) -> tuple[list[_Part], Array]:
        """What holds the bodies, and D (n, 12), for M's own diagonal (n, 12)."""
        found, D = _Diagonals(), M.copy()
        for term in self._held:
            found.term = term
            _add_stiffness(term, state.q, found)
        for part in found.parts:
            np.add.at(D, part.rows, part.entries)
        return found.parts, D

    def _softest(self, state: EngineState, D: Array, unknown: Bools, share: Array) -> tuple[float, int]:
        """λ and the body that moves most; 0 where H is not definite, and the body with the least share of M."""
        system = LinearSystem(~unknown)
        system.add_diagonal(self._kinetic.arrays.M)
        for term in self._held:
            _add_stiffness(term, state.q, system)
        x, ratio = np.random.default_rng(0).standard_normal(state.q.shape) / np.sqrt(D), 1.0
        for _ in range(_ITERATIONS):
            found = system.solve_definite(-D * x)
            if found is None:
                return 0.0, int(np.argmin(np.where(system.indefinite, share, np.inf)))
            ratio = float(1.0 / np.sqrt(np.sum(D * found * found)))
            x = ratio * found
        return ratio, int(np.argmax((D * x * x).sum(axis=1)))

    def _refuse(self, parts: Sequence[_Part], M: Array, body: int, ratio: float) -> None:
        """Name the body and what is stiffest beside its inertia."""
        found = [
            (part, int(k), (part.entries[k] / M[body]).max())
            for part in parts
            for k in np.flatnonzero(part.rows == body)
        ]
        part, k, _ = max(found, key=lambda one: one[2])
        name = self._context.bodies.names[body]
        size = f"more than {MOST:g}" if ratio <= 0.0 else f"{1.0 / ratio:.1g}"
        remedy = next(text for kind, text in _REMEDIES.items() if isinstance(part.term, kind))
        raise SceneError(
            f"{self._holder(part, k)} is so stiff that the inertia of '{name}' is lost in rounding and it would not "
            f"move: they differ by a factor of {size}, and at most {MOST:g} can be computed; {remedy}, or the body "
            "more mass"
        )

    def _holder(self, part: _Part, k: int) -> str:
        names, row, other = self._context.bodies.names, int(part.rows[k]), int(part.others[k])
        if row == other:
            return f"the SoftTransformConstraint of '{names[row]}'"
        pair = {row, other}
        places = (
            (mesh.geo_id, j)
            for mesh in self._context.joints
            for j, two in enumerate(mesh.joints.bodies)
            if {*two.tolist()} == pair
        )
        geometry, joint = next(places)
        drive = "the drive of " if isinstance(part.term, DrivingJoints) else ""
        return f"{drive}joint geometry {geometry}, joint {joint}, between '{names[row]}' and '{names[other]}',"


def _add_stiffness(term: Term, q: Array, hessian: Hessian) -> None:
    """Add the K of a term at q (n, 12); that of an aim does not depend on how near the aim is."""
    if isinstance(term, SoftTransform):
        hessian.add_diagonal(term.stiffness)
    else:
        term.assemble(q, np.zeros_like(q), hessian)


def _softest_alone(M: Array) -> Array:
    """The smallest λ of M x = λ diag(M) x for mass matrices M (n, 12, 12), (n,)."""
    dyads = M[:, _DYAD[:, None], _DYAD]
    size = np.sqrt(np.einsum("kii->ki", dyads))
    size = np.where(size > 0.0, size, 1.0)
    return np.linalg.eigvalsh(dyads / size[:, :, None] / size[:, None, :]).min(axis=1, initial=1.0)
