"""The hinge."""

from __future__ import annotations

from numpy.typing import ArrayLike

from ipc_articulation.dynamics.joints.elements import Screw, unit
from ipc_articulation.dynamics.joints.joint import Joint


class RevoluteJoint(Joint):
    """H = Rot(a, q), X = [a; 0].

    Args:
        axis: a, (3,), of any length but zero; the same in both frames.
        gpos: Angle [rad].
        gvel: Rate [rad/s].

    Raises:
        ModelError: The axis has no length.
    """

    def __init__(self, axis: ArrayLike, gpos: ArrayLike | None = None, gvel: ArrayLike | None = None) -> None:
        self.elements = (Screw(unit(axis)),)
        super().__init__(gpos, gvel)
