"""Features of bodies and contact that the CPU engine does not do, refused by name (constitutions: see `registry`)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ipc_articulation.errors import UnsupportedError
from ipc_articulation.frontend.attributes import read_meta
from ipc_articulation.frontend.bodies import BodyTable, is_affine_body
from ipc_articulation.frontend.contact_table import ContactTable

_ADVICE = "the CPU engine does not do that yet; use Engine('cuda')"

# What a body's geometry may carry besides, and which value of it changes nothing.
_NEUTRAL_META = {"self_collision": 0, "subscene_element_id": 0, "d_hat": -1.0}
_REFUSED_ON_VERTICES = ("contact_element_id", "subscene_element_id", "d_hat")


def refuse_unsupported_bodies(slots: Iterable[Any]) -> None:
    """UnsupportedError at the first affine body with a feature that the CPU engine does not do."""
    for slot in slots:
        if is_affine_body(slot.geometry()):
            _refuse_body(slot.geometry(), f"affine-body geometry {slot.id()}")


def refuse_thickness(bodies: BodyTable) -> None:
    """UnsupportedError at the first body whose surface is thick; for scenes with contact."""
    for slot, surface in zip(bodies.slots, bodies.surfaces, strict=True):
        if surface.thickness.any():
            raise UnsupportedError(
                f"affine-body geometry {slot.id()} has vertices with thickness and contact is on: {_ADVICE}"
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


def _refuse_body(geometry: Any, owner: str) -> None:
    for name, neutral in _NEUTRAL_META.items():
        value = read_meta(geometry, name, neutral)
        if value != neutral:
            raise UnsupportedError(f"{owner} has {name} = {value}: {_ADVICE}")
    for name in _REFUSED_ON_VERTICES:
        if geometry.vertices().find(name) is not None:
            raise UnsupportedError(f"{owner} has '{name}' on its vertices: {_ADVICE}")
