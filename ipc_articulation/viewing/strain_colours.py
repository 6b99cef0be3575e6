"""Strain as colours, the same in pictures, in the browser and in exports."""

from __future__ import annotations

import numpy as np

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.extras import need
from ipc_articulation.viewing.soft_strain import StrainScale

MAP = "viridis"  # matplotlib's name; light where strain is large


def strain_colours(strain: Array, scale: StrainScale) -> Ints:
    """Red, green and blue of strains (...,), 0 to 255: (..., 3); below 0 that of 0.

    Raises:
        MissingPackageError: matplotlib is not installed.
    """
    colours = need("matplotlib").colormaps[MAP](np.clip(strain / scale.largest, 0.0, 1.0), bytes=True)
    return np.asarray(colours[..., :3], dtype=np.int64)
