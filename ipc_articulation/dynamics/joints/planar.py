"""The joint of a body that slides on a plane."""

from __future__ import annotations

from numpy.typing import ArrayLike

from ipc_articulation import spatial
from ipc_articulation.dynamics.joints.elements import Screw, unit
from ipc_articulation.dynamics.joints.joint import Joint


class PlanarJoint(Joint):
    """H = translation by q₁ e₁ + q₂ e₂ then Rot(n, q₃); with n the z axis

    X = [0 0 0; 0 0 0; 0 0 1; c s 0; -s c 0; 0 0 0],  c, s of q₃.

    Args:
        normal: n, (3,), of any length but zero; (e₁, e₂, n) is right-handed, and (x, y, z) for the z axis.
        gpos: Two distances [m] and an angle [rad].
        gvel: Their rates.

    Raises:
        ModelError: The normal has no length.
    """

    def __init__(
        self, normal: ArrayLike = (0.0, 0.0, 1.0), gpos: ArrayLike | None = None, gvel: ArrayLike | None = None
    ) -> None:
        n = unit(normal)
        R = spatial.rotation_to(n)
        slides = tuple(Screw(unit(R[:, k]), turn=0.0, slide=1.0) for k in range(2))
        self.elements = (*slides, Screw(n))
        super().__init__(gpos, gvel)
