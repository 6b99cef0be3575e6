"""The distance of a scene's surfaces, for every engine."""

from __future__ import annotations

import numpy as np
import uipc
from uipc.backend import SceneVisitor

from ipc_articulation import affine
from ipc_articulation.arrays import Array
from ipc_articulation.frontend.attributes import require
from ipc_articulation.frontend.bodies import read_bodies
from ipc_articulation.frontend.buffer_formats import formats_from_table
from ipc_articulation.frontend.contact_table import read_contact_table, read_half_planes
from ipc_articulation.frontend.contact_world import make_contact_world, make_surfaces


class SceneDistance:
    """Distances of the affine bodies and half-planes of a scene, at their present positions."""

    def __init__(self, scene: uipc.Scene) -> None:
        """Read the scene once; geometries created later are not seen.

        Args:
            scene: A scene; bodies that are not coupled are measured as well.
        """
        slots = list(SceneVisitor(scene).geometries())
        self._bodies = read_bodies(slots)
        planes, table = read_half_planes(slots), read_contact_table(scene)
        d_hat = float(scene.config().find("contact/d_hat").view()[0])
        self._contact = make_contact_world(make_surfaces(self._bodies), self._bodies, planes, table, d_hat)

    def minimum(self) -> float:
        """Smallest distance [m] of two surfaces that may touch; inf if no distance is below 10 d̂."""
        with formats_from_table:
            q = self._q()
        return self._contact.minimum_distance(q)

    def _q(self) -> Array:
        transforms = [
            require(slot.geometry().instances(), "transform", "an affine body") for slot in self._bodies.slots
        ]
        return affine.q_from_transform(np.concatenate([np.zeros((0, 4, 4)), *transforms]))
