"""Poses, velocities and accelerations of frames.

With the node's velocity v and acceleration a about the tree's origin (`kernels/sweep.py`), a frame at x from it has

    ẋ = v_lin + ω × x,     ẍ = a_lin + ω̇ × x + ω × ẋ.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from ipc_articulation.arguments import shown
from ipc_articulation.arrays import Array, Ints
from ipc_articulation.dynamics.algorithms.over_states import Algorithm
from ipc_articulation.dynamics.arguments import require
from ipc_articulation.dynamics.kernels.kernel import inlined, kernel
from ipc_articulation.dynamics.kernels.sweep import at_acceleration, at_position, at_velocity
from ipc_articulation.dynamics.kernels.vectors import cross3
from ipc_articulation.dynamics.model.model import Model
from ipc_articulation.errors import ModelError

Frames = Sequence[str | int] | None


def frame_poses(model: Model, q: ArrayLike, frames: Frames = None) -> Array:
    """Poses of frames in the world.

    Args:
        model: The model.
        q: Positions, (..., nq).
        frames: Names or indices; None: all frames of the model.

    Returns:
        (..., n, 4, 4).

    Raises:
        ModelError: A frame is unknown.
        StateError: A wrong shape, a number that is not finite, a quaternion that is not of length one.
    """
    nodes, poses = _chosen(model, frames)
    return _POSES(model, q, parameters=(nodes, poses), shape=(len(nodes), 4, 4))


def frame_velocities(model: Model, q: ArrayLike, v: ArrayLike, frames: Frames = None) -> Array:
    """Velocities [ω; ẋ] of frames and their origins, world axes.

    Args:
        model: The model.
        q: Positions, (..., nq).
        v: Velocities, (..., nv).
        frames: Names or indices; None: all frames of the model.

    Returns:
        (..., n, 6) [rad/s; m/s].

    Raises:
        ModelError: A frame is unknown.
        StateError: A wrong shape, a number that is not finite, a quaternion that is not of length one.
    """
    nodes, poses = _chosen(model, frames)
    return _VELOCITIES(model, q, v, parameters=(nodes, poses), shape=(len(nodes), 6))


def frame_accelerations(model: Model, q: ArrayLike, v: ArrayLike, a: ArrayLike, frames: Frames = None) -> Array:
    """Accelerations [ω̇; ẍ] of frames and their origins, world axes, without gravity.

    Args:
        model: The model.
        q: Positions, (..., nq).
        v: Velocities, (..., nv).
        a: Accelerations, (..., nv).
        frames: Names or indices; None: all frames of the model.

    Returns:
        (..., n, 6) [rad/s²; m/s²].

    Raises:
        ModelError: A frame is unknown.
        StateError: A wrong shape, a number that is not finite, a quaternion that is not of length one.
    """
    nodes, poses = _chosen(model, frames)
    return _ACCELERATIONS(model, q, v, a, parameters=(nodes, poses), shape=(len(nodes), 6))


def _chosen(model: Model, frames: Frames) -> tuple[Ints, Array]:
    """The nodes of frames, and the frames' poses in these nodes."""
    require("model", model, Model)
    if frames is None:
        return model.frame_node, model.frame_pose
    if isinstance(frames, str):
        raise ModelError(f"frames are given as a list: ['{frames}']")
    if not np.iterable(frames):
        raise ModelError(f"frames are given as a list of names or indices; they are {shown(frames)}")
    index = [model.frame(frame) for frame in frames]
    return model.frame_node[index], model.frame_pose[index]


@inlined
def _poses(at, q, H):
    tree, nodes, poses = at
    kin, _, good = at_position(tree, q)
    for n in range(len(nodes)):
        if nodes[n] < 0:
            H[n] = poses[n]
            continue
        k = kin[nodes[n]]
        R, p, o, F = k.R, k.p, k.o, poses[n]
        for r in range(3):
            for c in range(4):
                H[n, r, c] = R[r, 0] * F[0, c] + R[r, 1] * F[1, c] + R[r, 2] * F[2, c]
            H[n, r, 3] += p[r] + o[r]
            H[n, 3, r] = 0.0
        H[n, 3, 3] = 1.0
    return good


@kernel
def arm(k, x, y, z):
    """The vector from the tree's origin to a point given in a node's frame, in world axes."""
    R, p = k.R, k.p
    return (
        p[0] + R[0, 0] * x + R[0, 1] * y + R[0, 2] * z,
        p[1] + R[1, 0] * x + R[1, 1] * y + R[1, 2] * z,
        p[2] + R[2, 0] * x + R[2, 1] * y + R[2, 2] * z,
    )


@kernel
def point_velocity(k, x):
    """v_lin + ω × x."""
    v = k.v
    s = cross3((v[0], v[1], v[2]), x)
    return v[3] + s[0], v[4] + s[1], v[5] + s[2]


@inlined
def _velocities(at, q, v, out):
    tree, nodes, poses = at
    kin, _, good = at_velocity(tree, q, v)
    for n in range(len(nodes)):
        if nodes[n] < 0:
            out[n] = 0.0
            continue
        k = kin[nodes[n]]
        rate = point_velocity(k, arm(k, poses[n, 0, 3], poses[n, 1, 3], poses[n, 2, 3]))
        for r in range(3):
            out[n, r], out[n, 3 + r] = k.v[r], rate[r]
    return good


@inlined
def _accelerations(at, q, v, a, out):
    tree, nodes, poses = at
    kin, _, good = at_acceleration(tree, q, v, a, (0.0, 0.0, 0.0, 0.0, 0.0, 0.0))
    for n in range(len(nodes)):
        if nodes[n] < 0:
            out[n] = 0.0
            continue
        k = kin[nodes[n]]
        x = arm(k, poses[n, 0, 3], poses[n, 1, 3], poses[n, 2, 3])
        turning = cross3((k.a[0], k.a[1], k.a[2]), x)
        centripetal = cross3((k.v[0], k.v[1], k.v[2]), point_velocity(k, x))
        for r in range(3):
            out[n, r], out[n, 3 + r] = k.a[r], k.a[3 + r] + turning[r] + centripetal[r]
    return good


_FRAMES = ("indices", "poses")
_POSES = Algorithm(_poses, ["q"], "poses", _FRAMES)
_VELOCITIES = Algorithm(_velocities, ["q", "v"], "vectors", _FRAMES)
_ACCELERATIONS = Algorithm(_accelerations, ["q", "v", "a"], "vectors", _FRAMES)
