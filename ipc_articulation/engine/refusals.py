"""What the CPU engine does not do, refused by name: nothing in a scene is ever ignored."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from uipc.builtin import ConstitutionUIDCollection

from ipc_articulation.errors import UnsupportedError
from ipc_articulation.frontend.articulations import ARTICULATION
from ipc_articulation.frontend.attributes import read, read_meta, read_uids
from ipc_articulation.frontend.bodies import is_affine_body
from ipc_articulation.frontend.contact_table import ContactTable, is_half_plane
from ipc_articulation.frontend.joints import JOINTS

ORTHO_POTENTIAL = 1

_ADVICE = "the CPU engine does not do that yet; use Engine('cuda')"

# What a body's geometry may carry besides, and which value of it changes nothing.
_NEUTRAL_META = {"self_collision": 0, "subscene_element_id": 0, "d_hat": -1.0, "is_codim": 0}
_REFUSED_ARRAYS = {
    "vertices": ("contact_element_id", "subscene_element_id", "d_hat"),
    "instances": ("gravity", "external_force", "aim_transform"),
}


def refuse_unsupported(slots: Iterable[Any]) -> None:
    """UnsupportedError at the first geometry that the CPU engine does not do.

    Geometries without constitution are scenery, as for libuipc.
    """
    for slot in slots:
        geometry, uid = slot.geometry(), int(read_meta(slot.geometry(), "constitution_uid", 0))
        if is_affine_body(geometry):
            _refuse_body(geometry, uid, f"affine-body geometry {slot.id()}")
        elif uid in JOINTS:
            _refuse_extras(geometry, f"joint geometry {slot.id()} ({_name(uid)})")
        elif uid not in (0, ARTICULATION) and not is_half_plane(geometry):
            raise UnsupportedError(
                f"geometry {slot.id()} has constitution {uid} ({_name(uid)}), which the CPU engine lacks; it does "
                "affine bodies with OrthoPotential (1), revolute (18) and prismatic (20) joints, external "
                "articulations (23) and half-planes; use Engine('cuda')"
            )


def refuse_adaptive_resistance(table: ContactTable) -> None:
    """UnsupportedError where a pair of contact elements leaves its resistance to libuipc."""
    adaptive = np.argwhere(table.enabled & (table.resistance <= 0.0))
    if len(adaptive):
        i, j = adaptive[0]
        raise UnsupportedError(
            f"contact elements {i} and {j} have resistance {table.resistance[i, j]:g} (adaptive); "
            "the CPU engine needs a positive resistance [Pa] in the contact table"
        )


def _name(uid: int) -> str:
    known = ConstitutionUIDCollection.instance()
    return known.find(uid).name if known.exists(uid) else "unknown"


def _refuse_extras(geometry: Any, owner: str) -> None:
    """UnsupportedError where further constitutions or constraints (limits, driving, forces) sit on a geometry."""
    for name in ("extra_constitution_uids", "constraint_uids"):
        uids = read_uids(geometry, name)
        if uids:
            raise UnsupportedError(f"{owner} has {name} {uids}: {_ADVICE}")


def _refuse_body(geometry: Any, uid: int, owner: str) -> None:
    if uid != ORTHO_POTENTIAL:
        raise UnsupportedError(f"{owner} has constitution {uid}, not OrthoPotential (1): {_ADVICE}")
    _refuse_extras(geometry, owner)
    for name, neutral in _NEUTRAL_META.items():
        value = read_meta(geometry, name, neutral)
        if value != neutral:
            raise UnsupportedError(f"{owner} has {name} = {value}: {_ADVICE}")
    for collection, names in _REFUSED_ARRAYS.items():
        for name in names:
            if getattr(geometry, collection)().find(name) is not None:
                raise UnsupportedError(f"{owner} has '{name}' on its {collection}: {_ADVICE}")
    thickness = read(geometry.vertices(), "thickness")
    if thickness is not None and np.any(thickness):
        raise UnsupportedError(f"{owner} has vertices with thickness: {_ADVICE}")
