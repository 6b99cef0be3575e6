"""What changes from step to step."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class State:
    """Coordinates and velocities of n bodies."""

    q: Array  # (n, 12)
    qdot: Array  # (n, 12)
