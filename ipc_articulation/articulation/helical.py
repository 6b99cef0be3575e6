"""The joint of a screw: one angle θ [rad] about an axis, along which the right body slides by h θ, h the pitch [m/rad].

δθ is that of `revolute`. With the anchor c, the axis t and two normals n, b (b × n = t) of both bodies and τ = t/h, the
slide determines the angle φ = (cⱼ - cᵢ)·τᵢ, however many turns it counts. So the penalty holds

    r = ((cⱼ-cᵢ) × tᵢ, (cᵢ-cⱼ) × tⱼ, cosφ nᵢ - sinφ bᵢ - nⱼ, cosφ bᵢ + sinφ nᵢ - bⱼ, 0).
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.articulation import prismatic, revolute
from ipc_articulation.articulation.frames import Placement, local_directions, local_points, orthonormal_basis
from ipc_articulation.compiled import compiled
from ipc_articulation.errors import ArticulationError


def measured(placement: Placement) -> Array:
    """(n̄, b̄) in both bodies, (m, 2, 2, 4).

    Raises:
        ArticulationError: A pitch is zero or not finite.
    """
    bad = ~(np.isfinite(placement.pitch) & (placement.pitch != 0.0))
    if bad.any():
        k = int(np.argmax(bad))
        raise ArticulationError(
            f"helical joint {k}: its pitch is {placement.pitch[k]} m/rad; it must be finite and not zero"
        )
    return revolute.measured(placement)


def held(placement: Placement) -> Array:
    """(c̄, t̄, n̄, b̄, τ̄) in both bodies, (m, 2, 5, 4)."""
    t, n, b = orthonormal_basis(placement.axes[:, 0])
    directions = np.stack([t, n, b, t / placement.pitch[:, None]], axis=1)[:, None]
    local = local_directions(directions, placement.transforms)
    return np.concatenate([local_points(placement.points[:, :, :1]), local], axis=2)


@compiled
def residual(x: Array, y: Array, r: Array) -> None:
    """Write r of world vectors x, y (5, 3); see `kinds.residual`."""
    prismatic.off_axis(x, y, r)
    cos, sin = _turn(x, y)
    for k in range(3):
        r[6 + k] = cos * x[2, k] - sin * x[3, k] - y[2, k]
        r[9 + k] = cos * x[3, k] + sin * x[2, k] - y[3, k]
        r[12 + k] = 0.0


@compiled
def residual_slopes(x: Array, y: Array, D: Array) -> None:
    """Write ∂r by the world vectors x, y (5, 3); see `kinds.residual_slopes`."""
    D[:] = 0.0
    prismatic.off_axis_slopes(x, y, D)
    cos, sin = _turn(x, y)
    for k in range(3):
        D[6 + k, 0, 2, k], D[6 + k, 0, 3, k], D[6 + k, 1, 2, k] = cos, -sin, -1.0
        D[9 + k, 0, 3, k], D[9 + k, 0, 2, k], D[9 + k, 1, 3, k] = cos, sin, -1.0
        n_slope, b_slope = -sin * x[2, k] - cos * x[3, k], -sin * x[3, k] + cos * x[2, k]  # by φ
        for a in range(3):
            d = y[0, a] - x[0, a]
            for row, slope in ((6 + k, n_slope), (9 + k, b_slope)):
                D[row, 1, 0, a], D[row, 0, 0, a], D[row, 0, 4, a] = slope * x[4, a], -slope * x[4, a], slope * d


@compiled
def _turn(x: Array, y: Array) -> tuple[float, float]:
    """Cosine and sine of φ."""
    phi = 0.0
    for k in range(3):
        phi += (y[0, k] - x[0, k]) * x[4, k]
    return np.cos(phi), np.sin(phi)
