"""The nearest inertia that a rigid body can have."""

from __future__ import annotations

import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.dynamics.model.inertia import SLACK
from ipc_articulation.signals import interrupts_deferred

WITHOUT_ROUNDING = -1e-12  # slack for readers that allow none: what only just satisfies the condition may not in theirs
_MARGIN = 1e-9  # of corrected second moments, relative to the largest principal moment: survives later rounding


def physical_inertia(tensor: Array, slack: float = SLACK) -> Array:
    """An inertia tensor itself, bit for bit, if a rigid body can have it; else the nearest that one can have.

    A body's principal moments of inertia are I₁ = s₂ + s₃, I₂ = s₃ + s₁, I₃ = s₁ + s₂, where sᵢ = ∫ ρ xᵢ² dV are its
    second moments: none of the sᵢ is negative (Wensing, Kim, Slotine 2018, «Linear matrix inequalities for physically
    consistent inertial parameter identification»). The nearest tensor in the Frobenius norm has the same principal
    axes, because this condition concerns the moments only (Lewis, Malick 2008, «Alternating projections on manifolds»,
    theorem A.1); its moments are a least squares problem with bounds on s.

    Args:
        tensor: (3, 3) about the centre of mass [kg·m²], symmetric and finite.
        slack: Violation that is ignored, relative to the largest principal moment.
    """
    moments, axes = np.linalg.eigh(tensor)
    largest = np.abs(moments).max()
    if np.min(0.5 * moments.sum() - moments) >= -0.5 * slack * largest:
        return tensor
    nearest = (axes * _nearest_moments(moments, _MARGIN * largest)) @ axes.T
    return 0.5 * (nearest + nearest.T)


def _nearest_moments(moments: Array, least: float) -> Array:
    """The principal moments nearest to some whose second moments are not below `least`, (3,)."""
    of_second = 1.0 - np.eye(3)
    with interrupts_deferred:
        from scipy.optimize import nnls
    excess, _ = nnls(of_second, moments - 2.0 * least)
    return of_second @ excess + 2.0 * least
