"""Affine bodies of a `uipc.Scene`, found by geometry id and instance at the first request.

Unlike `bodies.BodyTable`, this reads only the transforms of bodies, so it works with scenes for every engine.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from weakref import ref

import numpy as np

from ipc_articulation import affine
from ipc_articulation.arrays import Array, Ints
from ipc_articulation.compiled import compiled
from ipc_articulation.errors import SceneError
from ipc_articulation.frontend.bodies import is_affine_body

BodyId = tuple[int, int]  # geometry id, instance


class SceneBodies:
    """The bodies requested so far, a row for each in the order of the requests.

    It does not keep the scene alive: callbacks that have it are part of the scene, which would never be freed.

    Args:
        scene: `uipc.Scene`.
    """

    def __init__(self, scene: Any) -> None:
        self._scene = ref(scene)
        self._rows: dict[BodyId, int] = {}
        self._slots: dict[int, Any] = {}  # geometry id -> its slot, which keeps what follows alive
        self._instances: dict[int, Any] = {}  # geometry id -> its instances, an attribute collection
        self._places: dict[int, Ints] = {}  # geometry id -> (row, instance) of its bodies, (k, 2)

    @property
    def scene(self) -> Any:
        """The scene.

        Raises:
            SceneError: It is freed.
        """
        scene = self._scene()
        if scene is None:
            raise SceneError("the scene of these bodies is freed; keep it as long as they are used")
        return scene

    @property
    def ids(self) -> list[BodyId]:
        """(geometry id, instance) of each row."""
        return list(self._rows)

    def only(self, rows: Iterable[int]) -> SceneBodies:
        """A selection of these bodies, in the given order."""
        chosen, ids = SceneBodies(self.scene), self.ids
        for row in rows:
            chosen.index(*ids[row], "one who chose")
        return chosen

    @property
    def transforms(self) -> Array:
        """Present transforms in the scene, (n, 4, 4)."""
        return affine.transform_from_q(self.q)

    @property
    def q(self) -> Array:
        """Coordinates of the present transforms, (n, 12).

        Raises:
            SceneError: An instance was removed from its geometry.
        """
        q = np.empty((len(self._rows), affine.DOF))
        self.read_into(q, self._places)
        return q

    def read_into(self, q: Array, geo_ids: Iterable[int]) -> None:
        """Write the coordinates of the bodies of some geometries into their rows of q (n, 12).

        Raises:
            SceneError: As for `q`.
        """
        for geo_id in geo_ids:
            places = self._places[geo_id]
            transforms = self._instances[geo_id].find("transform").view()
            if not _read_coordinates(transforms, places, q):
                raise SceneError(f"geometry {geo_id} has only {len(transforms)} instances now; one in use was removed")

    def attributes(self, name: str, geo_ids: Iterable[int]) -> dict[int, Any]:
        """An instance attribute slot of each of these geometries that has one, by geometry id."""
        found = {geo_id: self._instances[geo_id].find(name) for geo_id in geo_ids}
        return {geo_id: slot for geo_id, slot in found.items() if slot is not None}

    def index(self, geo_id: int, inst_id: int, asker: str) -> int:
        """Row of a body; a SceneError that names the asker if the scene has no such body."""
        body = (geo_id, inst_id)
        if body not in self._rows:
            self._slots[geo_id] = slot = self._find(geo_id, inst_id, asker)
            self._instances[geo_id] = slot.geometry().instances()
            self._rows[body] = row = len(self._rows)
            before = self._places.get(geo_id, np.zeros((0, 2), dtype=np.int64))
            self._places[geo_id] = np.vstack([before, [[row, inst_id]]])
        return self._rows[body]

    def _find(self, geo_id: int, inst_id: int, asker: str) -> Any:
        slot, _ = self.scene.geometries().find(geo_id)
        if slot is None or not is_affine_body(slot.geometry()):
            raise SceneError(
                f"{asker} refers to geometry {geo_id}, instance {inst_id}, but no affine body has that geometry slot"
            )
        instances = slot.geometry().instances()
        if not 0 <= inst_id < instances.size():
            raise SceneError(
                f"{asker} refers to geometry {geo_id}, instance {inst_id}, but that geometry has {instances.size()} "
                f"instances, 0 to {instances.size() - 1}"
            )
        return slot


@compiled
def _read_coordinates(transforms: Array, places: Ints, q: Array) -> bool:
    """Write instances of one geometry, transforms (N, 4, 4), into their rows of q (n, 12); False if one is missing."""
    for row, instance in places:
        if instance >= len(transforms):
            return False
        for a in range(3):
            q[row, a] = transforms[instance, a, 3]
            for k in range(3):
                q[row, 3 + 3 * a + k] = transforms[instance, a, k]
    return True
