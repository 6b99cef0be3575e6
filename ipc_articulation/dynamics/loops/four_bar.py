"""The planar four-bar linkage.

Two bars in series start at one pivot, with angles q₁ and q₁ + q₃ and lengths l₁ and l₂. A third bar, of length l₃ and
angle q₂, starts at a pivot at o. Both paths end at the same point:

    φ = l₁ e(q₁) + l₂ e(q₁ + q₃) - o - l₃ e(q₂),     e(θ) = (cos θ, sin θ)

(generalized_rbda, `FourBar`). q = (q₁, q₂, q₃). If all bars are in line, no angle determines the others.
"""

from __future__ import annotations

from collections.abc import Sequence

from ipc_articulation.dynamics.loops.closed_form import ClosedForm
from ipc_articulation.dynamics.loops.kinds import FOUR_BAR


class FourBar(ClosedForm):
    """A four-bar linkage.

    Args:
        lengths: l₁, l₂, l₃ [m].
        offset: o, (2,) [m].
        independent: Index of the independent angle: 0, 1 or 2.

    Raises:
        ModelError: There is no such angle.
    """

    def __init__(self, lengths: Sequence[float], offset: Sequence[float], independent: int = 0) -> None:
        l1, l2, l3 = lengths
        x, y = offset
        super().__init__(FOUR_BAR, (l1, l2, l3, x, y), 3, [independent])
