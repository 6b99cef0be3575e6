"""The vectors that a joint becomes in the frames of its two bodies, by libuipc's rules.

An axis is given in the world by its two end points while the bodies stand in their initial poses T, or by its end
points in each body. Directions go from the world into a body by the inverse of T's rotation (the rotation of the polar
decomposition, if T also scales), points by the inverse of T.

Source: libuipc, src/backends/cuda/affine_body/constraints/external_articulation_constraint.cu and affine_body/utils.cu.
All functions take one joint or many (leading axes).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ipc_articulation.affine import nearest_rigid, q_from_transform, transform_from_q
from ipc_articulation.arrays import Array


class Placement(NamedTuple):
    """Where m joints of one kind lie when they are made."""

    points: Array  # (m, 2, p, 3) [m] in the left and right body's frame: both ends of the axis edge, or the anchor
    axes: Array  # (m, 2, 3) world direction of the axis as seen from either body; zero where a kind has none
    transforms: Array  # (m, 2, 4, 4) of the two bodies
    second: Array = np.empty((0, 3))  # (m, 3) world direction of the second axis, for kinds that have one
    pitch: Array = np.empty(0)  # (m,) [m/rad], for helical joints

    def with_left_axis(self) -> Placement:
        """The same joints, both bodies having the left one's axis."""
        return self._replace(axes=self.axes[:, :1].repeat(2, axis=1))


def unit(vector: ArrayLike) -> Array:
    """Unit vectors: (..., 3) -> (..., 3)."""
    v = np.asarray(vector, dtype=float)
    return v / np.linalg.norm(v, axis=-1, keepdims=True)


def orthonormal_basis(axis: ArrayLike) -> tuple[Array, Array, Array]:
    """(t̂, n̂, b̂) of an axis, with b̂ × n̂ = t̂.

    The second axis of the frame is chosen as libuipc chooses it, for equal energies need equal vectors where A is not a
    rotation: b̂ ∥ t̂ × X, or t̂ × Y where the axis is within 26° of X (|t̂·X| > 0.9), and n̂ = t̂ × b̂.
    libuipc calls our b̂ «n» and our n̂ «b».

    Args:
        axis: Direction of any length but zero, (..., 3).

    Returns:
        t̂, n̂, b̂, (..., 3) each.
    """
    t = unit(axis)
    near_x = np.abs(t[..., :1]) > 0.9
    test = np.where(near_x, [0.0, 1.0, 0.0], [1.0, 0.0, 0.0])
    b = unit(np.cross(t, test))
    return t, unit(np.cross(t, b)), b


def local_points(points: ArrayLike) -> Array:
    """Points in a body's frame in homogeneous coordinates (v̄, 1): (..., 3) -> (..., 4)."""
    return _homogeneous(points, 1.0)


def local_directions(directions: ArrayLike, transform: ArrayLike) -> Array:
    """World directions in a body's frame, homogeneous (v̄, 0): (..., k, 3), (..., 4, 4) -> (..., k, 4)."""
    return _homogeneous(np.asarray(directions, dtype=float) @ rotation(transform), 0.0)


def axis_from_local(endpoints: ArrayLike, transform: ArrayLike) -> Array:
    """World direction of an axis from its end points in a body's frame: (..., 2, 3), (..., 4, 4) -> (..., 3)."""
    ends = np.asarray(endpoints, dtype=float)
    return np.einsum("...ij,...j->...i", rotation(transform), ends[..., 1, :] - ends[..., 0, :])


def points_to_local(points: ArrayLike, transform: ArrayLike) -> Array:
    """World points in the frame of a transform: (..., k, 3), (..., 4, 4) -> (..., k, 3)."""
    T = np.asarray(transform, dtype=float)
    A_inv = np.linalg.inv(T[..., :3, :3])
    return (np.asarray(points, dtype=float) - T[..., None, :3, 3]) @ np.swapaxes(A_inv, -1, -2)


def rotation(transform: ArrayLike) -> Array:
    """The rotation of a transform's polar decomposition: (..., 4, 4) -> (..., 3, 3)."""
    return transform_from_q(nearest_rigid(q_from_transform(transform)))[..., :3, :3]


def _homogeneous(vectors: ArrayLike, w: float) -> Array:
    v = np.asarray(vectors, dtype=float)
    return np.concatenate([v, np.full((*v.shape[:-1], 1), w)], axis=-1)
