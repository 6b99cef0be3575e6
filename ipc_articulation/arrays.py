"""Types of arrays, by their elements; shapes, units and frames are given at each declaration."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]
Colour = tuple[float, float, float, float]  # red, green, blue and opacity, 0 to 1
