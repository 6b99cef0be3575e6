"""The planar four-bar linkage.

Two bars in series from one pivot, angles q₁ and q₁ + q₃, lengths l₁ and l₂, end where a third one of length l₃ and
angle q₂ does, whose pivot is at o:

    φ = l₁ e(q₁) + l₂ e(q₁ + q₃) - o - l₃ e(q₂),     e(θ) = (cos θ, sin θ)

(generalized_rbda, `FourBar`). q = (q₁, q₂, q₃). When all bars are in line, no one angle determines the others.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ipc_articulation.dynamics.loops.implicit import Implicit


class FourBar(Implicit):
    """A four-bar linkage.

    Args:
        lengths: l₁, l₂, l₃ [m].
        offset: o, (2,) [m].
        independent: Which of the three angles is independent: 0, 1 or 2.

    Raises:
        ModelError: As `Implicit`.
    """

    def __init__(self, lengths: Sequence[float], offset: Sequence[float], independent: int = 0) -> None:
        l1, l2, l3 = lengths

        def phi(q):
            x = l1 * np.cos(q[0]) + l2 * np.cos(q[0] + q[2]) - l3 * np.cos(q[1]) - offset[0]
            y = l1 * np.sin(q[0]) + l2 * np.sin(q[0] + q[2]) - l3 * np.sin(q[1]) - offset[1]
            return np.array([x, y])

        super().__init__(phi, 3, [independent])
