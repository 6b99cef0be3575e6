"""The ball joint: both bodies turn about a common anchor; δθ is the rotation vector δφ since the reference pose.

δφ [rad] is in the right body's own axes, see `rotation_vector`; θ is the turn since the joint was made. The penalty
holds the anchor: r = cᵢ - cⱼ (`anchors.held`).
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.articulation.frames import Placement, local_directions, rotation


def measured(placement: Placement) -> Array:
    """The right body's own axes in both bodies, as they are placed, (m, 2, 3, 4)."""
    axes = np.swapaxes(rotation(placement.transforms[:, 1]), -1, -2)  # a row for each axis
    return local_directions(axes[:, None], placement.transforms)
