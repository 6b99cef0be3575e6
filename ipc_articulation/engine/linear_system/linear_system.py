"""The Newton system H dq = -g in blocks of twelve, for the bodies that have unknowns.

The others, fixed or frozen, do not move: everything that is added to their rows and columns is ignored.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ipc_articulation.affine import DOF
from ipc_articulation.arrays import Array, Bools, Ints
from ipc_articulation.compiled import compiled
from ipc_articulation.engine.linear_system.block_matrix import BlockMatrix, parts_of
from ipc_articulation.engine.linear_system.by_fronts.front_cholesky import FrontCholesky
from ipc_articulation.engine.linear_system.conjugate_gradients import solve_by_gradients
from ipc_articulation.engine.newton import islands
from ipc_articulation.errors import SolverError


class Kept(NamedTuple):
    """A Hessian, and which of its rows are in a definite part."""

    is_definite: Bools  # (k,)
    diagonal: Array  # (k, 12, 12)
    rows: Ints  # (m,)
    cols: Ints  # (m,)
    blocks: Array  # (m, 12, 12)


DEAR = 200_000  # numbers in a factor
SHARES = (0.05, 0.2, 0.5)  # for `LinearSystem.soften`
SHIFT = 1e-9  # of the largest diagonal entry of a part: far above rounding, far below stiffness


class LinearSystem(BlockMatrix):
    """The `Hessian` that Newton solves with."""

    def __init__(self, is_fixed: Bools, is_split: Bools | None = None, has_many: bool = False) -> None:
        """Give unknowns to bodies that are not fixed (n,), until `choose` is called.

        Args:
            is_fixed: (n,).
            is_split: Rows of vertices, (n,).
            has_many: Whether these are vertices of so many elements that conjugate gradients are tried first, while
                only they have unknowns.
        """
        super().__init__(len(is_fixed), is_split)
        self._cholesky = FrontCholesky()
        self._has_many, self._has_factor = has_many, False
        self._is_by_gradients = False  # whether conjugate gradients have solved the last system
        self.choose(~is_fixed)

    @property
    def is_dear(self) -> bool:
        """Whether the last solution took longer than assembling the system: that of a thousand vertices does."""
        return not self._has_factor or self._cholesky.size > DEAR

    def solve(self, g: Array) -> Array:
        """The step dq = -H⁻¹ g, (n, 12), zero for bodies without unknowns.

        Parts of H that are not positive definite, with the shift neither, are refused.

        Raises:
            SolverError: There is one.
        """
        dq = self._solve(g)
        if dq is not None:
            return dq
        diagonal, rows, cols, blocks, *_ = self.matrix
        entries = np.einsum("iaa->ia", diagonal)
        largest = islands.largest(parts_of(len(diagonal), rows, cols), entries.max(axis=1, initial=0.0))
        left = ~self._cholesky.definite_rows(diagonal, blocks)
        entries[left] += SHIFT * largest[left, None]
        dq = self._solve(g)
        if dq is not None:
            return dq
        raise SolverError(
            "the Hessian of the step is not positive definite; is there a body that no mass, joint or contact holds?"
        )

    def solve_definite(self, g: Array) -> Array | None:
        """The step of `solve`, or None if H is not positive definite."""
        return self._solve(g, may_fail=True)

    @property
    def indefinite(self) -> Bools:
        """The bodies of parts that are not definite, (n,), after `solve_definite` has given None."""
        diagonal, _, _, blocks, *_ = self.matrix
        result = np.zeros(len(self._place), dtype=np.bool_)
        result[self.bodies] = ~self._cholesky.definite_rows(diagonal, blocks)
        return result

    def solve_parts(self, g: Array) -> tuple[Array, Bools]:
        """The step of `solve` for the bodies (n,) of parts that are positive definite; others become the identity."""
        dq, is_definite = self._solve(g), np.ones(len(g), dtype=np.bool_)
        if dq is not None:
            return dq, is_definite
        diagonal, rows, _, blocks, *_ = self.matrix
        lost = ~self._cholesky.definite_rows(diagonal, blocks)
        diagonal[lost], blocks[lost[rows]] = np.eye(DOF), 0.0
        is_definite[self.bodies] = ~lost
        dq = self._solve(g)
        return (np.zeros_like(g), ~np.ones_like(is_definite)) if dq is None else (dq, is_definite)

    def solve_again(self, loads: Array) -> Array:
        """H⁻¹ of s loads (s, n, 12), with H as it was solved with last; zero for bodies without unknowns."""
        bodies, moved = self.bodies, np.zeros(loads.shape)
        moved[:, bodies] = self._cholesky.solve_again(loads.take(bodies, axis=1))
        return moved

    def corrected(self, g: Array, dq: Array) -> Array | None:
        """A step dq (n, 12) that solves the system as it was, corrected for g and what has been added since.

        These are conjugate gradients from there on, or those with the factor of the system as it was (`refinement`).
        None where that is not worth it: with few unknowns, or where they do not end soon.
        """
        bodies, H = self.bodies, self.matrix
        x, b = -dq[bodies], g[bodies]
        if self._is_by_gradients:
            found = solve_by_gradients(H, b, x)
            return None if found.x is None else step_from(found.x, bodies, len(g))
        if not self._has_factor or self._cholesky.size <= DEAR:
            return None
        refined = self._cholesky.refined(H, b, x)
        return None if refined is None else step_from(refined, bodies, len(g))

    def definite_parts(self) -> Kept:
        """The parts of H, not connected with each other, that are definite, after `solve_definite`."""
        if self._is_by_gradients:
            self._cholesky.analyse(self.matrix)  # which has not been factorised
        diagonal, rows, cols, blocks, *_ = self.matrix
        is_definite = self._cholesky.definite_rows(diagonal, blocks)
        return Kept(is_definite, diagonal.copy(), rows.copy(), cols.copy(), blocks.copy())

    def soften(
        self, kept: Kept, shares: Sequence[float], least: Ints | None = None, stays: Bools | None = None
    ) -> Bools:
        """Make a projected Hessian, added anew with the same unknowns, as soft as it may be, part by part.

        A part becomes what was kept, where that is definite; else what was kept and a share of its difference from
        what was added, with the first share that is enough; else it stays.

        Args:
            kept: The Hessian as it was added before.
            shares: Ascending.
            least: How many of 0 and the shares are left out for the part of each body, (n,).
            stays: Bodies whose parts get no share, (n,), unless `least` leaves out something for one of them.

        Returns:
            The bodies whose part became what was kept, (n,).
        """
        diagonal, rows, cols, blocks, *_ = self.matrix
        is_kept = np.zeros(len(self._place), dtype=np.bool_)
        if not (np.array_equal(rows, kept.rows) and np.array_equal(cols, kept.cols)):
            return is_kept  # a block has come or gone: parts are connected otherwise
        omitted = np.zeros(len(kept.is_definite), dtype=np.int64) if least is None else least[self.bodies]
        left = ~kept.is_definite | (omitted > 0)
        diagonal[~left], blocks[~left[rows]] = kept.diagonal[~left], kept.blocks[~left[rows]]
        is_kept[self.bodies] = ~left
        if stays is not None:
            part = parts_of(len(left), rows, cols)
            left &= islands.anyone(part, omitted > 0) | ~islands.anyone(part, stays[self.bodies])
        stiff, stiff_blocks = diagonal.copy(), blocks.copy()
        for level, share in enumerate((*shares, 1.0), 1):
            if not left.any():
                break
            of = left[rows]
            diagonal[left] = (1.0 - share) * kept.diagonal[left] + share * stiff[left]
            blocks[of] = (1.0 - share) * kept.blocks[of] + share * stiff_blocks[of]
            if share < 1.0:
                left &= ~self._cholesky.definite_rows(diagonal, blocks) | (omitted > level)
        return is_kept

    def _solve(self, g: Array, may_fail: bool = False) -> Array | None:
        """The step, or None if H is not positive definite; if that may be, what gradients see is believed."""
        bodies, H, x = self.bodies, self.matrix, None
        self._is_by_gradients = self._has_factor = False
        if self._has_many and H.is_split.all():
            found = solve_by_gradients(H, g[bodies])
            if may_fail and not found.is_definite:
                self._cholesky.analyse(H)  # which parts are definite is asked next
                return None
            x, self._is_by_gradients = found.x, found.x is not None
        if x is None:
            x = self._cholesky.solve(H, g[bodies])
            self._has_factor = x is not None
        return None if x is None else step_from(x, bodies, len(g))


@compiled
def step_from(x, bodies, n):
    """The rows of -x (k, 12) as those of bodies (k,) among n, others zero."""
    dq = np.zeros((n, DOF))
    for i in range(len(bodies)):
        for k in range(DOF):
            dq[bodies[i], k] = -x[i, k]
    return dq
