"""The schemes of the implicit step."""

from __future__ import annotations

from enum import Enum


class Scheme(Enum):
    """The forces that the step treats implicitly."""

    FULL = "implicit"  # dampers, springs and PD control
    VELOCITY = "implicitfast"  # dampers and Kd, as MuJoCo's implicitfast
    DAMPING = "Euler"  # dampers, as MuJoCo's Euler
    MOMENTUM = "momentum"  # as FULL; the momentum of a robot that floats as a whole has its exact balance

    @property
    def has_springs(self) -> bool:
        """Whether springs and position gains are implicit."""
        return self in (Scheme.FULL, Scheme.MOMENTUM)

    @property
    def has_gains(self) -> bool:
        """Whether velocity gains are implicit."""
        return self is not Scheme.DAMPING
