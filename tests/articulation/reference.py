"""δθ and K written down a second time: plain numpy, any leading axes, complex numbers welcome.

Shares no code with the package, so that each can be held against the other.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.articulation.joints import Joints
from ipc_articulation.articulation.kinds import REVOLUTE


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
    """δθ (..., m) of coordinates q, q_ref (..., n, 12)."""
    columns = []
    for kind, (i, j), (left, right) in zip(joints.kind, joints.bodies, joints.local[..., :3], strict=True):
        single = _revolute if kind == REVOLUTE else _prismatic
        columns.append(single(q[..., i, :], q[..., j, :], q_ref[..., i, :], q_ref[..., j, :], left, right))
    return np.stack(np.broadcast_arrays(*columns), axis=-1)


def energy(joints: Joints, M, tilde, q, q_ref):
    """K (...) of coordinates q, q_ref (..., n, 12), M (m, m), tilde (m,)."""
    residual = delta_theta(joints, q, q_ref) - tilde
    return 0.5 * np.einsum("...k,kl,...l->...", residual, M, residual)


def random_joints(rng, pairs, kinds):
    """Joints with random axes between bodies whose frames at θ = 0 are all the world's."""
    local = np.zeros((len(pairs), 2, 2, 4))
    for k, kind in enumerate(kinds):
        n, b = random_rotation(rng)[:2]
        local[k, :, :, :3] = (n, b) if kind == REVOLUTE else (rng.normal(size=3), n)
        local[k, :, 0, 3] = kind != REVOLUTE
    return Joints(np.array(kinds), np.array(pairs), local)


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


def _revolute(q_i, q_j, q_ref_i, q_ref_j, left, right):
    def cos_sin(q_i, q_j):
        n_i, b_i = _linear(q_i) @ left[0], _linear(q_i) @ left[1]
        n_j, b_j = _linear(q_j) @ right[0], _linear(q_j) @ right[1]
        return (_dot(b_i, b_j) + _dot(n_i, n_j)) / 2, (_dot(n_i, b_j) - _dot(b_i, n_j)) / 2

    (C, S), (C_t, S_t) = cos_sin(q_i, q_j), cos_sin(q_ref_i, q_ref_j)
    return _atan2(S * C_t - C * S_t, C * C_t + S * S_t)


def _prismatic(q_i, q_j, q_ref_i, q_ref_j, left, right):
    def theta(q_i, q_j):
        c_i, c_j = _linear(q_i) @ left[0] + q_i[..., :3], _linear(q_j) @ right[0] + q_j[..., :3]
        t_i, t_j = _linear(q_i) @ left[1], _linear(q_j) @ right[1]
        return (_dot(c_j - c_i, t_i) - _dot(c_i - c_j, t_j)) / 2

    return theta(q_i, q_j) - theta(q_ref_i, q_ref_j)
