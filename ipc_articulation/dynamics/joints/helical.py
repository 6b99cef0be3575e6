"""The nut on a screw."""

from __future__ import annotations

from numpy.typing import ArrayLike

from ipc_articulation.dynamics.joints.elements import Screw, unit
from ipc_articulation.dynamics.joints.joint import Joint


class HelicalJoint(Joint):
    """H = [Rot(a, q), h q a; 0 1], X = [a; h a].

    Args:
        axis: a, (3,), of any length but zero; the same in both frames.
        pitch: h, advance along the axis [m/rad].
        gpos: Angle [rad].
        gvel: Rate [rad/s].

    Raises:
        ModelError: The axis has no length.
    """

    def __init__(
        self, axis: ArrayLike, pitch: float, gpos: ArrayLike | None = None, gvel: ArrayLike | None = None
    ) -> None:
        self.elements = (Screw(unit(axis), turn=1.0, slide=float(pitch)),)
        super().__init__(gpos, gvel)
