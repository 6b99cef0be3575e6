"""Velocities, accelerations and wrenches of a frame, in the conventions of several engines.

Ours are in the world's axes at the frame's origin x: [ω; ẋ], [ω̇; ẍ], [moment; force]. With R the frame's axes,

| engine | velocity | acceleration |
|---|---|---|
| RaiSim; Pinocchio's LOCAL_WORLD_ALIGNED | [ẋ; ω] | [ẍ; ω̇] (Pinocchio: classical) |
| MuJoCo (`mj_objectVelocity`, world) | [ω; ẋ] | |
| arboris, generalized_rbda, DART | [Rᵀω; Rᵀẋ] | [Rᵀω̇; Rᵀ(ẍ - ω × ẋ)], the spatial one |
| Pinocchio's LOCAL | [Rᵀẋ; Rᵀω] | [Rᵀ(ẍ - ω × ẋ); Rᵀω̇], the spatial one |

and a Plücker vector about the world's origin, generalized_rbda's form of external forces, is [n + x × f; f].
All functions accept leading axes: R (..., 3, 3), vectors (..., 6).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ipc_articulation.arrays import Array


def linear_first(vector: ArrayLike) -> Array:
    """Exchange the halves, [angular; linear] to [linear; angular] and back: (..., 6) -> (..., 6)."""
    x = np.asarray(vector, dtype=float)
    return np.concatenate([x[..., 3:], x[..., :3]], axis=-1)


def in_frame(R: ArrayLike, vector: ArrayLike) -> Array:
    """Both halves in the axes of a frame: Rᵀ x. A velocity becomes the body twist, a wrench the body wrench."""
    x = np.asarray(vector, dtype=float)
    return (x.reshape(*x.shape[:-1], 2, 3) @ np.asarray(R, dtype=float)).reshape(x.shape)


def in_world(R: ArrayLike, vector: ArrayLike) -> Array:
    """The inverse of `in_frame`: R x."""
    return in_frame(np.swapaxes(np.asarray(R, dtype=float), -1, -2), vector)


def spatial_acceleration(velocity: ArrayLike, acceleration: ArrayLike) -> Array:
    """[ω̇; ẍ - ω × ẋ] of [ω; ẋ] and [ω̇; ẍ]: the acceleration of the twist's coordinates, not of a point."""
    v, a = np.asarray(velocity, dtype=float), np.array(acceleration, dtype=float)
    a[..., 3:] -= np.cross(v[..., :3], v[..., 3:])
    return a


def classical_acceleration(velocity: ArrayLike, acceleration: ArrayLike) -> Array:
    """[ω̇; ẍ] of [ω; ẋ] and the spatial acceleration: the inverse of `spatial_acceleration`."""
    v, a = np.asarray(velocity, dtype=float), np.array(acceleration, dtype=float)
    a[..., 3:] += np.cross(v[..., :3], v[..., 3:])
    return a


def about_world_origin(x: ArrayLike, wrench: ArrayLike) -> Array:
    """The wrench [n + x × f; f] about the world's origin, which our algorithms take, from one about x (..., 3) [m]."""
    w = np.array(wrench, dtype=float)
    w[..., :3] += np.cross(np.asarray(x, dtype=float), w[..., 3:])
    return w
