"""Attributes of libuipc geometries as numpy arrays, and names of the geometries.

libuipc returns vectors as (N, k, 1) and matrices with column-major inner strides; these functions return contiguous
copies with the usual shapes.

Finding a geometry, a collection or an attribute slot takes 0.2 µs, `slot.view()` 1 µs, libuipc's own `view(slot)` for
writing 23 µs (`writable` gives the same array). So slots are found again in each step. The array of a view must not be
stored: libuipc replaces its memory when the geometry is resized, or when an attribute of several geometries is written.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ipc_articulation.arrays import Array
from ipc_articulation.compiled import compiled
from ipc_articulation.errors import SceneError

OWN_CONSTITUTION_UID = "own_constitution_uid"  # libuipc's front end refuses a `constitution_uid` that it does not know
_UID_LISTS = "extra_constitution_uids", "constraint_uids"


def read(collection: Any, name: str) -> NDArray[Any] | None:
    """A copy of an attribute, vectors as (N, k), matrices as (N, r, c); None if it does not exist."""
    slot = collection.find(name)
    if slot is None:
        return None
    values = np.array(slot.view(), order="C")
    return values[..., 0] if values.ndim == 3 and values.shape[2] == 1 else values


def writable(slot: Any) -> NDArray[Any]:
    """The array of an attribute slot for writing, as libuipc's `view` gives it: of this geometry alone."""
    if not slot.is_shared():
        values = slot.view()
        if values.flags.writeable:
            return values
    from uipc import view

    return view(slot)


def require(collection: Any, name: str, owner: str) -> NDArray[Any]:
    """Like `read`, but an attribute that does not exist is a SceneError naming it and its owner."""
    values = read(collection, name)
    if values is None:
        raise SceneError(f"{owner} has no attribute '{name}'")
    return values


def read_meta(geometry: Any, name: str, default: Any = None) -> Any:
    """The single value of a meta attribute, or the default if it does not exist."""
    values = read(geometry.meta(), name)
    return default if values is None or len(values) == 0 else values[0]


def constitution_uid(geometry: Any) -> int:
    """UID of a geometry's constitution: libuipc's, or one of this package's own (`joint_kinds.OWN_UID`); 0 if none.

    Raises:
        SceneError: It is no whole number.
    """
    return _read_uid(geometry, OWN_CONSTITUTION_UID) or _read_uid(geometry, "constitution_uid")


def _read_uid(geometry: Any, name: str) -> int:
    uid = read_meta(geometry, name, 0)
    if not np.issubdtype(np.asarray(uid).dtype, np.integer) or np.ndim(uid) or uid < 0:
        raise SceneError(
            f"a geometry has the '{name}' {uid}; it must be the number of a constitution, which `apply_to` sets"
        )
    return int(uid)


def are_valid(values: Array, nonnegative: bool = False) -> bool:
    """Whether all numbers of a contiguous array are finite and, if `nonnegative`, not below zero."""
    return _are_valid(values.ravel(), nonnegative)


@compiled
def _are_valid(values: Array, nonnegative: bool) -> bool:
    return bool(np.isfinite(values).all()) and not (nonnegative and bool((values < 0.0).any()))


def _listed_uids(geometry: Any) -> list[int]:
    """The UIDs of constitutions besides a geometry's own; in Python such lists are available only as JSON."""
    names = [name for name in _UID_LISTS if geometry.meta().find(name) is not None]
    meta = geometry.to_json()["meta"] if names else {}  # all arrays of the geometry
    return [int(uid) for name in names for uid in np.ravel(meta[name]["attribute"]["values"])]


def object_names(scene: Any) -> dict[int, str]:
    """Names of the geometries of a `uipc.Scene` by id: that of the object, with the id if it has several geometries."""
    names = {}
    for number in range(scene.objects().created_count()):
        owner = scene.objects().find(number)
        if owner is None or not owner.name():
            continue
        ids = [int(geo_id) for geo_id in owner.geometries().ids()]
        for geo_id in ids:
            names[geo_id] = owner.name() if len(ids) == 1 else f"{owner.name()}, geometry {geo_id}"
    return names


def carried_uids(geometry: Any) -> list[int]:
    """All UIDs of a geometry, its own constitution first; none for scenery."""
    uid, extras = constitution_uid(geometry), _listed_uids(geometry)
    return [uid, *extras] if uid else extras
