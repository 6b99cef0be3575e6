"""The differentials of the Tello humanoid: two rotors move two links in series through rods.

q = (r₁, r₂, l₁, l₂): rotor angles, each N times the angle y after its gearbox, and link angles; ẏ is the velocity after
the gearbox, so G = [N 1; ∂l/∂y]. Dimensions are the robot's (Sim, Chignoli, Kim et al. 2022, «Tello Leg»); the
functions, in `formulas.py`, are those of the original derivation (see generalized_rbda v2.0). In metres and radians.
"""

from __future__ import annotations

from ipc_articulation.dynamics.loops.closed_form import ClosedForm
from ipc_articulation.dynamics.loops.explicit import checked_ratio
from ipc_articulation.dynamics.loops.kinds import TELLO_HIP, TELLO_KNEE_ANKLE


class TelloDifferential(ClosedForm):
    """A differential with two rotors and two links; made by `tello_hip` and `tello_knee_ankle`.

    Args:
        kind: One of the two kinds.
        ratio: N.

    Raises:
        ModelError: The ratio is zero or not finite.
    """

    def __init__(self, kind: int, ratio: float) -> None:
        N = checked_ratio(ratio)
        super().__init__(kind, (N,), 4, (0, 1), N)


def tello_hip(ratio: float = 6.0) -> TelloDifferential:
    """The hip: links are gimbal and thigh."""
    return TelloDifferential(TELLO_HIP, ratio)


def tello_knee_ankle(ratio: float = 6.0) -> TelloDifferential:
    """The knee and ankle: links are shin and foot."""
    return TelloDifferential(TELLO_KNEE_ANKLE, ratio)
