"""Checks of affine bodies: values with which no step is possible are refused."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ipc_articulation import affine
from ipc_articulation.arrays import Array, Bools
from ipc_articulation.errors import SceneError

_ROUNDING = 1e-9  # size of a negative eigenvalue that is accepted, relative to the second moment


def check_mass(m: float, first_moment: Array, second_moment: Array, owner: str) -> None:
    """Refuse a dyadic mass (m, s, S) that no body can have; thin rods and point masses are bodies.

    Raises:
        SceneError: m is not positive, something is not finite, or S - s sᵀ/m has a negative eigenvalue.
    """
    if not (np.isfinite(m) and np.isfinite(first_moment).all() and np.isfinite(second_moment).all()):
        raise SceneError(f"{owner} has a mass that is not finite; are its density and its vertices?")
    if m <= 0.0:
        raise SceneError(f"{owner} has mass {m:g} kg; density and volume must be positive")
    smallest = np.linalg.eigvalsh(second_moment - np.outer(first_moment, first_moment) / m)[0]
    if smallest < -_ROUNDING * np.trace(second_moment):
        raise SceneError(
            f"{owner} has an impossible inertia: its second moment about the centre of mass has the eigenvalue "
            f"{smallest:g} kg·m²; no principal inertia may exceed the sum of the other two, and a surface from which "
            "it was computed must be closed and oriented outwards"
        )


def check_columns(columns: Mapping[str, Any], owner: str) -> None:
    """Refuse coordinates, velocities and stiffnesses (see `BodyTable`) of a geometry's bodies.

    Raises:
        SceneError: A value is not finite, a kappa is negative, a volume not positive, or a transform is a reflection.
    """
    names = columns["names"]
    for key, what in {"q": "transform", "qdot": "velocity", "kappa": "kappa", "volume": "volume"}.items():
        finite = np.isfinite(columns[key]).reshape(len(names), -1).all(axis=1)
        _refuse(~finite, names, owner, f"has a {what} that is not finite")
    _refuse(columns["kappa"] < 0.0, names, owner, "has a negative kappa; a stiffness is 0 Pa or more")
    _refuse(columns["volume"] <= 0.0, names, owner, "has a volume that is not positive")
    mirrored = np.linalg.det(affine.linear_part(columns["q"])) <= 0.0
    _refuse(mirrored, names, owner, "has a transform that mirrors or flattens it; its determinant must be positive")


def _refuse(bad: Bools, names: Sequence[str], owner: str, why: str) -> None:
    if bad.any():
        raise SceneError(f"body '{names[int(np.argmax(bad))]}' ({owner}) {why}")
