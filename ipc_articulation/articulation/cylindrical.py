"""The joint of a shaft that turns about and slides along one axis: δθ = (angle [rad], distance [m]).

The angle is that of `revolute`, the distance that of `prismatic`. With the anchor c and the axis t of both bodies, the
penalty holds

    r = ((cⱼ-cᵢ) × tᵢ, (cᵢ-cⱼ) × tⱼ, tᵢ-tⱼ).
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.articulation import prismatic, revolute, vectors
from ipc_articulation.articulation.frames import Placement
from ipc_articulation.compiled import compiled

HOME = (*revolute.HOME, *prismatic.HOME)


def measured(placement: Placement) -> Array:
    """(n̄, b̄, c̄, t̄) in both bodies, (m, 2, 4, 4)."""
    return np.concatenate([revolute.measured(placement), prismatic.measured(placement)], axis=2)


def held(placement: Placement) -> Array:
    """(c̄, t̄, t̄) in both bodies, (m, 2, 3, 4)."""
    return prismatic.measured(placement)[:, :, [0, 1, 1]]


@compiled
def set_reference(local: Array, q_i: Array, q_j: Array, reference: Array) -> None:
    """Write (Cᵗ, Sᵗ, θᵗ); see `kinds.set_reference`."""
    revolute.set_reference(vectors.pick(local, 0, 1), q_i, q_j, reference)
    prismatic.set_reference(vectors.pick(local, 2, 3), q_i, q_j, reference[2:])


@compiled
def delta_theta(local: Array, q_i: Array, q_j: Array, reference: Array, delta: Array) -> None:
    """Write δθ (2,); see `kinds.delta_theta`."""
    revolute.delta_theta(vectors.pick(local, 0, 1), q_i, q_j, reference, delta)
    prismatic.delta_theta(vectors.pick(local, 2, 3), q_i, q_j, reference[2:], delta[1:])


@compiled
def derivatives(local: Array, q_i: Array, q_j: Array, w: Array, project: bool, J: Array, H: Array) -> None:
    """∂δθ/∂q into J (2, 24) and Σ wₖ ∂²δθₖ/∂q² into H (24, 24); see `kinds.derivatives`."""
    of_distance = np.empty((24, 24))
    revolute.derivatives(vectors.pick(local, 0, 1), q_i, q_j, w[0], project, J[0], H)
    prismatic.derivatives(vectors.pick(local, 2, 3), q_i, q_j, w[1], project, J[1], of_distance)
    H += of_distance


@compiled
def residual(x: Array, y: Array, r: Array) -> None:
    """Write r of world vectors x, y (3, 3); see `kinds.residual`."""
    prismatic.off_axis(x, y, r)
    for k in range(3):
        r[6 + k] = x[2, k] - y[2, k]


@compiled
def residual_slopes(x: Array, y: Array, D: Array) -> None:
    """Write ∂r by the world vectors x, y (3, 3); see `kinds.residual_slopes`."""
    D[:] = 0.0
    prismatic.off_axis_slopes(x, y, D)
    for k in range(3):
        D[6 + k, 0, 2, k], D[6 + k, 1, 2, k] = 1.0, -1.0
