"""All barriers of a scene, expanded where a Newton step leads (see `expansion`)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ipc_articulation.affine import DOF
from ipc_articulation.arrays import Array, Bools
from ipc_articulation.contact.derivatives import ContactDerivatives
from ipc_articulation.contact.pair_foresight import PairForesight
from ipc_articulation.contact.planes.foresight import PlaneForesight
from ipc_articulation.contact.positions import Positions
from ipc_articulation.contact.soft.vertex_foresight import VertexForesight
from ipc_articulation.contact.stencils import Stencils


class Foresight:
    """The points of expansion of one step, which follow it from solution to solution."""

    def __init__(
        self,
        planes: PlaneForesight,
        pairs: Sequence[PairForesight],
        soft: Sequence[VertexForesight],
        q: Array,
        moving: Bools,
        floors: Array,
    ) -> None:
        """Begin where the bodies are, at q (n, 12); `floors` (n,) are the smallest gaps [m] that steps leave."""
        self._planes, self._pairs, self._soft = planes, pairs, soft
        self._q, self._moving, self._floors = q, moving, floors
        self._g = np.zeros(q.shape)

    def meet(self, ahead: Positions, covered: Sequence[Stencils]) -> None:
        """Have also the stencils that a step to positions ahead would pass through.

        Args:
            ahead: Positions.
            covered: What may come within d̂ on the way, material by material.
        """
        every: list[PairForesight | VertexForesight] = [*self._pairs, *self._soft]
        for foreseen, stencils in zip(every, covered, strict=True):
            foreseen.meet(stencils, ahead.x, self._moving, self._floors)

    def follow(self, dq: Array, projected: Bools) -> ContactDerivatives | None:
        """Follow the step dq (n, 12); `projected` are the bodies whose Hessian is projected, (n,).

        Returns:
            What has changed in the gradient so far, and what changes in Hessians; None if nothing does.
        """
        g, H = self._g, np.zeros((len(dq), DOF, DOF))
        has_changed = self._planes.follow(self._q, self._q + dq, self._moving, g, H)
        changes = [pairs.follow(dq, projected, g) for pairs in self._pairs]
        found = [change for change in changes if change is not None]
        of_soft = [block for soft in self._soft for block in soft.follow(dq, projected, g)]
        return ContactDerivatives(g, H, found, of_soft) if has_changed or found or of_soft else None
