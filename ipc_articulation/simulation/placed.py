"""Bodies that are in a libuipc scene already, by name."""

from __future__ import annotations

from typing import Any

from ipc_articulation.errors import SceneError


def placed_body(uipc_scene: Any, name: str) -> tuple[Any, Any]:
    """The object of a rigid body and its geometry slot; others may have its name, but are not fixed or free as a whole.

    Raises:
        SceneError: There is none.
    """
    for owner in uipc_scene.objects().find(name):
        for number in owner.geometries().ids():
            slot = uipc_scene.geometries().find(number)[0]
            if slot.geometry().instances().find("is_fixed") is not None:
                return owner, slot
    raise SceneError(f"the libuipc scene has no body '{name}'")
