"""Attributes of libuipc geometries as numpy arrays, and names of the geometries.

libuipc hands out vectors as (N, k, 1) and matrices with column-major inner strides; these functions return contiguous
copies with the shapes one expects.

To find a geometry, a collection or an attribute slot costs 0.2 µs, to make an array of a slot (`view`) 3 to 14 µs. So
what is read or written each step is found anew, but looked at only once. An array must not be kept: it points into
memory that libuipc replaces when the geometry is resized, and when an attribute that geometries share is written.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ipc_articulation.arrays import Array
from ipc_articulation.compiled import compiled
from ipc_articulation.errors import SceneError


def read(collection: Any, name: str) -> NDArray[Any] | None:
    """A copy of an attribute, vectors as (N, k), matrices as (N, r, c); None where it does not exist."""
    slot = collection.find(name)
    if slot is None:
        return None
    values = np.array(slot.view(), order="C")
    return values[..., 0] if values.ndim == 3 and values.shape[2] == 1 else values


def require(collection: Any, name: str, owner: str) -> NDArray[Any]:
    """Like `read`, but an attribute that does not exist is a SceneError naming it and its owner."""
    values = read(collection, name)
    if values is None:
        raise SceneError(f"{owner} has no attribute '{name}'")
    return values


def read_meta(geometry: Any, name: str, default: Any = None) -> Any:
    """The single value of a meta attribute, or the default where it does not exist."""
    values = read(geometry.meta(), name)
    return default if values is None or len(values) == 0 else values[0]


def are_valid(values: Array, nonnegative: bool = False) -> bool:
    """Whether all numbers of a contiguous array are finite, and none below zero if they must not be."""
    return _are_valid(values.ravel(), nonnegative)


@compiled
def _are_valid(values: Array, nonnegative: bool) -> bool:
    return bool(np.isfinite(values).all()) and not (nonnegative and bool((values < 0.0).any()))


def read_uids(geometry: Any, name: str) -> list[int]:
    """A meta attribute that lists UIDs, empty where it does not exist; Python sees such lists as JSON only."""
    listing = geometry.to_json()["meta"].get(name)
    return [] if listing is None else np.ravel(listing["attribute"]["values"]).astype(int).tolist()


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
