"""δθ and K written down a second time: plain numpy, any leading axes, complex numbers welcome.

Shares no code with the package, so that each can be held against the other.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.articulation.joints import Joints
from ipc_articulation.articulation.kinds import (
    CYLINDRICAL,
    FREE,
    HELICAL,
    PLANAR,
    PRISMATIC,
    REVOLUTE,
    SPHERICAL,
    UNIVERSAL,
    VECTORS,
)


def random_rotation(rng, *shape):
    """Uniform rotations, (*shape, 3, 3), from normalised quaternions."""
    quaternion = rng.normal(size=(*shape, 4))
    w, x, y, z = np.moveaxis(quaternion / np.linalg.norm(quaternion, axis=-1, keepdims=True), -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))


def axis_rotation(axis, angle):
    """Rotation about a unit axis (3,) by angles (...): (..., 3, 3), Rodrigues' formula."""
    K = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    angle = np.asarray(angle)[..., None, None]
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K


def q_of(A, p):
    """(p, rows of A)."""
    return np.concatenate([p, A.reshape(*A.shape[:-2], 9)], axis=-1)


def delta_theta(joints: Joints, q, q_ref):
    """δθ (..., F) of coordinates q, q_ref (..., n, 12)."""
    columns = []
    for kind, (i, j), (left, right) in zip(joints.kind, joints.bodies, joints.local[..., :3], strict=True):
        columns += _MEASURES[kind](q[..., i, :], q[..., j, :], q_ref[..., i, :], q_ref[..., j, :], left, right)
    return np.stack(np.broadcast_arrays(*columns), axis=-1)


def energy(joints: Joints, M, tilde, q, q_ref):
    """K (...) of coordinates q, q_ref (..., n, 12), M (F, F), tilde (F,)."""
    residual = delta_theta(joints, q, q_ref) - tilde
    return 0.5 * np.einsum("...k,kl,...l->...", residual, M, residual)


def random_joints(rng, pairs, kinds):
    """Joints with random axes between bodies whose frames at θ = 0 are all the world's."""
    local = np.zeros((len(pairs), 2, VECTORS, 4))
    for k, kind in enumerate(kinds):
        x, y, z = np.pad(random_rotation(rng), ((0, 0), (0, 1)))
        c = np.append(rng.normal(size=3), 1.0)
        vectors = {
            REVOLUTE: (y, x),
            HELICAL: (y, x),
            PRISMATIC: (c, z),
            SPHERICAL: np.eye(4)[:3],
            FREE: np.eye(4),
            CYLINDRICAL: (y, x, c, z),
            PLANAR: (c, x, y),
            UNIVERSAL: (x, y, z),
        }[kind]
        local[k, :, : len(vectors)] = vectors
    return Joints(np.array(kinds), np.array(pairs), local)


def axis_of(joints, k):
    """A unit axis about which a joint of `random_joints` turns (or along which it slides), (3,)."""
    local = joints.local[k, 0, :, :3]
    places = {PRISMATIC: 1, CYLINDRICAL: 3, UNIVERSAL: 0}
    kind = int(joints.kind[k])
    if kind in (SPHERICAL, FREE):
        axis = np.array([0.6, -0.3, 0.7])
    else:
        axis = local[places[kind]] if kind in places else np.cross(*local[[1, 0] if kind != PLANAR else [1, 2]])
    return axis / np.linalg.norm(axis)


def random_states(rng, count, n, stretch=0.2):
    """q (count, n, 12): a common rotation R, then A = R(I + E), every E of its own with |E| at most `stretch`."""
    E = rng.uniform(-1, 1, size=(count, n, 3, 3))
    E *= stretch * rng.uniform(size=(count, n, 1, 1)) / np.linalg.norm(E, ord=2, axis=(-2, -1), keepdims=True)
    A = random_rotation(rng, count, 1) @ (np.eye(3) + E)
    return q_of(A, rng.normal(size=(count, n, 3)))


def turn(axis, q, body, angle):
    """q (count, n, 12) with one body turned by angles (count,) about a unit axis (3,) of its local frame."""
    A = q[:, body, 3:].reshape(-1, 3, 3) @ axis_rotation(axis, angle)
    turned = q.copy()
    turned[:, body, 3:] = A.reshape(-1, 9)
    return turned


def _linear(q):
    return q[..., 3:].reshape(*q.shape[:-1], 3, 3)


def _dot(a, b):
    return (a * b).sum(axis=-1)


def _atan2(y, x):
    """atan2 of complex y, x with small imaginary parts; numpy's arctan2 takes only real numbers."""
    steep = np.abs(np.real(y)) > np.abs(np.real(x))
    safe_x, safe_y = np.where(steep, 1.0, x), np.where(steep, y, 1.0)
    angle = np.where(steep, -np.arctan(x / safe_y), np.arctan(y / safe_x))
    return angle + np.arctan2(np.real(y), np.real(x)) - np.real(angle)


def _turn(local, first, second):
    """The vectors (first, second) of both bodies as (C, S) of a revolute joint."""

    def cos_sin(q_i, q_j):
        n_i, b_i = _linear(q_i) @ local[0][first], _linear(q_i) @ local[0][second]
        n_j, b_j = _linear(q_j) @ local[1][first], _linear(q_j) @ local[1][second]
        return (_dot(b_i, b_j) + _dot(n_i, n_j)) / 2, (_dot(n_i, b_j) - _dot(b_i, n_j)) / 2

    return cos_sin


def _angle(cos_sin, q_i, q_j, q_ref_i, q_ref_j):
    (C, S), (C_t, S_t) = cos_sin(q_i, q_j), cos_sin(q_ref_i, q_ref_j)
    return _atan2(S * C_t - C * S_t, C * C_t + S * S_t)


def _revolute(q_i, q_j, q_ref_i, q_ref_j, left, right):
    return [_angle(_turn((left, right), 0, 1), q_i, q_j, q_ref_i, q_ref_j)]


def _prismatic(q_i, q_j, q_ref_i, q_ref_j, left, right):
    def theta(q_i, q_j):
        c_i, c_j = _point(q_i, left[0]), _point(q_j, right[0])
        t_i, t_j = _linear(q_i) @ left[1], _linear(q_j) @ right[1]
        return (_dot(c_j - c_i, t_i) - _dot(c_i - c_j, t_j)) / 2

    return [theta(q_i, q_j) - theta(q_ref_i, q_ref_j)]


def _cylindrical(q_i, q_j, q_ref_i, q_ref_j, left, right):
    states = q_i, q_j, q_ref_i, q_ref_j
    return _revolute(*states, left[:2], right[:2]) + _prismatic(*states, left[2:], right[2:])


def _slides(q_i, q_j, q_ref_i, q_ref_j, c_i, c_j, axes):
    def theta(q_i, q_j, axis):
        return _dot(_point(q_j, c_j) - _point(q_i, c_i), _linear(q_i) @ axis)

    return [theta(q_i, q_j, axis) - theta(q_ref_i, q_ref_j, axis) for axis in axes]


def _planar(q_i, q_j, q_ref_i, q_ref_j, left, right):
    states = q_i, q_j, q_ref_i, q_ref_j
    return [*_slides(*states, left[0], right[0], left[1:3]), _angle(_turn((left, right), 2, 1), *states)]


def _spherical(q_i, q_j, q_ref_i, q_ref_j, left, right):
    def relative(q_i, q_j):
        return (left[:3] @ np.swapaxes(_linear(q_i), -1, -2)) @ (_linear(q_j) @ right[:3].T)

    Z = np.swapaxes(relative(q_ref_i, q_ref_j), -1, -2) @ relative(q_i, q_j)
    s = [0.5 * (Z[..., k - 1, k - 2] - Z[..., k - 2, k - 1]) for k in range(3)]
    sine = np.sqrt(s[0] ** 2 + s[1] ** 2 + s[2] ** 2)
    angle = _atan2(sine, 0.5 * (Z[..., 0, 0] + Z[..., 1, 1] + Z[..., 2, 2] - 1.0))
    return [angle / sine * component for component in s]


def _free(q_i, q_j, q_ref_i, q_ref_j, left, right):
    states = q_i, q_j, q_ref_i, q_ref_j
    return _slides(*states, left[3], right[3], left[:3]) + _spherical(*states, left, right)


def _universal(q_i, q_j, q_ref_i, q_ref_j, left, right):
    def first(q_i, q_j):
        a_second = _linear(q_j) @ right[1]
        return _dot(_linear(q_i) @ left[1], a_second), _dot(_linear(q_i) @ left[2], a_second)

    def second(q_i, q_j):
        a_first = _linear(q_i) @ left[0]
        return _dot(_linear(q_j) @ right[0], a_first), _dot(_linear(q_j) @ right[2], a_first)

    states = q_i, q_j, q_ref_i, q_ref_j
    return [_angle(first, *states), _angle(second, *states)]


def _point(q, local):
    return _linear(q) @ local + q[..., :3]


_MEASURES = {
    REVOLUTE: _revolute,
    HELICAL: _revolute,
    PRISMATIC: _prismatic,
    SPHERICAL: _spherical,
    FREE: _free,
    CYLINDRICAL: _cylindrical,
    PLANAR: _planar,
    UNIVERSAL: _universal,
}
