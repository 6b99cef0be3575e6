"""The Newton system H dq = -g in blocks of twelve, for the bodies that have unknowns.

The others, fixed or frozen, do not move: everything that is added to their rows and columns is ignored.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.affine import DOF
from ipc_articulation.arrays import Array, Bools
from ipc_articulation.compiled import compiled
from ipc_articulation.engine import islands
from ipc_articulation.engine.linear_system.block_matrix import BlockMatrix, parts_of
from ipc_articulation.engine.linear_system.by_fronts.front_cholesky import FrontCholesky
from ipc_articulation.engine.linear_system.conjugate_gradients import solve_by_gradients
from ipc_articulation.errors import SolverError

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
        self._has_many = has_many
        self.choose(~is_fixed)

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

    def solve_again(self, loads: Array) -> Array:
        """H⁻¹ of s loads (s, n, 12), with H as it was solved with last; zero for bodies without unknowns."""
        bodies, moved = self.bodies, np.zeros(loads.shape)
        moved[:, bodies] = self._cholesky.solve_again(loads.take(bodies, axis=1))
        return moved

    def _solve(self, g: Array, may_fail: bool = False) -> Array | None:
        """The step, or None if H is not positive definite; if that may be, what gradients see is believed."""
        bodies, H, x = self.bodies, self.matrix, None
        if self._has_many and H.is_split.all():
            found = solve_by_gradients(H, g[bodies])
            if may_fail and not found.is_definite:
                self._cholesky.analyse(H)  # which parts are definite is asked next
                return None
            x = found.x
        if x is None:
            x = self._cholesky.solve(H, g[bodies])
        return None if x is None else step_from(x, bodies, len(g))


@compiled
def step_from(x, bodies, n):
    """The rows of -x (k, 12) as those of bodies (k,) among n, others zero."""
    dq = np.zeros((n, DOF))
    for i in range(len(bodies)):
        for k in range(DOF):
            dq[bodies[i], k] = -x[i, k]
    return dq
