"""What changes from step to step."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class State:
    """n bodies and m joints."""

    q: Array  # (n, 12)
    qdot: Array  # (n, 12)
    theta: Array  # (m,) joint coordinates, followed over turns [rad or m]
