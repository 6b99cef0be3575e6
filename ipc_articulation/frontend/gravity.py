"""Gravity of each body: its own `gravity` attribute where its geometry has one, else the scene's."""

from __future__ import annotations

import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.errors import SceneError
from ipc_articulation.frontend.attributes import read
from ipc_articulation.frontend.bodies import BodyTable


def read_gravity(bodies: BodyTable, of_scene: Array) -> Array:
    """Gravity (n, 3) [m/s²] of the bodies in a scene with gravity (3,); like libuipc, read once.

    Raises:
        SceneError: A body's own gravity is not a finite Vector3.
    """
    gravity = np.tile(of_scene, (len(bodies), 1))
    for g, slot in enumerate(bodies.slots):
        own = read(slot.geometry().instances(), "gravity")
        if own is not None:
            rows = np.flatnonzero(bodies.geometry == g)
            if own.shape[1:] != (3,) or not np.isfinite(own).all():
                raise SceneError(
                    f"body '{bodies.names[rows[0]]}': its gravity must be a Vector3 of finite numbers [m/s²]"
                )
            gravity[rows] = own
    return gravity
