"""The joints of an articulation as plain arrays: which bodies they join, and where their axes lie in each body.

Left is the parent body i, right the child body j, as in libuipc's joint geometry. Joints are made while the two bodies
stand in their initial poses: there θ = 0 (a prismatic joint made from local end points that do not coincide starts at
the distance between them, as in libuipc).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

REVOLUTE, PRISMATIC = 0, 1


@dataclass(frozen=True)
class Joints:
    """m joints between n bodies, structure of arrays.

    A joint's two vectors in a body's local frame are (n̄, b̄) for a revolute joint, the unit normal and binormal of its
    axis with t̂ = b̄ x n̄ along the axis edge, and (c̄, t̄) for a prismatic joint: a point on the axis [m] and its
    direction.
    """

    kind: NDArray[np.int64]  # (m,) REVOLUTE or PRISMATIC
    bodies: NDArray[np.int64]  # (m, 2) index of the left and of the right body
    left: NDArray[np.float64]  # (m, 2, 3) the two vectors in the left body's frame
    right: NDArray[np.float64]  # (m, 2, 3) the same in the right body's frame

    def __len__(self) -> int:
        return len(self.kind)

    def __getitem__(self, index: NDArray[np.int64] | slice) -> Joints:
        """The joints at these places, in this order."""
        return Joints(self.kind[index], self.bodies[index], self.left[index], self.right[index])

    @classmethod
    def concatenate(cls, parts: Sequence[Joints]) -> Joints:
        """All joints of the parts, one after the other."""
        return cls(
            np.concatenate([part.kind for part in parts]) if parts else np.zeros(0, dtype=np.int64),
            np.concatenate([part.bodies for part in parts]) if parts else np.zeros((0, 2), dtype=np.int64),
            np.concatenate([part.left for part in parts]) if parts else np.zeros((0, 2, 3)),
            np.concatenate([part.right for part in parts]) if parts else np.zeros((0, 2, 3)),
        )

    @property
    def local(self) -> NDArray[np.float64]:
        """The four vectors in homogeneous coordinates, (m, 4, 4): w = 1 for a point (c̄), 0 for a direction.

        Rows: first and second vector in the left body, then in the right body.
        """
        vectors = np.concatenate([self.left, self.right], axis=1)
        w = np.zeros((len(self), 4, 1))
        w[self.kind == PRISMATIC, 0::2] = 1.0
        return np.concatenate([vectors, w], axis=2)
