"""The shaft that turns and slides in its bearing."""

from __future__ import annotations

from numpy.typing import ArrayLike

from ipc_articulation.dynamics.joints.elements import Screw, unit
from ipc_articulation.dynamics.joints.joint import Joint


class CylindricalJoint(Joint):
    """H = Rot(a, q₁) then translation by q₂ a, X = [a 0; 0 a].

    Args:
        axis: a, (3,), of any length but zero; the same in both frames.
        gpos: Angle [rad] and distance [m].
        gvel: Their rates.

    Raises:
        ModelError: The axis has no length.
    """

    def __init__(self, axis: ArrayLike, gpos: ArrayLike | None = None, gvel: ArrayLike | None = None) -> None:
        a = unit(axis)
        self.elements = (Screw(a), Screw(a, turn=0.0, slide=1.0))
        super().__init__(gpos, gvel)
