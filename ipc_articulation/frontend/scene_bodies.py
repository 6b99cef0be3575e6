"""Affine bodies of a `uipc.Scene`, found by geometry id and instance when they are asked for.

Unlike `bodies.BodyTable` this asks nothing of a body but its transform, so it serves scenes for every engine.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ipc_articulation import affine
from ipc_articulation.errors import SceneError
from ipc_articulation.frontend.bodies import is_affine_body

Array = NDArray[np.float64]

BodyId = tuple[int, int]  # geometry id, instance


class SceneBodies:
    """The bodies asked for so far, a row each in the order of asking.

    Args:
        scene: `uipc.Scene`.
    """

    def __init__(self, scene: Any) -> None:
        self._scene = scene
        self._rows: dict[BodyId, int] = {}
        self._instances: list[Any] = []  # of each row's geometry: an attribute collection

    @property
    def ids(self) -> list[BodyId]:
        """(geometry id, instance) of each row."""
        return list(self._rows)

    @property
    def transforms(self) -> Array:
        """What the scene holds now, (n, 4, 4)."""
        found = [self.attribute(row, "transform").view()[inst] for (_, inst), row in self._rows.items()]
        return np.array(found).reshape(-1, 4, 4)

    @property
    def q(self) -> Array:
        """Coordinates of the present transforms, (n, 12)."""
        return affine.q_from_transform(self.transforms)

    def attribute(self, row: int, name: str) -> Any:
        """An instance attribute slot of a row's geometry, None where it does not exist."""
        return self._instances[row].find(name)

    def index(self, geo_id: int, inst_id: int, asker: str) -> int:
        """Row of a body; a SceneError naming the asker where the scene holds no such body."""
        body = (geo_id, inst_id)
        if body not in self._rows:
            self._instances.append(self._find(geo_id, inst_id, asker))
            self._rows[body] = len(self._rows)
        return self._rows[body]

    def _find(self, geo_id: int, inst_id: int, asker: str) -> Any:
        slot, _ = self._scene.geometries().find(geo_id)
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
        return instances
