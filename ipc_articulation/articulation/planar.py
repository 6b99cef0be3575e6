"""The joint of a body that slides and turns on a plane: δθ = (distance along x, distance along y, angle about z).

x, y, z are orthonormal; z, the joint's axis, is the plane's normal, and x its second axis. The distances [m] are those
of the right body's anchor in the left body's axes (`slide`), the angle [rad] is that of `revolute`. The penalty holds

    r = ((cⱼ-cᵢ)·zᵢ, 0, 0, zᵢ-zⱼ).
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.articulation import revolute, slide, vectors
from ipc_articulation.articulation.frames import Placement, local_directions, local_points, unit
from ipc_articulation.compiled import compiled
from ipc_articulation.errors import ArticulationError

HOME = (*revolute.HOME, 0.0, 0.0)
_SHORTEST = 1e-6  # of x


def measured(placement: Placement) -> Array:
    """(c̄, x̄, ȳ) in both bodies, (m, 2, 3, 4)."""
    z, x = plane(placement)
    return _with_anchor(placement, np.stack([x, np.cross(z, x)], axis=-2))


def held(placement: Placement) -> Array:
    """(c̄, z̄) in both bodies, (m, 2, 2, 4)."""
    return _with_anchor(placement, plane(placement)[0][:, None])


def plane(placement: Placement) -> tuple[Array, Array]:
    """The unit normal z, and x orthogonal to it as near as can be to the second axis, (m, 3) each.

    Raises:
        ArticulationError: The two axes are parallel.
    """
    z, second = unit(placement.axes[:, 0]), unit(placement.second)
    x = second - np.sum(second * z, axis=-1, keepdims=True) * z
    lengths = np.linalg.norm(x, axis=-1)
    if np.any(lengths < _SHORTEST):
        k = int(np.argmin(lengths))
        raise ArticulationError(f"planar joint {k}: its axis and its second axis are parallel, {z[k].tolist()}")
    return z, unit(x)


def _with_anchor(placement: Placement, directions: Array) -> Array:
    local = local_directions(directions[:, None], placement.transforms)
    return np.concatenate([local_points(placement.points[:, :, :1]), local], axis=2)


@compiled
def set_reference(local: Array, q_i: Array, q_j: Array, reference: Array) -> None:
    """Write (Cᵗ, Sᵗ, xᵗ, yᵗ); see `kinds.set_reference`."""
    revolute.set_reference(vectors.pick(local, 2, 1), q_i, q_j, reference)
    for a in range(2):
        reference[2 + a] = slide.displacement(vectors.pick(local, 0, 1 + a), q_i, q_j)


@compiled
def delta_theta(local: Array, q_i: Array, q_j: Array, reference: Array, delta: Array) -> None:
    """Write δθ (3,); see `kinds.delta_theta`."""
    for a in range(2):
        delta[a] = slide.displacement(vectors.pick(local, 0, 1 + a), q_i, q_j) - reference[2 + a]
    revolute.delta_theta(vectors.pick(local, 2, 1), q_i, q_j, reference, delta[2:])


@compiled
def derivatives(local: Array, q_i: Array, q_j: Array, w: Array, project: bool, J: Array, H: Array) -> None:
    """∂δθ/∂q into J (3, 24) and Σ wₖ ∂²δθₖ/∂q² into H (24, 24); see `kinds.derivatives`."""
    revolute.derivatives(vectors.pick(local, 2, 1), q_i, q_j, w[2], project, J[2], H)
    for a in range(2):
        slide.add_derivatives(vectors.pick(local, 0, 1 + a), q_i, q_j, w[a], project, J[a], H)


@compiled
def residual(x: Array, y: Array, r: Array) -> None:
    """Write r of world vectors x, y (2, 3); see `kinds.residual`."""
    r[:6] = 0.0
    for k in range(3):
        r[0] += (y[0, k] - x[0, k]) * x[1, k]
        r[3 + k] = x[1, k] - y[1, k]


@compiled
def residual_slopes(x: Array, y: Array, D: Array) -> None:
    """Write ∂r by the world vectors x, y (2, 3); see `kinds.residual_slopes`."""
    D[:] = 0.0
    for k in range(3):
        D[0, 0, 0, k], D[0, 1, 0, k], D[0, 0, 1, k] = -x[1, k], x[1, k], y[0, k] - x[0, k]
        D[3 + k, 0, 1, k], D[3 + k, 1, 1, k] = 1.0, -1.0
