"""The stiffest element of soft bodies or stitch, beside which the inertia of its vertices must not vanish in rounding.

The Newton system has m + dt² k on its diagonal, for a vertex of mass m that an element holds with the stiffness k.
Where dt² k/m is near 1/ε = 4.5e15, the sum is dt² k: gravity, forces and contact no longer move the body, though
Newton's method converges. A cube of 0.1 m falls right to six digits at 1e13, and to none at 1e15.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ipc_articulation.errors import SceneError
from ipc_articulation.frontend.soft.constitutions import Elements
from ipc_articulation.frontend.soft.soft_body import SoftBody

MOST = 1e14  # of dt² k/m
_TOGETHER = 4096  # elements whose Hessians are in memory at once


@dataclass(frozen=True)
class Stiffest:
    """The element with the largest k/m."""

    ratio: float = 0.0  # k/m [1/s²]
    element: str = ""  # what messages call it

    def refuse(self, dt: float) -> None:
        """Raise a SceneError if steps of dt [s] are too long for it."""
        size = dt * dt * self.ratio
        if not size <= MOST:
            raise SceneError(
                f"{self.element} is so stiff that its inertia is lost: in a step of dt {dt:g} s its stiffness is "
                f"{size:.2g} times its inertia, at most {MOST:g} can be computed; make it softer, or dt smaller"
            )

    def or_stiffer(self, body: SoftBody, elements: Elements) -> Stiffest:
        """The stiffest one of this and of some elements of a body, in its rest shape."""
        found = self
        for begin in range(0, len(elements.vertices), _TOGETHER):
            vertices, constants = (part[begin : begin + _TOGETHER] for part in (elements.vertices, elements.constants))
            H = elements.law.hessians(body.rest, vertices, constants, True)
            k = np.abs(np.diagonal(H, axis1=1, axis2=2)).reshape(*vertices.shape, 3).max(axis=2)
            ratio = np.where(body.is_fixed[vertices], 0.0, k / body.mass[vertices])
            ratio = np.where(np.isnan(ratio), np.inf, ratio)
            e, v = np.unravel_index(int(np.argmax(ratio)), ratio.shape)
            if ratio[e, v] > found.ratio:
                name = f"{body.owner}: element {begin + e} of its {elements.name} ({', '.join(map(str, vertices[e]))})"
                found = Stiffest(float(ratio[e, v]), name)
        return found
