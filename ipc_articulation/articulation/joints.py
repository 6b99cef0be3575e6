"""The joints of an articulation as plain arrays: which bodies they join, and where their axes lie in each body.

Left is the parent body i, right the child body j, as in libuipc's joint geometry. Joints are made while the two bodies
stand in their initial poses, which therefore is θ = 0.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

REVOLUTE, PRISMATIC = 0, 1


@dataclass(frozen=True)
class Joints:
    """m joints between n bodies, structure of arrays.

    A joint's two vectors in a body's local frame are (n̄, b̄) for a revolute joint, the unit normal and binormal of its
    axis with t̂ = b̄ x n̄ along the axis edge, and (c̄, t̄) for a prismatic joint: a point on the axis [m] and its direction.
    """

    kind: NDArray[np.int64]  # (m,) REVOLUTE or PRISMATIC
    bodies: NDArray[np.int64]  # (m, 2) index of the left and of the right body
    left: NDArray[np.float64]  # (m, 2, 3) the two vectors in the left body's frame
    right: NDArray[np.float64]  # (m, 2, 3) the same in the right body's frame

    def __len__(self) -> int:
        return len(self.kind)
