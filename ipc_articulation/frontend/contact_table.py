"""Half-planes and the contact table of a libuipc scene."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.contact.materials import BY_LOAD, FRICTION, Rules
from ipc_articulation.errors import SceneError
from ipc_articulation.frontend.attributes import read_meta
from ipc_articulation.frontend.entries import Entries
from ipc_articulation.frontend.friction_law import friction_iterations, has_anchors

HALF_PLANE = 1  # libuipc's implicit geometry UID
ADAPTIVE = -1.0  # resistance that follows from the forces of the whole scene, as in libuipc
UNTOUCHED = 1e9  # [Pa], resistance in the entries of a table that nobody has set


@dataclass(frozen=True)
class HalfPlaneTable:
    """P half-planes of a scene."""

    names: tuple[str, ...]
    point: Array  # (P, 3) [m]
    normal: Array  # (P, 3) unit; the free side
    contact_element: Ints  # (P,)
    subscene: Ints  # (P,)
    keys: tuple[tuple[int, int], ...]  # id of the geometry and number of the instance


def is_half_plane(geometry: Any) -> bool:
    """Whether a geometry is libuipc's implicit half-plane."""
    return int(read_meta(geometry, "implicit_geometry_uid", 0)) == HALF_PLANE


def read_half_planes(slots: Iterable[Any], object_names: Mapping[int, str] | None = None) -> HalfPlaneTable:
    """Read every instance of every half-plane among geometry slots; `object_names` gives their names.

    Raises:
        SceneError: A normal has no length.
    """
    names: list[str] = []
    points, normals = [np.zeros((0, 3))], [np.zeros((0, 3))]
    elements: list[int] = []
    subscenes: list[int] = []
    keys: list[tuple[int, int]] = []
    for slot in slots:
        geometry = slot.geometry()
        if not is_half_plane(geometry):
            continue
        owner = f"half-plane geometry {slot.id()}"
        instances, meta = Entries(geometry.instances(), owner, "instance"), Entries(geometry.meta(), owner)
        normal = instances.numbers("N", shape=(3,))
        length = np.linalg.norm(normal, axis=1, keepdims=True)
        if not np.all(length > 0.0):
            raise SceneError(f"{owner} has a normal of length zero")
        name = (object_names or {}).get(slot.id()) or read_meta(geometry, "name", f"half-plane {slot.id()}")
        names += [name if len(normal) == 1 else f"{name} instance {i}" for i in range(len(normal))]
        points.append(instances.numbers("P", shape=(3,)))
        normals.append(normal / length)
        elements += meta.ids("contact_element_id", 0).tolist() * len(normal)
        subscenes += meta.ids("subscene_element_id", 0).tolist() * len(normal)
        keys += [(slot.id(), i) for i in range(len(normal))]
    return HalfPlaneTable(
        tuple(names),
        np.concatenate(points),
        np.concatenate(normals),
        np.array(elements, dtype=np.int64),
        np.array(subscenes, dtype=np.int64),
        tuple(keys),
    )


def is_unset(resistance: float) -> bool:
    """Whether an entry's resistance is none that somebody has chosen."""
    return resistance <= 0.0 or resistance == UNTOUCHED


def read_contact_table(scene: Any, by_load: bool = False) -> Rules:
    """Read the contact elements and subscenes of a `uipc.Scene`; `by_load`: resistances that are unset are BY_LOAD.

    Raises:
        SceneError: A friction coefficient or a resistance of the table is no such number.
    """
    tabular, subscenes = scene.contact_tabular(), scene.subscene_tabular()
    e, s = tabular.element_count(), subscenes.element_count()
    resistance, friction, enabled = np.zeros((e, e)), np.zeros((e, e)), np.zeros((e, e), dtype=bool)
    for i in range(e):
        for j in range(i, e):
            model = tabular.at(i, j)
            _check(model, f"the contact model of elements {i} and {j}", by_load)
            chosen = BY_LOAD if by_load and is_unset(model.resistance()) else model.resistance()
            resistance[i, j] = resistance[j, i] = chosen
            friction[i, j] = friction[j, i] = model.friction_rate()
            enabled[i, j] = enabled[j, i] = model.is_enabled()
    between = np.array([[subscenes.at(i, j).is_enabled() for j in range(s)] for i in range(s)], dtype=bool)
    return Rules(resistance, friction, enabled, between, has_anchors(scene), friction_iterations(scene))


def _check(model: Any, name: str, by_load: bool) -> None:
    """Refuse numbers for which there is no contact; with `by_load`, one that is not positive leaves it open."""
    mu, kappa = model.friction_rate(), model.resistance()
    if not FRICTION.accepts(mu):
        raise SceneError(f"{name} has the friction coefficient {mu:g}; valid: {FRICTION.what}")
    is_open = by_load or kappa in (BY_LOAD, ADAPTIVE) or not model.is_enabled()
    if not np.isfinite(kappa) or not (kappa > 0.0 or is_open):
        raise SceneError(f"{name} has the resistance {kappa:g} Pa; valid: more than 0, BY_LOAD or -1 for adaptive")
