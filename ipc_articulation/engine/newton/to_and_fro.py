"""Newton steps that lead to and fro.

Where friction slips on both sides of a place and sticks between, the energy is convex, but softer on the sides than
between: a step from one side, made for its softer Hessian, ends as far on the other side, where the energy is the same,
and the next one leads back. Half of such a step ends between. A step is taken for one if it points against the last
one, which was taken whole, and is about as large.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.engine.newton import islands
from ipc_articulation.engine.newton.iterate import CutStep

_AGAINST = -0.99  # cosine of the angle between the steps
_AS_LARGE = 0.9  # of the last step's size


def halved(step: CutStep, last: CutStep, taken: Array, labels: Ints) -> CutStep:
    """A step with half its fractions in islands (labels (n,)) where it leads back.

    `taken` (n,) is the fraction of the last step that was taken.
    """
    along, now, before = (
        islands.total(labels, np.einsum("ni,ni->n", a, b))
        for a, b in ((step.dq, last.dq), (step.dq, step.dq), (last.dq, last.dq))
    )
    turns = (along < _AGAINST * np.sqrt(now * before)) & (step.size >= _AS_LARGE * last.size)
    turns &= ~islands.anyone(labels, (taken < 1.0) & (last.size > 0.0))
    return step._replace(fraction=np.where(turns, 0.5 * step.fraction, step.fraction)) if turns.any() else step
