"""What users call the geometries of a libuipc scene: the names of the objects that own them."""

from __future__ import annotations

from typing import Any


def object_names(scene: Any) -> dict[int, str]:
    """Name of each geometry of a `uipc.Scene` by its id: its object's, with the id where that object has several."""
    names = {}
    for number in range(scene.objects().created_count()):
        owner = scene.objects().find(number)
        if owner is None or not owner.name():
            continue
        ids = [int(geo_id) for geo_id in owner.geometries().ids()]
        for geo_id in ids:
            names[geo_id] = owner.name() if len(ids) == 1 else f"{owner.name()}, geometry {geo_id}"
    return names
