"""Distances and intersections of a scene's surfaces, for every engine."""

from __future__ import annotations

from dataclasses import replace
from weakref import WeakKeyDictionary

import numpy as np
import uipc
from uipc.backend import SceneVisitor

from ipc_articulation import affine
from ipc_articulation.arrays import Array, Ints
from ipc_articulation.errors import SceneError
from ipc_articulation.frontend.attributes import object_names, require
from ipc_articulation.frontend.bodies import read_bodies
from ipc_articulation.frontend.buffer_formats import formats_from_table
from ipc_articulation.frontend.contact_table import read_contact_table, read_half_planes
from ipc_articulation.frontend.contact_world import make_contact_world, make_surfaces
from ipc_articulation.frontend.nodes.distances import Distances
from ipc_articulation.frontend.soft.bodies import read_soft_bodies, world_positions
from ipc_articulation.frontend.table_of_rows import with_soft_bodies

_of_scene: WeakKeyDictionary[uipc.Scene, SceneDistance] = WeakKeyDictionary()


def scene_distance(scene: uipc.Scene) -> SceneDistance:
    """The distances of a scene, which is read again only if geometries were created or destroyed."""
    known = _of_scene.get(scene)
    if known is None or known.geometry_ids != _geometry_ids(scene):
        known = _of_scene[scene] = SceneDistance(scene)
    return known


class SceneDistance:
    """Distances of the bodies and half-planes of a scene, at their present positions.

    Parts of one soft body are not compared with each other: its own elements would be the nearest.

    Attributes:
        bodies: The n affine bodies and the rows of soft ones, as the scene had them when it was read.
        geometry_ids: Of all its geometries then.
    """

    def __init__(self, scene: uipc.Scene) -> None:
        """Read the scene once; geometries created later are not seen.

        Args:
            scene: A scene; bodies that are not coupled are measured as well.
        """
        slots, names, config = list(SceneVisitor(scene).geometries()), object_names(scene), scene.config()
        soft = read_soft_bodies(slots, SceneVisitor(scene).rest_geometries(), names)
        apart = [replace(body, self_collision=False) for body in soft]
        self.bodies, self.geometry_ids = with_soft_bodies(read_bodies(slots, names), apart), _geometry_ids(scene)
        planes, table = read_half_planes(slots, names), read_contact_table(scene)
        d_hat = float(config.find("contact/d_hat").view()[0])
        surfaces = make_surfaces(self.bodies)
        contact = make_contact_world(surfaces, self.bodies, planes, table, d_hat, 0.0)
        self._at = Distances(self.bodies, surfaces, contact)
        self._is_on = bool(config.find("contact/enable").view()[0])

    def minimum(self) -> float:
        """Smallest distance [m] of two surfaces that may touch; inf if no distance is below 10 d̂."""
        with formats_from_table:
            q = self._q()
        return self._at.closest(q)[0]

    def refuse_overlaps(self, rows: Ints, q: Array, when: str) -> None:
        """Refuse new coordinates of some bodies with which surfaces that may touch intersect.

        Args:
            rows: Of k affine bodies.
            q: Their coordinates, (k, 12).
            when: Name of this state in messages.

        Raises:
            SceneError: Surfaces intersect, or have almost no gap, or one would get inside another; names both bodies.
        """
        if not self._is_on:
            return
        now = self._q()
        at, moved = now.copy(), np.zeros(len(now), dtype=np.bool_)
        at[rows], moved[rows] = q, True
        self._at.refuse_overlaps(at, moved, when)
        for inner, outer in self._at.inside(at, moved) - self._at.inside(now, moved):
            names = self.bodies.names
            raise SceneError(f"'{names[inner]}' is inside '{names[outer]}' {when}, and could never leave it")

    def _q(self) -> Array:
        transforms = [require(slot.geometry().instances(), "transform", "an affine body") for slot in self.bodies.slots]
        q = affine.q_from_transform(np.concatenate([np.zeros((0, 4, 4)), *transforms]))
        soft = self.bodies.soft
        return np.concatenate([q, soft.positions(self.soft_positions)]) if soft.bodies else q

    @property
    def soft_positions(self) -> list[Array]:
        """Present vertices of each soft body, (V, 3) [m] in the world."""
        return [world_positions(body.slot.geometry()) for body in self.bodies.soft.bodies]


def _geometry_ids(scene: uipc.Scene) -> list[int]:
    return [slot.id() for slot in SceneVisitor(scene).geometries()]
