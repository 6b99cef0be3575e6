"""Joint limits and dry friction of a Pinocchio model, which Pinocchio's own algorithms leave to their user."""

from __future__ import annotations

import numpy as np
from ipc_articulation.adapters.pinocchio.chain import JointChain

from ipc_articulation.arrays import Array
from ipc_articulation.coupling.adapter import Restraints


def restraints(chain: JointChain, theta: Array) -> Restraints | None:
    """What the step of the scene holds, as Pinocchio's own step has none of it; None without limits and dry friction.

    Args:
        chain: The joints; the largest dry friction is the model's `upperDryFrictionLimit`. That of ball joints, planar
            joints and floating bases is left out.
        theta: Positions of the freedoms, (nv,) [rad or m].
    """
    lower, upper = chain.limits().T - theta
    friction = np.where(chain.single, chain.tree.upperDryFrictionLimit, 0.0)
    if not (np.isfinite(lower).any() or np.isfinite(upper).any() or friction.any()):
        return None
    none = np.zeros(len(theta))
    return Restraints(lower, upper, none, friction, none, predicted=False)
