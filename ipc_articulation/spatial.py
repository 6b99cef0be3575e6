"""Rigid motions as 4x4 matrices, spatial vectors as 6 numbers [angular; linear].

For a pose H = [R p; 0 1] from frame b to frame a, x_a = H x_b,

    Ad(H) = [R 0; p~ R R]     twists of b's coordinates to a's,     T_a = Ad(H) T_b
    ad(T) = [ω~ 0; v~ ω~]     T × X;     d/dt Ad(H_ab) = Ad(H_ab) ad(T),  T the twist of b relative to a, in b

with x~ y = x × y (Featherstone 2008, «Rigid body dynamics algorithms», ch. 2). Quaternions are (w, x, y, z).
All functions accept arrays with any leading axes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ipc_articulation.arrays import Array

__all__ = [
    "adjoint",
    "cross",
    "inverse",
    "pose",
    "quaternion_conjugate",
    "quaternion_exp",
    "quaternion_from_rotation",
    "quaternion_log",
    "quaternion_product",
    "rotation_about",
    "rotation_between",
    "rotation_from_quaternion",
    "rotation_to",
    "skew",
    "spatial_inertia",
]


def skew(x: ArrayLike) -> Array:
    """x~, so that x~ y = x × y: (..., 3) -> (..., 3, 3)."""
    x = np.asarray(x, dtype=float)
    S = np.zeros((*x.shape[:-1], 3, 3))
    S[..., 2, 1], S[..., 0, 2], S[..., 1, 0] = np.moveaxis(x, -1, 0)
    return S - np.swapaxes(S, -1, -2)


def pose(R: ArrayLike | None = None, p: ArrayLike | None = None) -> Array:
    """[R p; 0 1] of a rotation (..., 3, 3) and a position (..., 3) [m]; None means no rotation or position."""
    R = np.eye(3) if R is None else np.asarray(R, dtype=float)
    p = np.zeros(3) if p is None else np.asarray(p, dtype=float)
    leading = np.broadcast_shapes(R.shape[:-2], p.shape[:-1])
    H = np.zeros((*leading, 4, 4))
    H[..., :3, :3], H[..., :3, 3], H[..., 3, 3] = R, p, 1.0
    return H


def inverse(H: ArrayLike) -> Array:
    """Inverse of a pose, [Rᵀ -Rᵀp; 0 1]: (..., 4, 4) -> (..., 4, 4)."""
    H = np.asarray(H, dtype=float)
    Rt = np.swapaxes(H[..., :3, :3], -1, -2)
    return pose(Rt, 0.0 - (Rt @ H[..., :3, 3:])[..., 0])  # 0 - x: no negative zeros to be printed


def adjoint(H: ArrayLike) -> Array:
    """Ad(H): (..., 4, 4) -> (..., 6, 6)."""
    H = np.asarray(H, dtype=float)
    R = H[..., :3, :3]
    X = np.zeros((*H.shape[:-2], 6, 6))
    X[..., :3, :3] = X[..., 3:, 3:] = R
    X[..., 3:, :3] = skew(H[..., :3, 3]) @ R
    return X


def cross(T: ArrayLike) -> Array:
    """ad(T), the matrix of T × for twists: (..., 6) -> (..., 6, 6). For wrenches, T ×* is -ad(T)ᵀ."""
    T = np.asarray(T, dtype=float)
    X = np.zeros((*T.shape[:-1], 6, 6))
    X[..., :3, :3] = X[..., 3:, 3:] = skew(T[..., :3])
    X[..., 3:, :3] = skew(T[..., 3:])
    return X


def rotation_about(axis: ArrayLike, angle: float) -> Array:
    """Rotation by an angle [rad] about a unit axis, Rodrigues' formula 1 + sin a~ + (1 - cos) a~²: (3, 3)."""
    a = skew(axis)
    return np.eye(3) + np.sin(angle) * a + (1.0 - np.cos(angle)) * (a @ a)


def rotation_to(axis: ArrayLike) -> Array:
    """A rotation whose third column is a unit axis: (3,) -> (3, 3); the identity for the z axis."""
    a = np.asarray(axis, dtype=float)
    c = a[2]
    if c < 0.0:  # turn about the x axis first, so that the formula stays regular
        return _HALF_TURN @ rotation_to(_HALF_TURN @ a)
    w = np.cross((0.0, 0.0, 1.0), a)
    return np.eye(3) + skew(w) + skew(w) @ skew(w) / (1.0 + c)


_HALF_TURN = np.diag([1.0, -1.0, -1.0])


def rotation_between(first: ArrayLike, second: ArrayLike) -> Array:
    """A rotation that turns one direction (3,) into another one; it is the shortest one if below 90°."""
    a, b = (np.asarray(v, dtype=float) / np.linalg.norm(v) for v in (first, second))
    c = float(a @ b)
    if c < 0.0:  # turn by 180° about an axis across a first, so that the formula stays regular
        across = np.cross(a, np.eye(3)[np.argmin(np.abs(a))])
        return rotation_between(-a, b) @ rotation_about(across / np.linalg.norm(across), np.pi)
    w = skew(np.cross(a, b))
    return np.eye(3) + w + w @ w / (1.0 + c)


def rotation_from_quaternion(q: ArrayLike) -> Array:
    """R(q) = 1 + s (w e~ + e~²), s = 2/|q|², of (w, e); any length but zero: (..., 4) -> (..., 3, 3)."""
    q = np.asarray(q, dtype=float)
    e = skew(q[..., 1:])
    s = 2.0 / np.sum(q * q, axis=-1)[..., None, None]
    return np.eye(3) + s * (q[..., :1, None] * e + e @ e)


def quaternion_from_rotation(R: ArrayLike) -> Array:
    """The unit quaternion of a rotation with w ≥ 0: (..., 3, 3) -> (..., 4).

    R_ij is the product of e_i q and q e_j, hence qᵀ B_ij q; these nine forms and the identity are orthogonal, so

        4 q qᵀ = 1 + Σ R_ij B_ij,

    whose column of the largest diagonal entry is a multiple of q that is never small (Shepperd 1978).
    """
    squares = np.eye(4) + np.einsum("...ij,ijkl->...kl", np.asarray(R, dtype=float), _FORMS)
    k = np.argmax(np.einsum("...kk->...k", squares), axis=-1)
    q = np.take_along_axis(squares, k[..., None, None], axis=-1)[..., 0]
    return q * (np.where(q[..., :1] < 0.0, -1.0, 1.0) / np.linalg.norm(q, axis=-1, keepdims=True))


def quaternion_product(a: ArrayLike, b: ArrayLike) -> Array:
    """The product a b, R(ab) = R(a) R(b): (..., 4), (..., 4) -> (..., 4)."""
    return np.einsum("ijk,...j,...k->...i", _PRODUCTS, np.asarray(a, dtype=float), np.asarray(b, dtype=float))


_PRODUCTS = np.zeros((4, 4, 4))  # component i of the product of the units j and k
for _j, _row in enumerate(((1, 2, 3, 4), (2, -1, 4, -3), (3, -4, -1, 2), (4, 3, -2, -1))):
    for _k, _signed in enumerate(_row):
        _PRODUCTS[abs(_signed) - 1, _j, _k] = np.sign(_signed)
_FORMS = np.einsum("cik,clj->ijkl", _PRODUCTS[:, 1:], _PRODUCTS[:, :, 1:])  # B_ij


def quaternion_conjugate(q: ArrayLike) -> Array:
    """(w, -e), the inverse of a unit quaternion: (..., 4) -> (..., 4)."""
    return np.asarray(q, dtype=float) * (1.0, -1.0, -1.0, -1.0)


def quaternion_exp(x: ArrayLike) -> Array:
    """Quaternion of a rotation vector [rad], (cos ½|x|, sin ½|x| x/|x|): (..., 3) -> (..., 4)."""
    x = np.asarray(x, dtype=float)
    half = 0.5 * np.linalg.norm(x, axis=-1, keepdims=True)
    return np.concatenate([np.cos(half), 0.5 * np.sinc(half / np.pi) * x], axis=-1)


def quaternion_log(q: ArrayLike) -> Array:
    """Rotation vector [rad] of a unit quaternion, |x| ≤ π: (..., 4) -> (..., 3)."""
    q = np.asarray(q, dtype=float)
    q = np.where(q[..., :1] < 0.0, -q, q)
    s = np.linalg.norm(q[..., 1:], axis=-1, keepdims=True)
    half = np.arctan2(s, q[..., :1])
    return 2.0 * q[..., 1:] / np.sinc(half / np.pi)


def spatial_inertia(mass: float, centre: ArrayLike, inertia: ArrayLike) -> Array:
    """Spatial inertia at the origin, [I + m c~ c~ᵀ, m c~; m c~ᵀ, m 1].

    Args:
        mass: m [kg].
        centre: Centre of mass c, (3,) [m].
        inertia: I about the centre, (3, 3) [kg·m²].

    Returns:
        (6, 6).
    """
    c = skew(centre)
    return np.block([[np.asarray(inertia) + mass * c @ c.T, mass * c], [mass * c.T, mass * np.eye(3)]])
