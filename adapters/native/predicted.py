"""A predicted step of one robot, until it is committed."""

from __future__ import annotations

from typing import NamedTuple

from ipc_articulation.arrays import Array
from ipc_articulation.dynamics.integrators import ImplicitStep
from ipc_articulation.dynamics.integrators.momentum import FloatingBase


class Kept(NamedTuple):
    """What keeps the momentum of a floating robot at the end of a step."""

    base: FloatingBase
    step: ImplicitStep
    mass: Array  # M̂ in the scene's coordinates, (nv, nv)


class Predicted(NamedTuple):
    """A step that is not committed yet."""

    v: Array  # (nv,) velocity at its end
    delta_theta_tilde: Array  # (nv,)
    kept: Kept | None = None  # None: momentum is not kept
