"""The vectors that a joint's axis becomes in the frames of its two bodies, by libuipc's rules.

An axis is given in the world by its two end points while the bodies stand in their initial poses T, or by its end
points in each body. Directions go from the world into a body by the inverse of T's rotation (the rotation of the polar
decomposition, if T also scales), points by the inverse of T.

Source: libuipc, src/backends/cuda/affine_body/constraints/external_articulation_constraint.cu and affine_body/utils.cu.
All functions take one joint or many (leading axes).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ipc_articulation.affine import nearest_rigid, q_from_transform, transform_from_q

Array = NDArray[np.float64]


def unit(vector: ArrayLike) -> Array:
    """Unit vectors: (..., 3) -> (..., 3)."""
    v = np.asarray(vector, dtype=float)
    return v / np.linalg.norm(v, axis=-1, keepdims=True)


def orthonormal_basis(axis: ArrayLike) -> tuple[Array, Array, Array]:
    """(t̂, n̂, b̂) of an axis, with b̂ x n̂ = t̂.

    The second axis of the frame is chosen as libuipc chooses it, for equal energies need equal vectors where A is not a
    rotation: b̂ ∥ t̂ x X, or t̂ x Y where the axis is within 26° of X (|t̂·X| > 0.9), and n̂ = t̂ x b̂.
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


def revolute_vectors(axis: ArrayLike, left: ArrayLike, right: ArrayLike) -> tuple[Array, Array]:
    """(n̄, b̄) of a revolute joint in its two bodies.

    Args:
        axis: World direction of the axis, from the first to the second end point, (..., 3).
        left: Initial transform of the left body, (..., 4, 4).
        right: Initial transform of the right body, (..., 4, 4).

    Returns:
        The two vectors in the left and in the right body's frame, (..., 2, 3) each.
    """
    _, n, b = orthonormal_basis(axis)
    vectors = np.stack([n, b], axis=-2)
    return _directions_to_local(vectors, left), _directions_to_local(vectors, right)


def prismatic_vectors(point: ArrayLike, axis: ArrayLike, transform: ArrayLike) -> Array:
    """(c̄, t̄) of a prismatic joint in one of its bodies.

    Args:
        point: The axis' first end point in the body's frame [m], (..., 3).
        axis: World direction of the axis, from the first to the second end point, (..., 3).
        transform: Initial transform of the body, (..., 4, 4).

    Returns:
        Point and direction in the body's frame, (..., 2, 3).
    """
    direction = _directions_to_local(unit(axis)[..., None, :], transform)
    return np.concatenate([np.asarray(point, dtype=float)[..., None, :], direction], axis=-2)


def axis_from_local(endpoints: ArrayLike, transform: ArrayLike) -> Array:
    """World direction of an axis from its end points in a body's frame: (..., 2, 3), (..., 4, 4) -> (..., 3)."""
    ends = np.asarray(endpoints, dtype=float)
    return _apply(rotation(transform), ends[..., 1, :] - ends[..., 0, :])


def points_to_local(points: ArrayLike, transform: ArrayLike) -> Array:
    """World points in the frame of a transform: (..., k, 3), (..., 4, 4) -> (..., k, 3)."""
    T = np.asarray(transform, dtype=float)
    A_inv = np.linalg.inv(T[..., :3, :3])
    return (np.asarray(points, dtype=float) - T[..., None, :3, 3]) @ np.swapaxes(A_inv, -1, -2)


def rotation(transform: ArrayLike) -> Array:
    """The rotation of a transform's polar decomposition: (..., 4, 4) -> (..., 3, 3)."""
    return transform_from_q(nearest_rigid(q_from_transform(transform)))[..., :3, :3]


def _directions_to_local(directions: Array, transform: ArrayLike) -> Array:
    return directions @ rotation(transform)


def _apply(matrix: Array, vector: Array) -> Array:
    return np.einsum("...ij,...j->...i", matrix, vector)
