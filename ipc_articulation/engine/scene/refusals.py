"""Refuses features of bodies and contact that the CPU engine does not support (constitutions: see `terms.registry`)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ipc_articulation.errors import UnsupportedError
from ipc_articulation.frontend.attributes import read
from ipc_articulation.frontend.bodies import is_affine_body

_ADVICE = "the CPU engine does not support that yet; use Engine('cuda')"

_REFUSED_ON_VERTICES = ("subscene_element_id", "d_hat")


def refuse_unsupported_bodies(slots: Iterable[Any]) -> None:
    """Raise an UnsupportedError for the first affine body with a feature that the CPU engine does not support."""
    for slot in slots:
        if is_affine_body(slot.geometry()):
            _refuse_body(slot.geometry(), f"affine-body geometry {slot.id()}")


def _refuse_body(geometry: Any, owner: str) -> None:
    for name in _REFUSED_ON_VERTICES:
        if geometry.vertices().find(name) is not None:
            raise UnsupportedError(f"{owner} has '{name}' on its vertices: {_ADVICE}")
    thickness = read(geometry.vertices(), "thickness")
    if thickness is not None and np.ptp(thickness) > 0.0:
        raise UnsupportedError(f"{owner} has a thickness that differs from vertex to vertex: {_ADVICE}")
