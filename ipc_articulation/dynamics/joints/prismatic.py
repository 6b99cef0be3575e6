"""The slider."""

from __future__ import annotations

from numpy.typing import ArrayLike

from ipc_articulation.dynamics.joints.elements import Screw, unit
from ipc_articulation.dynamics.joints.joint import Joint


class PrismaticJoint(Joint):
    """H = translation by q a, X = [0; a].

    Args:
        axis: a, (3,), of any length but zero; the same in both frames.
        gpos: Distance [m].
        gvel: Speed [m/s].

    Raises:
        ModelError: The axis has no length.
    """

    def __init__(self, axis: ArrayLike, gpos: ArrayLike | None = None, gvel: ArrayLike | None = None) -> None:
        self.elements = (Screw(unit(axis), turn=0.0, slide=1.0),)
        super().__init__(gpos, gvel)
