"""Which friction a step has: libuipc's, or one that holds.

lagged:    E = Σ μ λ f₀(|u|, ε_v dt)        what sticks creeps with up to ε_v (Li et al. 2020, section 5)
anchored:  E = Σ μ λ f₀(|s + u|, δ)         what sticks does not move, see `anchors` and, of soft bodies, `springs`
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ipc_articulation.arrays import Array, Bools
from ipc_articulation.contact.anchors import LENGTH
from ipc_articulation.contact.held import Held
from ipc_articulation.contact.springs import LENGTH as SOFT_LENGTH
from ipc_articulation.contact.springs import NO_SPRINGS, Springs

_SMALLEST = 1e-300  # [m]


class FrictionLaw(NamedTuple):
    """Friction of a step."""

    eps_velocity: float  # ε_v [m/s]; 0 leaves friction out
    held: Held | None = None  # what pairs of affine bodies remember; None: lagged
    pairs_of: int = 0  # N of `held`, the number of bodies and half-planes
    springs: Springs = NO_SPRINGS  # what stencils of soft bodies remember

    @property
    def acts(self) -> bool:
        """Whether there is friction at all."""
        return self.eps_velocity > 0.0

    def length(self, d_hat: float, dt: float, is_soft: bool = False) -> float:
        """The slip [m] at which friction is fully developed, for d̂ [m] and steps of dt [s]."""
        if self.held is None:
            return self._lagged_length(dt)
        return max((SOFT_LENGTH if is_soft else LENGTH) * d_hat, _SMALLEST)

    def lengths(self, d_hat: Array, dt: float, is_soft: Bools) -> Array:
        """The same for several d̂, (k,)."""
        lagged = np.full(len(d_hat), self._lagged_length(dt))
        return lagged if self.held is None else np.maximum(np.where(is_soft, SOFT_LENGTH, LENGTH) * d_hat, _SMALLEST)

    def _lagged_length(self, dt: float) -> float:
        return max(self.eps_velocity * dt, _SMALLEST)


NO_FRICTION = FrictionLaw(0.0)
