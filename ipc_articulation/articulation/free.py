"""The free joint, which holds nothing: δθ is the displacement and the turn of the right body since the reference pose.

    δθ = (δp, δφ),   p_a = (pⱼ - pᵢ)·aᵢ for the left body's axes a = x, y, z,   δp = p - pᵗ,

p the origins of the bodies' frames; δφ is the rotation vector in the right body's own axes, see `rotation_vector`. With
the world as left body these are the velocity coordinates of MuJoCo's free joint, times dt. θ is the pose of the right
body in the left one's frame. [m, m, m, rad, rad, rad]
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.articulation import rotation_vector, slide, vectors
from ipc_articulation.articulation.frames import Placement
from ipc_articulation.compiled import compiled

HOME = (*rotation_vector.HOME, 0.0, 0.0, 0.0)  # the frames coincide


def measured(placement: Placement) -> Array:
    """The axes and the origin of both bodies' own frames, (m, 2, 4, 4)."""
    return np.broadcast_to(np.eye(4), (len(placement.points), 2, 4, 4)).copy()


@compiled
def set_reference(local: Array, q_i: Array, q_j: Array, reference: Array) -> None:
    """Write Zᵗ and pᵗ, (12,); see `kinds.set_reference`."""
    rotation_vector.set_reference(local, q_i, q_j, reference)
    for a in range(3):
        reference[9 + a] = slide.displacement(vectors.pick(local, 3, a), q_i, q_j)


@compiled
def delta_theta(local: Array, q_i: Array, q_j: Array, reference: Array, delta: Array) -> None:
    """Write (δp, δφ), (6,); see `kinds.delta_theta`."""
    for a in range(3):
        delta[a] = slide.displacement(vectors.pick(local, 3, a), q_i, q_j) - reference[9 + a]
    rotation_vector.delta_phi(local, q_i, q_j, reference, delta[3:])


@compiled
def derivatives(
    local: Array, q_i: Array, q_j: Array, reference: Array, w: Array, project: bool, J: Array, H: Array
) -> None:
    """∂δθ/∂q into J (6, 24) and Σ wₖ ∂²δθₖ/∂q² into H (24, 24); see `kinds.derivatives`."""
    rotation_vector.derivatives(local, q_i, q_j, reference, w[3:], project, J[3:], H)
    for a in range(3):
        slide.add_derivatives(vectors.pick(local, 3, a), q_i, q_j, w[a], project, J[a], H)
