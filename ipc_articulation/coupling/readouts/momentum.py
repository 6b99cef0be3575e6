"""Momentum and kinetic energy of bodies in affine coordinates.

A body with the mass matrix M (`affine.mass_matrix`) has the kinetic energy ½ q̇ᵀ M q̇. A twist V moves its coordinates
by (∂q/∂V) V, so its momentum [about the world's origin; linear] is

    h = (∂q/∂V)ᵀ M q̇ = ∫ρ (x × ẋ, ẋ) dV.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ipc_articulation import affine
from ipc_articulation.arrays import Array
from ipc_articulation.coupling.adapter import CoupledBody
from ipc_articulation.coupling.readouts.jacobian import rigid_motions


class Motion(NamedTuple):
    """Momentum and kinetic energy of b bodies."""

    names: tuple[str, ...]  # (b,)
    momentum: Array  # (b, 6) [angular about the world's origin; linear], world axes [kg·m²/s; kg·m/s]
    kinetic_energy: Array  # (b,) [J]


def motion_of(bodies: Sequence[CoupledBody], q: Array, qdot: Array) -> Motion:
    """Momentum and kinetic energy of b bodies at coordinates q with velocities q̇, (b, 12) each."""
    Mqdot = np.einsum("bij,bj->bi", mass_matrices(bodies), qdot)
    h = np.einsum("bki,bi->bk", rigid_motions(q), Mqdot)
    return Motion(tuple(body.name for body in bodies), h, 0.5 * np.einsum("bi,bi->b", qdot, Mqdot))


def mass_matrices(bodies: Sequence[CoupledBody]) -> Array:
    """M of each body, (b, 12, 12)."""
    matrices = [affine.mass_matrix_from_inertia(body.mass, body.center, body.inertia) for body in bodies]
    return np.reshape(matrices, (-1, affine.DOF, affine.DOF))
