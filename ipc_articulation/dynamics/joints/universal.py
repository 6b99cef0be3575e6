"""The cardan joint."""

from __future__ import annotations

from numpy.typing import ArrayLike

from ipc_articulation.dynamics.joints.elements import Screw, unit
from ipc_articulation.dynamics.joints.joint import Joint


class UniversalJoint(Joint):
    """H = Rot(a, q₁) Rot(b, q₂), X = [Rot(b, -q₂) a, b; 0 0].

    Args:
        first: a, (3,), fixed in the parent.
        second: b, (3,), fixed in the child.
        gpos: Two angles [rad].
        gvel: Their rates [rad/s].

    Raises:
        ModelError: An axis has no length.
    """

    def __init__(
        self,
        first: ArrayLike,
        second: ArrayLike,
        gpos: ArrayLike | None = None,
        gvel: ArrayLike | None = None,
    ) -> None:
        self.elements = (Screw(unit(first)), Screw(unit(second)))
        super().__init__(gpos, gvel)
