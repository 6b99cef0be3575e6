"""Forces with which no step is possible are refused: those that bring a mass beyond every speed within one."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.errors import SceneError
from ipc_articulation.frontend.soft.body_checks import LARGEST


def refuse_strong(forces: Array, masses: Array, dt: float, said: Callable[[int], str]) -> None:
    """Refuse forces f (k, 3) [N] on masses m (k,) [kg] with dt |f|/m above LARGEST m/s.

    Args:
        forces: At most finite ones, (k, 3) [N].
        masses: (k,) [kg].
        dt: Time step [s].
        said: What a message calls the force with a number.

    Raises:
        SceneError: There is one; names it.
    """
    with np.errstate(over="ignore"):
        speeds = dt * np.abs(forces).max(axis=1, initial=0.0) / masses
    if np.any(speeds > LARGEST):
        k = int(np.argmax(speeds))
        force, mass = np.abs(forces[k]).max(), masses[k]
        raise SceneError(
            f"{said(k)} is {force:.3g} N, which would bring {mass:.3g} kg to {speeds[k]:.3g} m/s in a step of {dt:g} s"
            f"; at most {LARGEST:g} m/s"
        )
