"""How far Newton's method trusts exact Hessians.

Where one is barely definite, its step is much longer than the quadratic model holds, and the line search leaves next to
nothing of it. Then the next ones take a share of the projected Hessian (see `LinearSystem.soften`), a larger one each
time this happens, until steps are below the tolerances (Levenberg-Marquardt's damping, in the metric of the projected
Hessian).
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.engine.linear_system.linear_system import SHARES
from ipc_articulation.engine.newton.iterate import CutStep

_LITTLE = 0.25  # of what collision detection allows: a line search that leaves less has met a wrong model


def distrust(level: Ints, step: CutStep, alpha: Array) -> Ints:
    """How many of 0 and the `SHARES` are not to be tried after a step, (n,).

    Args:
        level: How many were not tried for it, (n,).
        step: That step.
        alpha: Fraction of it that was taken, (n,).
    """
    is_large = step.size > 1.0
    is_wrong = is_large & (alpha < _LITTLE * step.fraction)
    return np.where(is_large, np.minimum(level + is_wrong, len(SHARES)), 0)
